-- What partners are told as it happens. A message is written in the transaction that makes it true; sending comes later.

CREATE TABLE webhook (
  id text PRIMARY KEY,
  integration_id text NOT NULL REFERENCES integration (id),
  url text NOT NULL,
  -- Null: every type, those to come included.
  events text[],
  status text NOT NULL CHECK (status IN ('active', 'paused', 'disabled')),
  -- When each earlier secret was replaced, oldest first. The secrets themselves follow from the id and their number.
  retired_at bigint[] NOT NULL DEFAULT '{}',
  created_at bigint NOT NULL,
  deleted_at bigint
);
CREATE INDEX webhook_by_integration ON webhook (integration_id, created_at, id) WHERE deleted_at IS NULL;

CREATE TABLE webhook_message (
  id text PRIMARY KEY,
  integration_id text NOT NULL,
  type text NOT NULL,
  at bigint NOT NULL,
  order_id text,
  seq integer,
  -- The order as it was then; the body is made of it once, and from then on it is the body that counts.
  order_version integer,
  order_doc jsonb,
  webhook_id text,
  body text
);

CREATE TABLE webhook_delivery (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  webhook_id text NOT NULL REFERENCES webhook,
  message_id text NOT NULL REFERENCES webhook_message,
  -- What must come in order: the messages of one order, or those of the integration.
  line text NOT NULL,
  seq bigint NOT NULL,
  state text NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  created_at bigint NOT NULL,
  due_at bigint NOT NULL,
  -- When the schedule of attempts began, and how many of it are made.
  began_at bigint,
  tries integer NOT NULL DEFAULT 0,
  attempts jsonb NOT NULL DEFAULT '[]'
);
CREATE INDEX webhook_delivery_newest ON webhook_delivery (webhook_id, id DESC);
CREATE INDEX webhook_delivery_by_state ON webhook_delivery (webhook_id, state, id DESC);
CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook_id, due_at) WHERE state = 'pending';
CREATE INDEX webhook_delivery_line ON webhook_delivery (webhook_id, line, seq) WHERE state = 'pending';

CREATE FUNCTION new_message_id() RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT 'msg_' || replace(gen_random_uuid()::text, '-', '')
$$;

-- Queues a message for every endpoint that wants it. Paused and disabled ones miss what happens meanwhile.
CREATE FUNCTION queue_message(p_message text, p_integration text, p_type text, p_line text, p_seq bigint, p_at bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_delivery (webhook_id, message_id, line, seq, state, created_at, due_at)
  SELECT id, p_message, p_line, p_seq, 'pending', p_at, p_at FROM webhook
  WHERE integration_id = p_integration AND deleted_at IS NULL AND status = 'active' AND (events IS NULL OR p_type = ANY (events))
  ORDER BY id;
END $$;

CREATE FUNCTION wants_message(p_integration text, p_type text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM webhook WHERE integration_id = p_integration AND deleted_at IS NULL AND status = 'active'
                 AND (events IS NULL OR p_type = ANY (events)))
$$;

-- Numbers what happened to an order, whether or not anybody is told.
CREATE FUNCTION tell_order(p_order text, p_types jsonb, p_version integer, p_doc jsonb, p_at bigint) RETURNS void LANGUAGE plpgsql AS $$
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
    VALUES (v_id, v_integration, v_type, p_at, p_order, v_seq, p_version, p_doc);
    PERFORM queue_message(v_id, v_integration, v_type, p_order, v_seq, p_at);
  END LOOP;
END $$;

-- Every change of an integration: who did what, and whoever listens is told.
CREATE FUNCTION record_change(p_integration text, p_actor text, p_action text, p_details jsonb, p_at bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_audit bigint;
  v_id text;
BEGIN
  INSERT INTO integration_audit (integration_id, at, actor, action, details)
  VALUES (p_integration, p_at, p_actor, p_action, p_details) RETURNING id INTO v_audit;
  -- Endpoints and keys are not part of what the message shows.
  IF p_action LIKE 'webhook.%' OR p_action LIKE 'key.%' OR NOT wants_message(p_integration, 'integration.changed') THEN
    RETURN;
  END IF;
  v_id := new_message_id();
  INSERT INTO webhook_message (id, integration_id, type, at) VALUES (v_id, p_integration, 'integration.changed', p_at);
  PERFORM queue_message(v_id, p_integration, 'integration.changed', '', v_audit, p_at);
END $$;

-- The two ways in which orders are written, and with them, in the same transaction, what partners read and are told.
CREATE FUNCTION create_reported_order(p jsonb) RETURNS TABLE (deposit_index integer, deposit_address text) LANGUAGE plpgsql AS $$
DECLARE
  r jsonb := p -> 'report';
  v_row integrator_order;
BEGIN
  RETURN QUERY SELECT * FROM create_order(p);
  IF NOT FOUND OR p ->> 'integrationId' IS NULL THEN
    RETURN;
  END IF;
  INSERT INTO integrator_order (order_id, integration_id, created_at, day, shard, is_attributed, status, fee_status, fee_asset,
                                fee_atoms, fee_usd, volume_usd, from_symbol, to_symbol)
  VALUES (p ->> 'id', p ->> 'integrationId', (p ->> 'createdAt')::bigint, ((p ->> 'createdAt')::bigint / 86400000)::integer,
          shard_of(p ->> 'id'), p ->> 'endUserHash' IS NOT NULL, r ->> 'status', r ->> 'feeStatus', r ->> 'feeAsset',
          (r ->> 'feeAtoms')::numeric, (r ->> 'feeUsd')::numeric, 0, r ->> 'fromSymbol', r ->> 'toSymbol')
  RETURNING * INTO v_row;
  IF v_row.is_attributed THEN
    PERFORM count_client(v_row.integration_id, p ->> 'endUserHash', v_row.day, v_row.shard);
  END IF;
  PERFORM tell_order(v_row.order_id, p -> 'news', 0, (p -> 'doc') || '{"payments": []}', v_row.created_at);
  PERFORM count_order(v_row, 1);
END $$;

CREATE FUNCTION commit_reported_step(p jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_result text := commit_step(p);
BEGIN
  IF v_result = 'ok' AND p ? 'report' THEN
    PERFORM tell_order(p ->> 'owner', p -> 'news', (p -> 'order' ->> 'version')::integer, p -> 'told', (p ->> 'at')::bigint);
    PERFORM report_order(p ->> 'owner', p -> 'report');
  END IF;
  RETURN v_result;
END $$;

-- What one attempt came to. An endpoint that took nothing for days gets nothing more until somebody says so, and a case tells of it.
CREATE FUNCTION webhook_attempted(p_delivery bigint, p_attempt jsonb, p_state text, p_due bigint, p_at bigint, p_cases jsonb) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_webhook text;
  v_integration text;
BEGIN
  UPDATE webhook_delivery SET state = p_state, due_at = coalesce(p_due, due_at), tries = tries + 1,
    began_at = coalesce(began_at, (p_attempt ->> 'at')::bigint), attempts = attempts || jsonb_build_array(p_attempt)
  WHERE id = p_delivery RETURNING webhook_id INTO v_webhook;
  IF p_state <> 'failed' THEN
    RETURN;
  END IF;
  UPDATE webhook SET status = 'disabled' WHERE id = v_webhook AND status = 'active' AND deleted_at IS NULL
  RETURNING integration_id INTO v_integration;
  IF FOUND THEN
    PERFORM record_change(v_integration, 'service', 'webhook.disabled', jsonb_build_object('webhookId', v_webhook), p_at);
    PERFORM raise_cases(v_integration, p_cases, p_at);
  END IF;
END $$;

CREATE FUNCTION change_webhook(p_integration text, p_webhook text, w jsonb, p_action text, p_actor text, p_at bigint)
RETURNS SETOF webhook LANGUAGE plpgsql AS $$
BEGIN
  UPDATE webhook SET
    url = coalesce(w ->> 'url', url),
    events = CASE WHEN w ? 'events' THEN (
      CASE WHEN w -> 'events' = 'null' THEN NULL ELSE ARRAY(SELECT jsonb_array_elements_text(w -> 'events')) END) ELSE events END,
    status = coalesce(w ->> 'status', status),
    retired_at = CASE WHEN w ? 'retire' THEN retired_at || p_at ELSE retired_at END,
    deleted_at = CASE WHEN w ? 'delete' THEN p_at ELSE deleted_at END
  WHERE id = p_webhook AND integration_id = p_integration AND deleted_at IS NULL;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  -- What waits for an endpoint that is no more is not sent.
  IF w ? 'delete' THEN
    UPDATE webhook_delivery SET state = 'failed' WHERE webhook_id = p_webhook AND state = 'pending';
  END IF;
  IF w ->> 'status' = 'active' THEN
    UPDATE attention SET closed_at = p_at
    WHERE owner = p_integration AND kind = 'webhook_disabled' AND subject = p_webhook AND closed_at IS NULL;
  END IF;
  PERFORM record_change(p_integration, p_actor, p_action, jsonb_build_object('webhookId', p_webhook) || (w - 'retire' - 'delete'), p_at);
  RETURN QUERY SELECT * FROM webhook WHERE id = p_webhook;
END $$;

CREATE FUNCTION add_webhook(p_id text, p_integration text, p_url text, p_events text[], p_most integer, p_actor text, p_at bigint)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM integration WHERE id = p_integration FOR UPDATE;
  IF (SELECT count(*) FROM webhook WHERE integration_id = p_integration AND deleted_at IS NULL) >= p_most THEN
    RETURN false;
  END IF;
  INSERT INTO webhook (id, integration_id, url, events, status, created_at) VALUES (p_id, p_integration, p_url, p_events, 'active', p_at);
  PERFORM record_change(p_integration, p_actor, 'webhook.created', jsonb_build_object('webhookId', p_id, 'url', p_url), p_at);
  RETURN true;
END $$;

CREATE FUNCTION send_test_message(p_webhook text, p_integration text, p_at bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_id text := new_message_id();
BEGIN
  INSERT INTO webhook_message (id, integration_id, type, at, webhook_id) VALUES (v_id, p_integration, 'webhook.test', p_at, p_webhook);
  -- A line of its own: it waits for nothing.
  INSERT INTO webhook_delivery (webhook_id, message_id, line, seq, state, created_at, due_at)
  VALUES (p_webhook, v_id, v_id, 0, 'pending', p_at, p_at);
  RETURN v_id;
END $$;
