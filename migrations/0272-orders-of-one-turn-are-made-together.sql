-- All orders of a turn are made by one statement of each kind: made one after the other, each of them cost the database four.

-- A new order as it is asked for.
CREATE TYPE order_draft AS (
  id text, generation text, product text, phase text, "sessionHash" text, "integrationId" text, "keyId" text, "clientHash" text,
  "endUserHash" text, "createdAt" bigint, "expiresAt" bigint, space text, limits jsonb, asked numeric, expected numeric, destination text,
  "refundTo" text, "fromAsset" text, "fromCoin" boolean, effects jsonb, doc jsonb, report jsonb, news jsonb
);

DROP FUNCTION place_orders(jsonb);
DROP FUNCTION place_order(jsonb);
DROP FUNCTION create_reported_order(jsonb);
DROP FUNCTION create_order(jsonb);
DROP FUNCTION full_open_limit(jsonb);
DROP FUNCTION await_open_limits(jsonb);
DROP FUNCTION queue_order(integrator_order, integer, text);

-- Tells those who want to hear of it what happened to an order. It is told with its payments, which have rows of their own.
CREATE FUNCTION tell_webhooks(p_integration text, p_type text, p_order text, p_seq integer, p_version integer, p_doc jsonb, p_at bigint)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_id text := new_message_id();
BEGIN
  INSERT INTO webhook_message (id, integration_id, type, at, order_id, seq, order_version, order_doc)
  SELECT v_id, p_integration, p_type, p_at, p_order, p_seq, p_version,
         p_doc || jsonb_build_object('payments', coalesce(jsonb_agg(doc ORDER BY payment.seq), '[]'))
  FROM payment WHERE owner = p_order;
  PERFORM queue_message(v_id, p_integration, p_type, p_order, p_seq, p_at);
END $$;

-- Numbers what happened to an order, whether or not anybody is told.
CREATE OR REPLACE FUNCTION tell_order(p_order text, p_types jsonb, p_version integer, p_doc jsonb, p_at bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_type text;
  v_integration text;
  v_seq integer;
BEGIN
  FOR v_type IN SELECT jsonb_array_elements_text(p_types) LOOP
    UPDATE integrator_order SET last_seq = last_seq + 1 WHERE order_id = p_order
    RETURNING integration_id, last_seq INTO v_integration, v_seq;
    EXIT WHEN NOT FOUND;
    IF wants_message(v_integration, v_type) THEN
      PERFORM tell_webhooks(v_integration, v_type, p_order, v_seq, p_version, p_doc, p_at);
    END IF;
  END LOOP;
END $$;

-- Of each order the place among its limits of the first that has no room, after the orders before it; NULL where all have. Whoever makes orders
-- for the same one waits until this is committed, and each statement sees what was committed before it.
CREATE FUNCTION full_open_limits(p_drafts order_draft[]) RETURNS integer[] LANGUAGE plpgsql AS $$
DECLARE
  d order_draft;
  v_made jsonb[] := '{}';
  v_full integer[] := '{}';
BEGIN
  -- All of them are taken in one order, so that two turns never wait for each other in a circle.
  PERFORM pg_advisory_xact_lock(7427, sorted.key) FROM (
    SELECT DISTINCT hashtext((l ->> 'of') || ' ' || (l ->> 'whose')) AS key
    FROM unnest(p_drafts) AS asked, jsonb_array_elements(asked.limits) AS l ORDER BY key) AS sorted;
  FOREACH d IN ARRAY p_drafts LOOP
    v_full := v_full || CASE WHEN d.limits <> '[]' THEN (
      SELECT (min(place) - 1)::integer
      FROM jsonb_array_elements(d.limits) WITH ORDINALITY AS asked (l, place),
           LATERAL (SELECT l ->> 'of' AS of, l ->> 'whose' AS whose, (l ->> 'since')::bigint AS since, (l ->> 'most')::integer AS most) AS one
      WHERE most <= (SELECT count(*) FROM unnest(v_made) AS made WHERE made = l - '{since,most}'::text[])
        + (SELECT count(*) FROM (SELECT 1 FROM orders
             WHERE of = 'client' AND is_open AND client_hash = whose AND created_at > since LIMIT most) AS counted)
        + (SELECT count(*) FROM (SELECT 1 FROM orders
             WHERE of = 'integration' AND is_open AND integration_id = whose AND created_at > since LIMIT most) AS counted)) END;
    IF v_full[cardinality(v_full)] IS NULL THEN
      v_made := v_made || ARRAY(SELECT l - '{since,most}'::text[] FROM jsonb_array_elements(d.limits) AS l);
    END IF;
  END LOOP;
  RETURN v_full;
END $$;

-- A process that serves customers makes orders by this alone: new ones, that nobody has paid. Each of those that were asked for in one turn has
-- its place among them and either the deposit address of the order that was made, or the limit that is full. No row: no address was ready for it.
CREATE FUNCTION place_orders(p jsonb) RETURNS TABLE (place integer, deposit_index integer, deposit_address text, full_limit integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
-- Planned once, whatever the number of orders; and what was planned while the tables were small holds when they are not.
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  g order_guard;
  v_drafts order_draft[] := ARRAY(SELECT jsonb_populate_recordset(NULL::order_draft, p));
  v_full integer[];
  v_made integer[] := '{}';
  v_news record;
BEGIN
  SELECT * INTO g FROM order_guard;
  IF EXISTS (SELECT 1 FROM unnest(v_drafts) AS d
    WHERE (d.phase = g.phase AND d.doc - g.terms = g.born AND d.doc @> g.unpaid) IS NOT TRUE
       OR EXISTS (SELECT 1 FROM jsonb_array_elements(d.effects) AS e WHERE (e ->> 'kind' = ANY (g.effects)) IS NOT TRUE))
  THEN
    RAISE EXCEPTION 'a new order is one that nobody has paid' USING ERRCODE = 'WH004';
  END IF;
  v_full := full_open_limits(v_drafts);

  FOR place, deposit_index, deposit_address, full_limit IN
  WITH asked AS (
    SELECT d.*, row_number() OVER (PARTITION BY d.space ORDER BY d.ordinality) AS turn
    FROM unnest(v_drafts) WITH ORDINALITY AS d WHERE v_full[d.ordinality] IS NULL
  ), free AS (
    -- Of those that no other transaction is about to take.
    SELECT wanted.space, f.index, row_number() OVER (PARTITION BY wanted.space ORDER BY f.index) AS turn
    FROM (SELECT a.space, count(*) AS many FROM asked AS a GROUP BY a.space) AS wanted, LATERAL (
      SELECT a.index FROM deposit_address AS a
      WHERE a.space = wanted.space AND a.order_id IS NULL AND a.burned_at IS NULL
      ORDER BY a.index LIMIT wanted.many FOR UPDATE SKIP LOCKED) AS f
  ), taken AS (
    UPDATE deposit_address AS t SET order_id = a.id FROM asked AS a JOIN free AS f USING (space, turn)
    WHERE (t.space, t.index) = (f.space, f.index)
    RETURNING a.*, t.index, t.address
  ), made AS (
    INSERT INTO orders (id, version, generation, product, phase, is_open, is_busy, session_hash, integration_id, key_id, client_hash,
                        created_at, updated_at, expires_at, deposit_space, deposit_index, deposit_address, asked, expected, observed,
                        destination, refund_to, from_asset, from_coin, doc)
    SELECT t.id, 0, t.generation, t.product, t.phase, true, true, t."sessionHash", t."integrationId", t."keyId", t."clientHash",
           t."createdAt", t."createdAt", t."expiresAt", t.space, t.index, t.address, t.asked, t.expected, 0,
           t.destination, t."refundTo", t."fromAsset", t."fromCoin", t.doc
    FROM taken AS t ORDER BY t.ordinality
  ), instructed AS (
    INSERT INTO effect (key, owner, kind, lane, body, due_at)
    SELECT e.one ->> 'key', t.id, e.one ->> 'kind', e.one ->> 'lane', e.one -> 'body', (e.one ->> 'due')::bigint
    FROM taken AS t, jsonb_array_elements(t.effects) WITH ORDINALITY AS e (one, n) ORDER BY t.ordinality, e.n
  ), reported AS (
    INSERT INTO integrator_order (order_id, integration_id, created_at, day, is_attributed, status, fee_status, fee_asset,
                                  fee_atoms, fee_usd, volume_usd, from_symbol, to_symbol, last_seq)
    SELECT t.id, t."integrationId", t."createdAt", (t."createdAt" / 86400000)::integer, t."endUserHash" IS NOT NULL, r.one ->> 'status',
           r.one ->> 'feeStatus', r.one ->> 'feeAsset', (r.one ->> 'feeAtoms')::numeric, (r.one ->> 'feeUsd')::numeric, 0,
           r.one ->> 'fromSymbol', r.one ->> 'toSymbol', jsonb_array_length(t.news)
    FROM taken AS t, LATERAL (SELECT t.report AS one) AS r WHERE t."integrationId" IS NOT NULL
    RETURNING *
  ), counted AS (
    INSERT INTO integrator_change (integration_id, sign, day, is_attributed, status, fee_status, fee_asset, fee_atoms, fee_usd,
                                   volume_usd, from_symbol, to_symbol, client_hash)
    SELECT r.integration_id, 1, r.day, r.is_attributed, r.status, r.fee_status, r.fee_asset, r.fee_atoms, r.fee_usd, r.volume_usd,
           r.from_symbol, r.to_symbol, t."endUserHash"
    FROM reported AS r JOIN taken AS t ON t.id = r.order_id ORDER BY t.ordinality
  )
  SELECT t.ordinality::integer, t.index, t.address, NULL::integer FROM taken AS t
  UNION ALL SELECT f.place::integer, NULL, NULL, f.full FROM unnest(v_full) WITH ORDINALITY AS f ("full", place) WHERE f.full IS NOT NULL
  LOOP
    IF full_limit IS NULL THEN
      v_made := v_made || place;
    END IF;
    RETURN NEXT;
  END LOOP;

  FOR v_news IN
    SELECT d.id, d."integrationId" AS integration, n.type, n.seq::integer, d.doc, d."createdAt" AS at
    FROM unnest(v_drafts) WITH ORDINALITY AS d, jsonb_array_elements_text(d.news) WITH ORDINALITY AS n (type, seq)
    WHERE d.ordinality = ANY (v_made) AND wants_message(d."integrationId", n.type)
    ORDER BY d.ordinality, n.seq
  LOOP
    PERFORM tell_webhooks(v_news.integration, v_news.type, v_news.id, v_news.seq, 0, v_news.doc, v_news.at);
  END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION place_orders(jsonb) FROM PUBLIC;

-- What was granted to make one order is granted to make those of a turn.
DO $$
BEGIN
  EXECUTE replace(pg_get_functiondef('grant_first_rights()'::regprocedure), 'place_order(jsonb)', 'place_orders(jsonb)');
END $$;
SELECT grant_rights();
