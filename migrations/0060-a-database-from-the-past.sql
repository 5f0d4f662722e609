-- How far this database knows the signer's journal. A database that was restored from the past stands behind it.
CREATE TABLE journal_mark (
  the_one boolean PRIMARY KEY DEFAULT true CHECK (the_one),
  seq bigint NOT NULL,
  hash text NOT NULL,
  -- Why nothing is signed and no order is taken; NULL while journal and database agree.
  held text,
  at bigint NOT NULL
);

-- An address that may have been given to an order which this database has forgotten: watched for ever, given to nobody.
ALTER TABLE deposit_address ADD COLUMN burned_at bigint;
ALTER TABLE deposit_address ADD CONSTRAINT deposit_address_burned_is_free CHECK (burned_at IS NULL OR order_id IS NULL);
DROP INDEX deposit_address_free;
CREATE INDEX deposit_address_free ON deposit_address (space, index) WHERE order_id IS NULL AND burned_at IS NULL;
CREATE INDEX deposit_address_burned ON deposit_address (space, index) WHERE burned_at IS NOT NULL;

-- Bytes that the signer's journal told us of: they may take effect although their payment is not planned here yet.
ALTER TABLE attempt DROP CONSTRAINT attempt_payment_fkey;
-- What those bytes pay, so that nothing else is taken to be paid by them; NULL for bytes that were asked for from here.
ALTER TABLE attempt ADD COLUMN adopted jsonb;
CREATE INDEX attempt_adopted ON attempt (payment) WHERE adopted IS NOT NULL;

-- What the journal signed becomes an attempt here, with its nonce and all that it consumes. Doing it twice changes nothing.
CREATE FUNCTION adopt_attempt(p jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO attempt (chain_id, tx_hash, intent, payment, raw, consumes, cost, created_at, adopted)
  VALUES ((p ->> 'chainId')::bigint, p ->> 'txHash', p ->> 'intent', p ->> 'payment', p ->> 'raw',
          ARRAY(SELECT jsonb_array_elements_text(p -> 'consumes')), (p ->> 'cost')::numeric, (p ->> 'at')::bigint, p -> 'pays')
  ON CONFLICT (chain_id, tx_hash) DO NOTHING;
  INSERT INTO exclusivity (token, intent)
  SELECT token, p ->> 'intent' FROM jsonb_array_elements_text(p -> 'consumes') AS t (token) ON CONFLICT DO NOTHING;
  IF p ->> 'nonce' IS NOT NULL THEN
    INSERT INTO nonce (chain_id, account, nonce, intent)
    VALUES ((p ->> 'chainId')::bigint, p ->> 'account', (p ->> 'nonce')::bigint, p ->> 'intent') ON CONFLICT DO NOTHING;
  END IF;
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
                      destination, destination_binding, refund_to, from_asset, from_coin, doc)
  VALUES (p ->> 'id', 0, p ->> 'generation', p ->> 'product', p ->> 'phase', true, true, p ->> 'sessionHash', p ->> 'integrationId',
          p ->> 'keyId', p ->> 'clientHash', (p ->> 'createdAt')::bigint, (p ->> 'createdAt')::bigint,
          (p ->> 'expiresAt')::bigint, p ->> 'space', taken.index, taken.address, (p ->> 'asked')::numeric,
          (p ->> 'expected')::numeric, 0, p ->> 'destination', p ->> 'destinationBinding', p ->> 'refundTo', p ->> 'fromAsset',
          (p ->> 'fromCoin')::boolean, p -> 'doc');
  INSERT INTO effect (key, owner, kind, lane, body, due_at)
  SELECT e ->> 'key', p ->> 'id', e ->> 'kind', e ->> 'lane', e -> 'body', (e ->> 'due')::bigint
  FROM jsonb_array_elements(p -> 'effects') AS e;
  RETURN QUERY SELECT taken.index, taken.address;
END $$;
