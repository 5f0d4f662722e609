-- Steps of many orders in one transaction. What a step does is written once (`take_step`), whether it goes alone or with others; the
-- balances come last, so that everybody locks orders before balances, and both in one order.

-- What steps take must be there before any of them gives: a batch that passes would have passed one by one, in whatever order.
CREATE FUNCTION move_balances(p_steps jsonb[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  change record;
BEGIN
  FOR change IN
    SELECT account, asset, sum(least(delta, 0)) AS taken, sum(greatest(delta, 0)) AS given
    FROM (
      SELECT moved.step, moved.account, moved.asset, sum(moved.delta) AS delta
      FROM (
        SELECT s.step, side.account, p ->> 'asset' AS asset, side.sign * (p ->> 'atoms')::numeric AS delta
        FROM unnest(p_steps) WITH ORDINALITY AS s (postings, step), jsonb_array_elements(s.postings) AS p,
             LATERAL (VALUES (p ->> 'to', 1), (p ->> 'from', -1)) AS side (account, sign)
      ) AS moved
      WHERE moved.account <> 'world'
      GROUP BY moved.step, moved.account, moved.asset
      HAVING sum(moved.delta) <> 0
    ) AS of_step
    GROUP BY account, asset
    -- Always in the same order, so that two who touch the treasury cannot lock each other out.
    ORDER BY account, asset
  LOOP
    UPDATE balance SET atoms = atoms + change.taken + change.given
    WHERE account = change.account AND asset = change.asset AND atoms + change.taken >= 0;
    IF NOT FOUND THEN
      IF change.taken < 0 THEN
        RAISE EXCEPTION '%', change.asset USING ERRCODE = 'WH002', DETAIL = change.account;
      END IF;
      INSERT INTO balance (account, asset, atoms) VALUES (change.account, change.asset, change.given)
      ON CONFLICT (account, asset) DO UPDATE SET atoms = balance.atoms + change.given;
    END IF;
  END LOOP;
END $$;

-- One unit of work but for the balances: the fact, the order after it, what its partner reads and is told, and everything else that
-- must be true together with it. Answers 'ok', 'stale' (the order moved meanwhile) or 'seen' (this fact was taken before).
CREATE FUNCTION take_step(p jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  o jsonb := p -> 'order';
  v_owner text := p ->> 'owner';
  v_at bigint := (p ->> 'at')::bigint;
  v_version integer;
BEGIN
  IF o IS NOT NULL THEN
    SELECT version INTO v_version FROM orders WHERE id = v_owner FOR UPDATE;
    IF EXISTS (SELECT 1 FROM history WHERE order_id = v_owner AND key = p ->> 'key') THEN
      DELETE FROM effect WHERE key = p ->> 'completes';
      RETURN 'seen';
    END IF;
    IF v_version <> (o ->> 'from')::integer
       OR (jsonb_array_length(p -> 'payments') > 0 AND NOT save_payments(p -> 'payments', v_at)) THEN
      RETURN 'stale';
    END IF;
    UPDATE orders
    SET version = (o ->> 'version')::integer, phase = o ->> 'phase', is_open = (o ->> 'isOpen')::boolean,
        is_busy = (o ->> 'isBusy')::boolean, updated_at = (o ->> 'updatedAt')::bigint,
        observed = (o ->> 'observed')::numeric, actual = (o ->> 'actual')::numeric,
        replacement = o ->> 'replacement', refund_to = o ->> 'refundTo',
        short_of = o ->> 'shortOf', short_atoms = (o ->> 'shortAtoms')::numeric,
        expects = ARRAY(SELECT jsonb_array_elements_text(o -> 'expects')), doc = o -> 'doc'
    WHERE id = v_owner;
    INSERT INTO history (order_id, version, key, phase, fact, at)
    VALUES (v_owner, (o ->> 'version')::integer, p ->> 'key', o ->> 'phase', p -> 'fact', v_at);
    PERFORM pg_notify('wherry_order', v_owner || ' ' || (o ->> 'version'));
    PERFORM tell_order(v_owner, p -> 'news', (o ->> 'version')::integer, p -> 'told', v_at);
    PERFORM report_order(v_owner, p -> 'report');
  ELSE
    INSERT INTO credited_once (key, at) VALUES (p ->> 'key', v_at) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      DELETE FROM effect WHERE key = p ->> 'completes';
      RETURN 'seen';
    END IF;
    IF NOT save_payments(p -> 'payments', v_at) THEN
      DELETE FROM credited_once WHERE key = p ->> 'key';
      RETURN 'stale';
    END IF;
  END IF;
  IF jsonb_array_length(p -> 'postings') > 0 THEN
    INSERT INTO posting (owner, from_account, to_account, asset, atoms, at)
    SELECT v_owner, one ->> 'from', one ->> 'to', one ->> 'asset', (one ->> 'atoms')::numeric, v_at
    FROM jsonb_array_elements(p -> 'postings') AS one;
  END IF;
  IF p ? 'attempt' THEN
    PERFORM save_attempt(p -> 'attempt', v_at);
  END IF;
  IF jsonb_array_length(p -> 'over') > 0 THEN
    UPDATE attention AS a SET closed_at = v_at FROM jsonb_array_elements(p -> 'over') AS c
    WHERE a.owner = v_owner AND a.closed_at IS NULL AND a.kind = c ->> 'case'
      AND (NOT c ? 'subject' OR a.subject = c ->> 'subject');
  END IF;
  IF jsonb_array_length(p -> 'cases') > 0 THEN
    PERFORM raise_cases(v_owner, p -> 'cases', v_at);
  END IF;
  PERFORM add_effects(v_owner, p -> 'effects');
  DELETE FROM effect WHERE key = p ->> 'completes';
  RETURN 'ok';
END $$;

CREATE OR REPLACE FUNCTION commit_reported_step(p jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_result text := take_step(p);
BEGIN
  IF v_result = 'ok' AND jsonb_array_length(p -> 'postings') > 0 THEN
    PERFORM move_balances(ARRAY[p -> 'postings']);
  END IF;
  RETURN v_result;
END $$;
DROP FUNCTION commit_step(jsonb);
DROP FUNCTION post(text, jsonb, bigint);

-- Steps of orders in one transaction, with an answer for each. Where one of them fails, or together they take more than there is,
-- nothing at all has happened, and the caller commits them one by one.
CREATE FUNCTION commit_reported_steps(p_steps jsonb) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  v_step jsonb;
  v_result text;
  v_results text[] := '{}';
  v_postings jsonb[] := '{}';
BEGIN
  PERFORM 1 FROM orders WHERE id IN (SELECT s ->> 'owner' FROM jsonb_array_elements(p_steps) AS s) ORDER BY id FOR UPDATE;
  FOR v_step IN SELECT s FROM jsonb_array_elements(p_steps) WITH ORDINALITY AS all_steps (s, n) ORDER BY n LOOP
    v_result := take_step(v_step);
    v_results := v_results || v_result;
    IF v_result = 'ok' AND jsonb_array_length(v_step -> 'postings') > 0 THEN
      v_postings := v_postings || (v_step -> 'postings');
    END IF;
  END LOOP;
  IF cardinality(v_postings) > 0 THEN
    PERFORM move_balances(v_postings);
  END IF;
  RETURN v_results;
END $$;
