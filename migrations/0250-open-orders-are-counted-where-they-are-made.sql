-- How many orders a client or an integration may have open is counted in the transaction that makes one more, and whoever makes orders
-- for the same one waits until that is decided: two that counted at the same moment would both find room. Which limits hold for an order
-- is said with it: of whom, since when orders count, and how many may be open.
CREATE FUNCTION await_open_limits(drafts jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- All of them are taken in one order, so that two turns never wait for each other in a circle.
  PERFORM pg_advisory_xact_lock(7427, sorted.key) FROM (
    SELECT DISTINCT hashtext((l ->> 'of') || ' ' || (l ->> 'whose')) AS key
    FROM jsonb_array_elements(drafts) AS d, jsonb_array_elements(d -> 'limits') AS l ORDER BY key) AS sorted;
END $$;

-- The place among an order's limits of the first that has no room, or nothing. Each statement of it sees what was committed before it.
CREATE FUNCTION full_open_limit(p jsonb) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  l jsonb;
  v_most integer;
  v_open integer;
  v_place integer := 0;
BEGIN
  FOR l IN SELECT one FROM jsonb_array_elements(p -> 'limits') WITH ORDINALITY AS asked (one, place) ORDER BY place LOOP
    v_most := (l ->> 'most')::integer;
    IF l ->> 'of' = 'client' THEN
      SELECT count(*) INTO v_open FROM (SELECT 1 FROM orders
        WHERE is_open AND client_hash = l ->> 'whose' AND created_at > (l ->> 'since')::bigint LIMIT v_most) AS counted;
    ELSE
      SELECT count(*) INTO v_open FROM (SELECT 1 FROM orders
        WHERE is_open AND integration_id = l ->> 'whose' AND created_at > (l ->> 'since')::bigint LIMIT v_most) AS counted;
    END IF;
    IF v_open >= v_most THEN
      RETURN v_place;
    END IF;
    v_place := v_place + 1;
  END LOOP;
  RETURN NULL;
END $$;

DROP FUNCTION place_orders(jsonb);
DROP FUNCTION place_order(jsonb);

-- A process that serves customers makes orders by this alone: new ones, that nobody has paid. No row: no address was ready for it.
CREATE FUNCTION place_order(p jsonb) RETURNS TABLE (deposit_index integer, deposit_address text, full_limit integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  g order_guard;
  v_doc jsonb := p -> 'doc';
  v_full integer;
BEGIN
  SELECT * INTO g FROM order_guard;
  IF (p ->> 'phase' = g.phase AND v_doc - g.terms = g.born AND v_doc @> g.unpaid) IS NOT TRUE
     OR EXISTS (SELECT 1 FROM jsonb_array_elements(p -> 'effects') AS e WHERE (e ->> 'kind' = ANY (g.effects)) IS NOT TRUE)
  THEN
    RAISE EXCEPTION 'a new order is one that nobody has paid' USING ERRCODE = 'WH004';
  END IF;
  IF jsonb_array_length(p -> 'limits') > 0 THEN
    PERFORM await_open_limits(jsonb_build_array(p));
    v_full := full_open_limit(p);
    IF v_full IS NOT NULL THEN
      RETURN QUERY SELECT NULL::integer, NULL::text, v_full;
      RETURN;
    END IF;
  END IF;
  RETURN QUERY SELECT made.deposit_index, made.deposit_address, NULL::integer FROM create_reported_order(p) AS made;
END $$;
REVOKE EXECUTE ON FUNCTION place_order(jsonb) FROM PUBLIC;

-- Orders that are made in one turn, each as place_order makes it after those before it, with its place among them.
CREATE FUNCTION place_orders(p jsonb) RETURNS TABLE (place integer, deposit_index integer, deposit_address text, full_limit integer)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM await_open_limits(p);
  RETURN QUERY SELECT asked.place::integer, made.deposit_index, made.deposit_address, made.full_limit
    FROM jsonb_array_elements(p) WITH ORDINALITY AS asked (draft, place), LATERAL place_order(asked.draft) AS made;
END $$;

SELECT grant_rights();
