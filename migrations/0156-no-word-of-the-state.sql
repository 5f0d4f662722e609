-- What the database must know of an order is written by the code: as columns with every step, and as the one row of this table, which
-- `wherry migrate` writes. No function knows a phase, a fact or a part of an order's document by name.
CREATE TABLE order_guard (
  -- A new order's phase, and the instructions that it begins with.
  phase text NOT NULL,
  effects text[] NOT NULL,
  -- The parts of its document that are its caller's to say. All others are `born`, exactly.
  terms text[] NOT NULL,
  born jsonb NOT NULL,
  -- Nothing came for it: this is in its document, too.
  unpaid jsonb NOT NULL,
  -- What customers and operators may tell of an order, and the parts of its document that this may change.
  facts jsonb[] NOT NULL,
  changes text[] NOT NULL
);
CREATE UNIQUE INDEX order_guard_the_one ON order_guard ((true));

-- Something must happen yet without the customer's doing. Of orders that are older than this column nobody knows: they are looked at.
ALTER TABLE orders ADD COLUMN is_our_turn boolean NOT NULL DEFAULT true;
ALTER TABLE orders ALTER COLUMN is_our_turn SET DEFAULT false;
-- What a paid order has still to do on the venue's book.
ALTER TABLE orders ADD COLUMN untraded text CHECK (untraded IN ('buy', 'sell'));
CREATE INDEX orders_untraded ON orders (untraded) WHERE untraded IS NOT NULL;

-- A process that serves customers makes orders by this alone: new ones, that nobody has paid.
CREATE OR REPLACE FUNCTION place_order(p jsonb) RETURNS TABLE (deposit_index integer, deposit_address text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  g order_guard;
  v_doc jsonb := p -> 'doc';
BEGIN
  SELECT * INTO g FROM order_guard;
  IF (p ->> 'phase' = g.phase AND v_doc - g.terms = g.born AND v_doc @> g.unpaid) IS NOT TRUE
     OR EXISTS (SELECT 1 FROM jsonb_array_elements(p -> 'effects') AS e WHERE (e ->> 'kind' = ANY (g.effects)) IS NOT TRUE)
  THEN
    RAISE EXCEPTION 'a new order is one that nobody has paid' USING ERRCODE = 'WH004';
  END IF;
  RETURN QUERY SELECT * FROM create_reported_order(p);
END $$;

-- What customers and operators may ask of an order is written by this alone. It pays nothing, signs nothing, changes nothing of what
-- was promised and of what came, and moves money only back to the order's own account, of the fees that were taken of it.
-- Where the order moved meanwhile, the step itself says so.
CREATE OR REPLACE FUNCTION commit_command(p jsonb) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  g order_guard;
  o jsonb := p -> 'order';
  v_doc jsonb;
  v_version integer;
BEGIN
  SELECT * INTO g FROM order_guard;
  SELECT doc, version INTO v_doc, v_version FROM orders WHERE id = p ->> 'owner' FOR UPDATE;
  IF o IS NULL OR p ? 'attempt' OR p ? 'completes' OR jsonb_array_length(p -> 'payments') > 0
     OR (p -> 'fact' @> ANY (g.facts)) IS NOT TRUE
     OR EXISTS (
       SELECT 1 FROM jsonb_array_elements(p -> 'postings') AS one
       WHERE one ->> 'to' IS DISTINCT FROM 'order:' || (p ->> 'owner')
          OR (one ->> 'from' = 'fees' OR one ->> 'from' LIKE 'owed:%') IS NOT TRUE)
     OR EXISTS (
       SELECT 1 FROM (
         SELECT one ->> 'from' AS account, one ->> 'asset' AS asset, sum((one ->> 'atoms')::numeric) AS atoms
         FROM jsonb_array_elements(p -> 'postings') AS one GROUP BY 1, 2) AS back
       WHERE back.atoms > (
         SELECT coalesce(sum(CASE WHEN t.to_account = back.account THEN t.atoms ELSE -t.atoms END), 0) FROM posting AS t
         WHERE t.owner = p ->> 'owner' AND t.asset = back.asset AND back.account IN (t.from_account, t.to_account)))
     OR (v_version = (o ->> 'from')::integer AND v_doc - g.changes IS DISTINCT FROM (o -> 'doc') - g.changes)
  THEN
    RAISE EXCEPTION 'no customer and no operator may do this to an order' USING ERRCODE = 'WH004';
  END IF;
  RETURN commit_reported_step(p);
END $$;

-- Orders as they are after their facts: the columns that the code gives them, and the document.
CREATE FUNCTION write_orders(p_steps jsonb[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE orders
  SET version = (o ->> 'version')::integer, phase = o ->> 'phase', is_open = (o ->> 'isOpen')::boolean,
      is_busy = (o ->> 'isBusy')::boolean, is_our_turn = (o ->> 'isOurTurn')::boolean, updated_at = (o ->> 'updatedAt')::bigint,
      observed = (o ->> 'observed')::numeric, actual = (o ->> 'actual')::numeric,
      replacement = o ->> 'replacement', refund_to = o ->> 'refundTo',
      short_of = o ->> 'shortOf', short_atoms = (o ->> 'shortAtoms')::numeric,
      expects = ARRAY(SELECT jsonb_array_elements_text(o -> 'expects')), untraded = o ->> 'untraded', doc = o -> 'doc'
  FROM unnest(p_steps) AS s, LATERAL (SELECT s -> 'order' AS o) AS part
  WHERE id = s ->> 'owner' AND orders.version = (o ->> 'from')::integer;
END $$;

-- Units of work, each with the order after its fact and everything that must be true together with it; at most one step of an order.
-- Answers each with 'ok', 'stale' (the order moved meanwhile) or 'seen' (this fact was taken before). Where one of them fails, or
-- together they take more than there is, nothing at all has happened.
CREATE OR REPLACE FUNCTION commit_steps(p_steps jsonb) RETURNS text[] LANGUAGE plpgsql
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
    PERFORM write_orders(v_taken);
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

ALTER TABLE webhook_message ADD COLUMN order_payments jsonb;
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
    INSERT INTO webhook_message (id, integration_id, type, at, order_id, seq, order_version, order_doc, order_payments)
    SELECT v_id, v_integration, v_type, p_at, p_order, v_seq, p_version, p_doc,
           coalesce(jsonb_agg(doc ORDER BY payment.seq), '[]')
    FROM payment WHERE owner = p_order;
    PERFORM queue_message(v_id, v_integration, v_type, p_order, v_seq, p_at);
  END LOOP;
END $$;

-- What partners are told of a new order is its document, as it is stored.
CREATE OR REPLACE FUNCTION create_reported_order(p jsonb) RETURNS TABLE (deposit_index integer, deposit_address text) LANGUAGE plpgsql AS $$
DECLARE
  r jsonb := p -> 'report';
  v_row integrator_order;
BEGIN
  RETURN QUERY SELECT * FROM create_order(p);
  IF NOT FOUND OR p ->> 'integrationId' IS NULL THEN
    RETURN;
  END IF;
  INSERT INTO integrator_order (order_id, integration_id, created_at, day, is_attributed, status, fee_status, fee_asset,
                                fee_atoms, fee_usd, volume_usd, from_symbol, to_symbol)
  VALUES (p ->> 'id', p ->> 'integrationId', (p ->> 'createdAt')::bigint, ((p ->> 'createdAt')::bigint / 86400000)::integer,
          p ->> 'endUserHash' IS NOT NULL, r ->> 'status', r ->> 'feeStatus', r ->> 'feeAsset',
          (r ->> 'feeAtoms')::numeric, (r ->> 'feeUsd')::numeric, 0, r ->> 'fromSymbol', r ->> 'toSymbol')
  RETURNING * INTO v_row;
  PERFORM tell_order(v_row.order_id, p -> 'news', 0, p -> 'doc', v_row.created_at);
  PERFORM queue_order(v_row, 1, p ->> 'endUserHash');
END $$;

ALTER FUNCTION grant_rights() RENAME TO grant_rights_of_stock;
CREATE FUNCTION grant_rights() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_left text := grant_rights_of_stock();
BEGIN
  IF v_left IS NOT NULL THEN
    RETURN v_left;
  END IF;
  GRANT SELECT ON order_guard TO wherry_api, wherry_engine;
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION grant_rights() FROM PUBLIC;
SELECT grant_rights();
