-- Providers are paid by an intent of their own kind.
ALTER TABLE intent DROP CONSTRAINT intent_kind_check;
ALTER TABLE intent ADD CONSTRAINT intent_kind_check
  CHECK (kind IN ('payout', 'refund', 'fee', 'fund', 'gas', 'sweep', 'rebalance'));

-- What came to a hot account settles one deal with a provider at most, and a deal is settled once.
CREATE TABLE delivery (
  chain_id bigint NOT NULL,
  key text NOT NULL,
  deal text NOT NULL UNIQUE,
  PRIMARY KEY (chain_id, key),
  FOREIGN KEY (chain_id, key) REFERENCES sighting (chain_id, key)
);

-- Blocks, matches and the cursor move together, from the cursor that the page was read after: a scanner that was overtaken saves
-- nothing. What a reorganisation or the pool took away is marked, never deleted; what comes back may have another amount.
CREATE FUNCTION save_page(p jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_chain bigint := (p ->> 'chainId')::bigint;
  v_keys text[] := ARRAY(SELECT s ->> 'key' FROM jsonb_array_elements(p -> 'sightings') AS s);
BEGIN
  INSERT INTO scan_cursor AS c (chain_id, cursor, heads, at)
  VALUES (v_chain, p -> 'cursor', p -> 'heads', (p ->> 'at')::bigint)
  ON CONFLICT (chain_id) DO UPDATE SET cursor = EXCLUDED.cursor, heads = EXCLUDED.heads, at = EXCLUDED.at
  WHERE c.cursor = p -> 'after';
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  UPDATE sighting SET state = 'gone', height = NULL, block_hash = NULL, credited = 0, changed = true
  WHERE chain_id = v_chain AND key <> ALL (v_keys)
    AND (height > (p ->> 'rewoundTo')::bigint
      OR (state = 'pool' AND key <> ALL (ARRAY(SELECT jsonb_array_elements_text(p -> 'pool')))));
  INSERT INTO sighting (chain_id, key, space, address, asset, atoms, tx_hash, height, block_hash, sender, first_seen_at, state)
  SELECT v_chain, s ->> 'key', p ->> 'space', s ->> 'address', s ->> 'asset', (s ->> 'atoms')::numeric, s ->> 'txHash',
         (s ->> 'height')::bigint, s ->> 'blockHash', s ->> 'sender', (p ->> 'at')::bigint,
         CASE WHEN s ->> 'height' IS NULL THEN 'pool' ELSE 'mined' END
  FROM jsonb_array_elements(p -> 'sightings') AS s
  ON CONFLICT (chain_id, key) DO UPDATE
  SET height = EXCLUDED.height, block_hash = EXCLUDED.block_hash, state = EXCLUDED.state, sender = EXCLUDED.sender,
      atoms = EXCLUDED.atoms, credited = 0, changed = true
  WHERE (sighting.state, sighting.block_hash) IS DISTINCT FROM (EXCLUDED.state, EXCLUDED.block_hash)
    AND NOT (sighting.state = 'final' AND sighting.block_hash = EXCLUDED.block_hash)
    AND NOT (sighting.state IN ('mined', 'final') AND EXCLUDED.state = 'pool');
  RETURN true;
END $$;
DROP FUNCTION save_scan(jsonb);
