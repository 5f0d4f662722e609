-- A receiver that is silent, or has thousands of messages to come, waits for itself alone.

-- The last attempt was not taken: until one is, it is tried with one message at a time.
ALTER TABLE webhook ADD COLUMN is_failing boolean NOT NULL DEFAULT false;

-- In the order in which they are taken, so that the first few are found without looking at the rest.
DROP INDEX webhook_delivery_due;
CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook_id, due_at, id) WHERE state = 'pending';

-- What one attempt came to. An endpoint that took nothing for days gets nothing more until somebody says so, and a case tells of it.
CREATE OR REPLACE FUNCTION webhook_attempted(p_delivery bigint, p_attempt jsonb, p_state text, p_due bigint, p_at bigint, p_cases jsonb)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_delivery webhook_delivery;
  v_integration text;
BEGIN
  UPDATE webhook_delivery SET state = p_state, due_at = coalesce(p_due, due_at), tries = tries + 1,
    began_at = coalesce(began_at, (p_attempt ->> 'at')::bigint), attempts = attempts || jsonb_build_array(p_attempt)
  WHERE id = p_delivery RETURNING * INTO v_delivery;
  UPDATE webhook SET is_failing = p_state <> 'delivered' WHERE id = v_delivery.webhook_id AND is_failing <> (p_state <> 'delivered');
  IF p_state = 'pending' THEN
    RETURN;
  END IF;
  -- The next of its line may have been put off until this one was due again.
  UPDATE webhook_delivery SET due_at = least(due_at, p_at) WHERE id = (
    SELECT id FROM webhook_delivery WHERE webhook_id = v_delivery.webhook_id AND line = v_delivery.line AND state = 'pending'
    ORDER BY seq LIMIT 1);
  IF p_state <> 'failed' THEN
    RETURN;
  END IF;
  UPDATE webhook SET status = 'disabled' WHERE id = v_delivery.webhook_id AND status = 'active' AND deleted_at IS NULL
  RETURNING integration_id INTO v_integration;
  IF FOUND THEN
    PERFORM record_change(v_integration, 'service', 'webhook.disabled', jsonb_build_object('webhookId', v_delivery.webhook_id), p_at);
    PERFORM raise_cases(v_integration, p_cases, p_at);
  END IF;
END $$;

-- Whatever waits for a message that is not due yet is put off until that one is, some hundred for each endpoint at a time: nobody looks
-- again and again at thousands that cannot go.
CREATE FUNCTION put_off_deliveries(p_now bigint) RETURNS void LANGUAGE sql AS $$
  UPDATE webhook_delivery AS late SET due_at = ahead.due_at
  FROM webhook AS w CROSS JOIN LATERAL (
      SELECT id, line, seq FROM webhook_delivery WHERE webhook_id = w.id AND state = 'pending' AND due_at <= p_now
      ORDER BY due_at, id LIMIT 256) AS due
    CROSS JOIN LATERAL (
      SELECT due_at FROM webhook_delivery WHERE webhook_id = w.id AND line = due.line AND seq < due.seq AND state = 'pending'
      ORDER BY seq LIMIT 1) AS ahead
  WHERE w.is_failing AND w.status = 'active' AND w.deleted_at IS NULL AND ahead.due_at > p_now AND late.id = due.id
$$;
