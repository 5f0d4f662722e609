-- Each process has a login of its own, which is in one of two groups: wherry_api, wherry_engine. Whoever takes one of them over can
-- write no more than it writes. Both are without a password and without a login; the operator makes those.

-- A process that serves customers makes orders by this alone: new ones, that nobody has paid.
CREATE FUNCTION place_order(p jsonb) RETURNS TABLE (deposit_index integer, deposit_address text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF p ->> 'phase' IS DISTINCT FROM 'awaiting_deposit'
     OR p #>> '{doc,state,phase}' IS DISTINCT FROM 'awaiting_deposit'
     OR p #>> '{doc,funds,confirmed,atoms,$n}' IS DISTINCT FROM '0'
     OR EXISTS (SELECT 1 FROM jsonb_array_elements(p -> 'effects') AS e WHERE e ->> 'kind' IS DISTINCT FROM 'judge_deadline')
  THEN
    RAISE EXCEPTION 'a new order is one that nobody has paid' USING ERRCODE = 'WH004';
  END IF;
  RETURN QUERY SELECT * FROM create_reported_order(p);
END $$;

-- What customers and operators may ask of an order is written by this alone. It pays nothing, signs nothing, changes nothing of what
-- came, and moves money only back to the order's own account, from the fees that were taken of it.
CREATE FUNCTION commit_command(p jsonb) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF p -> 'order' IS NULL OR p ? 'attempt' OR p ? 'completes' OR jsonb_array_length(p -> 'payments') > 0
     OR (p #>> '{fact,fact}' IN ('wait_closed', 'refund_address_given', 'payout_address_given', 'fee_retried', 'give_back_decided'))
        IS NOT TRUE
     OR EXISTS (
       SELECT 1 FROM jsonb_array_elements(p -> 'postings') AS one
       WHERE one ->> 'to' IS DISTINCT FROM 'order:' || (p ->> 'owner')
          OR (one ->> 'from' = 'fees' OR one ->> 'from' LIKE 'owed:%') IS NOT TRUE)
     OR EXISTS (
       SELECT 1 FROM orders WHERE id = p ->> 'owner' AND doc -> 'funds' IS DISTINCT FROM p #> '{order,doc,funds}')
  THEN
    RAISE EXCEPTION 'no customer and no operator may do this to an order' USING ERRCODE = 'WH004';
  END IF;
  RETURN commit_reported_step(p);
END $$;

REVOKE EXECUTE ON FUNCTION place_order(jsonb), commit_command(jsonb) FROM PUBLIC;

-- Makes the groups where they are missing, and gives them exactly these rights. Gives what it could not do, in words; NULL if nothing.
-- Whoever makes the groups by hand calls it once more.
CREATE FUNCTION grant_rights() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_role text;
  v_table text;
  v_api text;
  v_engine text;
BEGIN
  FOREACH v_role IN ARRAY ARRAY['wherry_api', 'wherry_engine'] LOOP
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = v_role) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', v_role);
      EXCEPTION
        WHEN insufficient_privilege THEN
          RETURN format('%s may not create the role %s: every process must log in as the owner of the tables, until somebody who may creates wherry_api and wherry_engine and calls SELECT grant_rights()', current_user, v_role);
        WHEN duplicate_object OR unique_violation THEN
          NULL;
      END;
    END IF;
  END LOOP;
  FOR v_table, v_api, v_engine IN VALUES
    -- Orders, and the money that moves for them.
    ('orders', 'SELECT', 'SELECT, UPDATE'),
    ('deposit_address', 'SELECT', 'SELECT, INSERT, UPDATE'),
    ('history', 'SELECT', 'SELECT, INSERT'),
    ('posting', 'SELECT', 'SELECT, INSERT'),
    ('balance', 'SELECT', 'SELECT, INSERT, UPDATE'),
    ('payment', 'SELECT', 'SELECT, INSERT, UPDATE'),
    ('attempt', 'SELECT', 'SELECT, INSERT, UPDATE'),
    ('exclusivity', 'SELECT', 'SELECT, INSERT, DELETE'),
    ('account_nonce', 'SELECT', 'SELECT, INSERT, UPDATE'),
    ('nonce', 'SELECT', 'SELECT, INSERT, DELETE'),
    ('credited_once', 'SELECT', 'SELECT, INSERT, DELETE'),
    ('journal_mark', 'SELECT', 'SELECT, INSERT, UPDATE'),
    -- What chains, venue and providers showed.
    ('scan_cursor', 'SELECT', 'SELECT, INSERT, UPDATE'),
    ('sighting', 'SELECT', 'SELECT, INSERT, UPDATE'),
    ('delivery', 'SELECT', 'SELECT, INSERT'),
    ('short_delivery', 'SELECT', 'SELECT, INSERT'),
    ('chain_reading', 'SELECT', 'SELECT, INSERT, UPDATE'),
    ('deposit_reading', 'SELECT', 'SELECT, INSERT, UPDATE'),
    ('ticket', 'SELECT', 'SELECT, INSERT, UPDATE'),
    ('fill', 'SELECT', 'SELECT, INSERT'),
    ('venue_move', 'SELECT', 'SELECT, INSERT, UPDATE'),
    ('process_metrics', 'SELECT', 'SELECT, INSERT, UPDATE, DELETE'),
    -- What one leaves for the other: an operator's word, a question, something that needs a person.
    ('effect', 'SELECT, INSERT, UPDATE', 'SELECT, INSERT, UPDATE, DELETE'),
    ('attention', 'SELECT, INSERT, UPDATE', 'SELECT, INSERT, UPDATE'),
    ('breaker', 'SELECT, INSERT, UPDATE', 'SELECT, INSERT, UPDATE'),
    ('switch', 'SELECT, INSERT, UPDATE', 'SELECT'),
    ('approval', 'SELECT, INSERT, UPDATE', 'SELECT'),
    ('operator_act', 'SELECT, INSERT, UPDATE', ''),
    ('payout_price', 'SELECT, INSERT, UPDATE', 'SELECT, INSERT, UPDATE, DELETE'),
    -- Partners, and what they are told.
    ('integration', 'SELECT, INSERT, UPDATE', 'SELECT'),
    ('integration_key', 'SELECT, INSERT, UPDATE', ''),
    ('integration_member', 'SELECT, INSERT, UPDATE, DELETE', ''),
    ('integration_audit', 'SELECT, INSERT', ''),
    ('partner_nonce', 'SELECT, INSERT, DELETE', ''),
    ('partner_session', 'SELECT, INSERT, UPDATE, DELETE', ''),
    ('integrator_order', 'SELECT, INSERT, UPDATE, DELETE', 'SELECT, INSERT, UPDATE, DELETE'),
    ('integrator_day', 'SELECT, INSERT, UPDATE, DELETE', 'SELECT, INSERT, UPDATE, DELETE'),
    ('integrator_day_pair', 'SELECT, INSERT, UPDATE, DELETE', 'SELECT, INSERT, UPDATE, DELETE'),
    ('integrator_day_fee', 'SELECT, INSERT, UPDATE, DELETE', 'SELECT, INSERT, UPDATE, DELETE'),
    ('integrator_day_time', 'SELECT, INSERT, UPDATE, DELETE', 'SELECT, INSERT, UPDATE, DELETE'),
    ('integrator_client', 'SELECT, INSERT, UPDATE, DELETE', 'SELECT, INSERT, UPDATE, DELETE'),
    ('integrator_day_client', 'SELECT, INSERT, UPDATE, DELETE', 'SELECT, INSERT, UPDATE, DELETE'),
    ('webhook', 'SELECT, INSERT, UPDATE, DELETE', 'SELECT'),
    ('webhook_message', 'SELECT, INSERT, UPDATE, DELETE', 'SELECT, INSERT'),
    ('webhook_delivery', 'SELECT, INSERT, UPDATE, DELETE', 'SELECT, INSERT'),
    ('quota_bucket', 'SELECT, INSERT, UPDATE, DELETE', ''),
    ('quota_slot', 'SELECT, INSERT, UPDATE, DELETE', ''),
    ('migration', 'SELECT', 'SELECT')
  LOOP
    EXECUTE format('REVOKE ALL ON %I FROM wherry_api, wherry_engine', v_table);
    EXECUTE format('GRANT %s ON %I TO wherry_api', v_api, v_table);
    IF v_engine <> '' THEN
      EXECUTE format('GRANT %s ON %I TO wherry_engine', v_engine, v_table);
    END IF;
  END LOOP;
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO wherry_api, wherry_engine', current_schema());
  GRANT EXECUTE ON FUNCTION place_order(jsonb), commit_command(jsonb) TO wherry_api;
  RETURN NULL;
END $$;

REVOKE EXECUTE ON FUNCTION grant_rights() FROM PUBLIC;

DO $$
DECLARE
  v_left text := grant_rights();
BEGIN
  IF v_left IS NOT NULL THEN
    RAISE WARNING '%', v_left;
  END IF;
END $$;
