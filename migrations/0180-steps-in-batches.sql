-- Steps of many orders in one transaction, one statement for each table however many they are. One alone takes the same way.

-- Instructions of several owners, in the order of the steps.
CREATE FUNCTION add_step_effects(p_steps jsonb[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO effect (key, owner, kind, lane, body, due_at)
  SELECT e ->> 'key', s ->> 'owner', e ->> 'kind', e ->> 'lane', e -> 'body', (e ->> 'due')::bigint
  FROM unnest(p_steps) WITH ORDINALITY AS steps (s, n), jsonb_array_elements(s -> 'effects') WITH ORDINALITY AS effects (e, m)
  ORDER BY n, m
  ON CONFLICT (key) DO NOTHING;
  IF FOUND THEN
    PERFORM pg_notify('wherry_effect', '');
  END IF;
END $$;
CREATE OR REPLACE FUNCTION add_effects(p_owner text, p_effects jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_step_effects(ARRAY[jsonb_build_object('owner', p_owner, 'effects', p_effects)]);
END $$;

-- Postings of all steps, added up. What steps take must be there before any of them gives: a batch that passes would have passed one
-- by one, in whatever order.
CREATE FUNCTION post_steps(p_steps jsonb[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  change record;
BEGIN
  INSERT INTO posting (owner, from_account, to_account, asset, atoms, at)
  SELECT s ->> 'owner', p ->> 'from', p ->> 'to', p ->> 'asset', (p ->> 'atoms')::numeric, (s ->> 'at')::bigint
  FROM unnest(p_steps) WITH ORDINALITY AS steps (s, n), jsonb_array_elements(s -> 'postings') WITH ORDINALITY AS postings (p, m)
  ORDER BY n, m;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  FOR change IN
    SELECT account, asset, sum(least(delta, 0)) AS taken, sum(greatest(delta, 0)) AS given
    FROM (
      SELECT n, account, p ->> 'asset' AS asset, sum(sign * (p ->> 'atoms')::numeric) AS delta
      FROM unnest(p_steps) WITH ORDINALITY AS steps (s, n), jsonb_array_elements(s -> 'postings') AS p,
           LATERAL (VALUES (p ->> 'to', 1), (p ->> 'from', -1)) AS side (account, sign)
      WHERE account <> 'world'
      GROUP BY n, account, p ->> 'asset'
    ) AS of_step
    WHERE delta <> 0
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

-- Payments as they are after their facts.
CREATE FUNCTION save_step_payments(p_steps jsonb[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO payment (id, owner, purpose, number, version, chain_id, asset, atoms, to_address, state, is_settled, created_at, doc)
  SELECT p ->> 'id', p ->> 'owner', p ->> 'purpose', (p ->> 'number')::integer, 0, (p ->> 'chainId')::bigint, p ->> 'asset',
         (p ->> 'atoms')::numeric, p ->> 'to', p ->> 'state', false, (s ->> 'at')::bigint, p -> 'doc'
  FROM unnest(p_steps) WITH ORDINALITY AS steps (s, n), jsonb_array_elements(s -> 'payments') WITH ORDINALITY AS payments (p, m)
  WHERE (p ->> 'version')::integer = 0 ORDER BY n, m;
  UPDATE payment AS before
  SET version = (p ->> 'version')::integer, state = p ->> 'state', is_settled = (p ->> 'isSettled')::boolean, doc = p -> 'doc',
      atoms = (p ->> 'atoms')::numeric, to_address = p ->> 'to'
  FROM unnest(p_steps) AS s, jsonb_array_elements(s -> 'payments') AS p
  WHERE before.id = p ->> 'id' AND (p ->> 'version')::integer > 0;
END $$;

-- Whatever the orders are now, as their reports tell it. An order without a key has no row.
CREATE FUNCTION report_orders(p_steps jsonb[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH changed AS (
    SELECT before, s ->> 'owner' AS order_id, r ->> 'status' AS status, r ->> 'feeStatus' AS fee_status, r ->> 'feeAsset' AS fee_asset,
           (r ->> 'feeAtoms')::numeric AS fee_atoms, (r ->> 'feeUsd')::numeric AS fee_usd, (r ->> 'volumeUsd')::numeric AS volume_usd,
           (r ->> 'timeBucket')::smallint AS time_bucket, n
    FROM unnest(p_steps) WITH ORDINALITY AS steps (s, n) JOIN integrator_order AS before ON before.order_id = s ->> 'owner',
         LATERAL (SELECT s -> 'report' AS r) AS report
    WHERE (before.status, before.fee_status, before.fee_asset, before.fee_atoms, before.fee_usd, before.volume_usd, before.time_bucket)
       IS DISTINCT FROM (r ->> 'status', r ->> 'feeStatus', r ->> 'feeAsset', (r ->> 'feeAtoms')::numeric, (r ->> 'feeUsd')::numeric,
                         (r ->> 'volumeUsd')::numeric, (r ->> 'timeBucket')::smallint)
  ), written AS (
    UPDATE integrator_order AS o
    SET status = c.status, fee_status = c.fee_status, fee_asset = c.fee_asset, fee_atoms = c.fee_atoms, fee_usd = c.fee_usd,
        volume_usd = c.volume_usd, time_bucket = c.time_bucket
    FROM changed AS c WHERE o.order_id = c.order_id
    RETURNING o AS after, c.before, c.n
  )
  INSERT INTO integrator_change (integration_id, sign, day, is_attributed, status, fee_status, fee_asset, fee_atoms, fee_usd, volume_usd,
                                 from_symbol, to_symbol, time_bucket)
  SELECT (row).integration_id, sign, (row).day, (row).is_attributed, (row).status, (row).fee_status, (row).fee_asset, (row).fee_atoms,
         (row).fee_usd, (row).volume_usd, (row).from_symbol, (row).to_symbol, (row).time_bucket
  FROM written, LATERAL (VALUES (before, -1), (after, 1)) AS counted (row, sign) ORDER BY n, sign;
END $$;

-- Numbers what happened to an order, whether or not anybody is told. It is told with its payments, which have rows of their own.
CREATE OR REPLACE FUNCTION tell_order(p_order text, p_types jsonb, p_version integer, p_doc jsonb, p_at bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_type text;
  v_integration text;
  v_seq integer;
  v_id text;
BEGIN
  FOR v_type IN SELECT jsonb_array_elements_text(p_types) LOOP
    UPDATE integrator_order SET last_seq = last_seq + 1 WHERE order_id = p_order
    RETURNING integration_id, last_seq INTO v_integration, v_seq;
    EXIT WHEN NOT FOUND;
    CONTINUE WHEN NOT wants_message(v_integration, v_type);
    v_id := new_message_id();
    INSERT INTO webhook_message (id, integration_id, type, at, order_id, seq, order_version, order_doc)
    SELECT v_id, v_integration, v_type, p_at, p_order, v_seq, p_version,
           p_doc || jsonb_build_object('payments', coalesce(jsonb_agg(doc ORDER BY payment.seq), '[]'))
    FROM payment WHERE owner = p_order;
    PERFORM queue_message(v_id, v_integration, v_type, p_order, v_seq, p_at);
  END LOOP;
END $$;

-- Units of work, each with the order after its fact and everything that must be true together with it; at most one step of an order.
-- Answers each with 'ok', 'stale' (the order moved meanwhile) or 'seen' (this fact was taken before). Where one of them fails, or
-- together they take more than there is, nothing at all has happened.
CREATE FUNCTION commit_steps(p_steps jsonb) RETURNS text[] LANGUAGE plpgsql
-- Planned once, whatever the number of steps; and what was planned while the tables were small holds when they are not.
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  v_steps jsonb[] := ARRAY(SELECT jsonb_array_elements(p_steps));
  v_orders text[] := ARRAY(SELECT s ->> 'owner' FROM unnest(v_steps) AS s WHERE s ? 'order');
  v_payments text[] := ARRAY(SELECT p ->> 'id' FROM unnest(v_steps) AS s, jsonb_array_elements(s -> 'payments') AS p);
  v_house text[] := ARRAY(SELECT s ->> 'key' FROM unnest(v_steps) AS s WHERE NOT s ? 'order');
  v_new text[];
  v_results text[];
  v_taken jsonb[];
  v_completed text[];
BEGIN
  -- Orders before payments before balances, and each of them in one order.
  PERFORM 1 FROM orders WHERE id = ANY (v_orders) ORDER BY id FOR UPDATE;
  IF v_house <> '{}' THEN
    WITH noted AS (
      INSERT INTO credited_once (key, at) SELECT s ->> 'key', (s ->> 'at')::bigint FROM unnest(v_steps) AS s WHERE NOT s ? 'order'
      ON CONFLICT DO NOTHING RETURNING key)
    SELECT array_agg(key) INTO v_new FROM noted;
  END IF;
  IF v_payments <> '{}' THEN
    PERFORM 1 FROM payment WHERE id = ANY (v_payments) ORDER BY id FOR UPDATE;
  END IF;
  SELECT array_agg(result ORDER BY n), array_agg(s ORDER BY n) FILTER (WHERE result = 'ok'),
         array_agg(s ->> 'completes') FILTER (WHERE result <> 'stale' AND s ? 'completes')
  INTO v_results, v_taken, v_completed
  FROM (
    SELECT n, s, CASE
      WHEN CASE WHEN s ? 'order' THEN EXISTS (SELECT 1 FROM history WHERE order_id = s ->> 'owner' AND key = s ->> 'key')
                ELSE (s ->> 'key' = ANY (v_new)) IS NOT TRUE END THEN 'seen'
      WHEN s ? 'order' AND (SELECT version FROM orders WHERE id = s ->> 'owner') IS DISTINCT FROM (s #>> '{order,from}')::integer THEN 'stale'
      WHEN EXISTS (
        SELECT 1 FROM jsonb_array_elements(s -> 'payments') AS p
        WHERE (p ->> 'version')::integer > 0
          AND (SELECT version FROM payment WHERE id = p ->> 'id') IS DISTINCT FROM (p ->> 'version')::integer - 1) THEN 'stale'
      ELSE 'ok' END AS result
    FROM unnest(v_steps) WITH ORDINALITY AS steps (s, n)) AS judged;
  IF v_house <> '{}' THEN
    DELETE FROM credited_once USING unnest(v_steps, v_results) AS judged (s, result)
    WHERE result = 'stale' AND NOT s ? 'order' AND credited_once.key = s ->> 'key';
  END IF;
  DELETE FROM effect WHERE key = ANY (v_completed);
  IF v_taken IS NULL THEN
    RETURN v_results;
  END IF;

  IF v_payments <> '{}' THEN
    PERFORM save_step_payments(v_taken);
  END IF;
  IF v_orders <> '{}' THEN
    UPDATE orders
    SET version = (o ->> 'version')::integer, phase = o ->> 'phase', is_open = (o ->> 'isOpen')::boolean,
        is_busy = (o ->> 'isBusy')::boolean, is_our_turn = (o ->> 'isOurTurn')::boolean, updated_at = (o ->> 'updatedAt')::bigint,
        observed = (o ->> 'observed')::numeric, actual = (o ->> 'actual')::numeric,
        replacement = o ->> 'replacement', refund_to = o ->> 'refundTo',
        short_of = o ->> 'shortOf', short_atoms = (o ->> 'shortAtoms')::numeric,
        expects = ARRAY(SELECT jsonb_array_elements_text(o -> 'expects')), untraded = o ->> 'untraded', doc = o -> 'doc'
    FROM unnest(v_taken) AS s, LATERAL (SELECT s -> 'order' AS o) AS part
    WHERE id = s ->> 'owner' AND orders.version = (o ->> 'from')::integer;
    -- Two steps of an order, or two from one version, meet here.
    INSERT INTO history (order_id, version, key, phase, fact, at)
    SELECT s ->> 'owner', (s #>> '{order,version}')::integer, s ->> 'key', s #>> '{order,phase}', s -> 'fact', (s ->> 'at')::bigint
    FROM unnest(v_taken) AS s WHERE s ? 'order';
    PERFORM pg_notify('wherry_order', (s ->> 'owner') || ' ' || (s #>> '{order,version}')) FROM unnest(v_taken) AS s WHERE s ? 'order';
    PERFORM tell_order(s ->> 'owner', s -> 'news', (s #>> '{order,version}')::integer, s #> '{order,doc}', (s ->> 'at')::bigint)
    FROM unnest(v_taken) AS s WHERE jsonb_array_length(s -> 'news') > 0;
    PERFORM report_orders(v_taken);
  END IF;
  PERFORM save_attempt(s -> 'attempt', (s ->> 'at')::bigint) FROM unnest(v_taken) AS s WHERE s ? 'attempt';
  UPDATE attention AS a SET closed_at = (s ->> 'at')::bigint
  FROM unnest(v_taken) AS s, jsonb_array_elements(s -> 'over') AS c
  WHERE a.owner = s ->> 'owner' AND a.closed_at IS NULL AND a.kind = c ->> 'case' AND (NOT c ? 'subject' OR a.subject = c ->> 'subject');
  PERFORM raise_cases(s ->> 'owner', s -> 'cases', (s ->> 'at')::bigint)
  FROM unnest(v_taken) AS s WHERE jsonb_array_length(s -> 'cases') > 0;
  PERFORM add_step_effects(v_taken);
  PERFORM post_steps(v_taken);
  RETURN v_results;
END $$;

CREATE OR REPLACE FUNCTION commit_reported_step(p jsonb) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN (commit_steps(jsonb_build_array(p)))[1];
END $$;
DROP FUNCTION commit_step(jsonb), post(text, jsonb, bigint), save_payments(jsonb, bigint), report_order(text, jsonb);
