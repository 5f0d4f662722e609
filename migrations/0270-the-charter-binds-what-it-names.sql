-- Addresses that are given with an order are named by its charter: they have no binding of their own any more.
CREATE OR REPLACE FUNCTION keep_promises() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.generation, NEW.session_hash, NEW.created_at, NEW.deposit_space, NEW.deposit_index, NEW.deposit_address,
      NEW.asked, NEW.destination)
     IS DISTINCT FROM
     (OLD.id, OLD.generation, OLD.session_hash, OLD.created_at, OLD.deposit_space, OLD.deposit_index, OLD.deposit_address,
      OLD.asked, OLD.destination)
    OR (OLD.replacement IS NOT NULL AND NEW.replacement IS DISTINCT FROM OLD.replacement)
    OR (OLD.refund_to IS NOT NULL AND NEW.refund_to IS DISTINCT FROM OLD.refund_to)
  THEN
    RAISE EXCEPTION 'order %: a write-once field was to change', OLD.id USING ERRCODE = 'WH001';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION create_order(p jsonb) RETURNS TABLE (deposit_index integer, deposit_address text) LANGUAGE plpgsql AS $$
DECLARE
  taken record;
BEGIN
  UPDATE deposit_address AS a SET order_id = p ->> 'id'
  WHERE (a.space, a.index) = (
    SELECT f.space, f.index FROM deposit_address AS f
    WHERE f.space = p ->> 'space' AND f.order_id IS NULL AND f.burned_at IS NULL
    ORDER BY f.index LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING a.index, a.address INTO taken;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  INSERT INTO orders (id, version, generation, product, phase, is_open, is_busy, session_hash, integration_id, key_id, client_hash,
                      created_at, updated_at, expires_at, deposit_space, deposit_index, deposit_address, asked, expected, observed,
                      destination, refund_to, from_asset, from_coin, doc)
  VALUES (p ->> 'id', 0, p ->> 'generation', p ->> 'product', p ->> 'phase', true, true, p ->> 'sessionHash', p ->> 'integrationId',
          p ->> 'keyId', p ->> 'clientHash', (p ->> 'createdAt')::bigint, (p ->> 'createdAt')::bigint,
          (p ->> 'expiresAt')::bigint, p ->> 'space', taken.index, taken.address, (p ->> 'asked')::numeric,
          (p ->> 'expected')::numeric, 0, p ->> 'destination', p ->> 'refundTo', p ->> 'fromAsset',
          (p ->> 'fromCoin')::boolean, p -> 'doc');
  INSERT INTO effect (key, owner, kind, lane, body, due_at)
  SELECT e ->> 'key', p ->> 'id', e ->> 'kind', e ->> 'lane', e -> 'body', (e ->> 'due')::bigint
  FROM jsonb_array_elements(p -> 'effects') AS e;
  RETURN QUERY SELECT taken.index, taken.address;
END $$;

ALTER TABLE orders DROP COLUMN destination_binding;
