-- A message that its receiver asked for again while it was being sent is sent again, whatever came of that attempt: the attempt says when
-- what it carried out was due, and a resend says another time.
DROP FUNCTION webhook_attempted(bigint, jsonb, text, bigint, bigint, jsonb);
CREATE FUNCTION webhook_attempted(p_delivery bigint, p_was_due bigint, p_attempt jsonb, p_state text, p_due bigint, p_at bigint, p_cases jsonb)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_delivery webhook_delivery;
  v_integration text;
BEGIN
  UPDATE webhook_delivery SET attempts = attempts || jsonb_build_array(p_attempt) WHERE id = p_delivery;
  UPDATE webhook_delivery SET state = p_state, due_at = coalesce(p_due, due_at), tries = tries + 1,
    began_at = coalesce(began_at, (p_attempt ->> 'at')::bigint)
  WHERE id = p_delivery AND due_at = p_was_due RETURNING * INTO v_delivery;
  UPDATE webhook SET is_failing = p_state <> 'delivered'
  WHERE id = (SELECT webhook_id FROM webhook_delivery WHERE id = p_delivery) AND is_failing <> (p_state <> 'delivered');
  IF v_delivery.state IS NULL OR v_delivery.state = 'pending' THEN
    RETURN;
  END IF;
  -- The next of its line may have been put off until this one was due again.
  UPDATE webhook_delivery SET due_at = least(due_at, p_at) WHERE id = (
    SELECT id FROM webhook_delivery WHERE webhook_id = v_delivery.webhook_id AND line = v_delivery.line AND state = 'pending'
    ORDER BY seq LIMIT 1);
  IF p_state = 'delivered' THEN
    RETURN;
  END IF;
  UPDATE webhook SET status = 'disabled' WHERE id = v_delivery.webhook_id AND status = 'active' AND deleted_at IS NULL
  RETURNING integration_id INTO v_integration;
  IF FOUND THEN
    PERFORM record_change(v_integration, 'service', 'webhook.disabled', jsonb_build_object('webhookId', v_delivery.webhook_id), p_at);
    PERFORM raise_cases(v_integration, p_cases, p_at);
  END IF;
END $$;
