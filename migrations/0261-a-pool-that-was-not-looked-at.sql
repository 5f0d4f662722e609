-- A page that did not look at the whole pool names none. Then what waited still waits, and what a reorganisation took waits as well, since it
-- may be in what was not looked at: a later page, which has looked, says what has vanished. All else of the function is as it was.
CREATE OR REPLACE FUNCTION save_page(p jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_chain bigint := (p ->> 'chainId')::bigint;
  v_keys text[] := ARRAY(SELECT s ->> 'key' FROM jsonb_array_elements(p -> 'sightings') AS s);
  v_rewound_to bigint := (p ->> 'rewoundTo')::bigint;
  v_looked boolean := p ? 'pool';
  v_firsts text[] := ARRAY(SELECT left(k, -1) FROM unnest(v_keys) AS k WHERE k LIKE '%+');
  v_alone text[];
BEGIN
  INSERT INTO scan_cursor AS c (chain_id, cursor, heads, at)
  VALUES (v_chain, p -> 'cursor', p -> 'heads', (p ->> 'at')::bigint)
  ON CONFLICT (chain_id) DO UPDATE SET cursor = EXCLUDED.cursor, heads = EXCLUDED.heads, at = EXCLUDED.at
  WHERE c.cursor = p -> 'after';
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  UPDATE sighting SET state = CASE WHEN v_looked THEN 'gone' ELSE 'pool' END, height = NULL, block_hash = NULL, credited = 0, changed = true
  WHERE chain_id = v_chain AND key <> ALL (v_keys)
    AND (height > v_rewound_to
      OR (v_looked AND state = 'pool' AND key <> ALL (ARRAY(SELECT jsonb_array_elements_text(p -> 'pool')))));
  v_alone := ARRAY(SELECT block_hash || key || '+' FROM sighting WHERE chain_id = v_chain AND key = ANY (v_firsts) AND block_hash IS NOT NULL);
  INSERT INTO sighting (chain_id, key, space, address, asset, atoms, tx_hash, height, block_hash, sender, first_seen_at, state)
  SELECT v_chain, s ->> 'key', p ->> 'space', s ->> 'address', s ->> 'asset', (s ->> 'atoms')::numeric, s ->> 'txHash',
         (s ->> 'height')::bigint, s ->> 'blockHash', s ->> 'sender', (p ->> 'at')::bigint,
         CASE WHEN s ->> 'height' IS NULL THEN 'pool' ELSE 'mined' END
  FROM jsonb_array_elements(p -> 'sightings') AS s
  WHERE s ->> 'height' IS NULL OR (s ->> 'blockHash') || (s ->> 'key') <> ALL (v_alone)
  ON CONFLICT (chain_id, key) DO UPDATE
  SET height = EXCLUDED.height, block_hash = EXCLUDED.block_hash, state = EXCLUDED.state, sender = EXCLUDED.sender,
      atoms = EXCLUDED.atoms, tx_hash = EXCLUDED.tx_hash, credited = 0, changed = true
  WHERE (sighting.state, sighting.block_hash) IS DISTINCT FROM (EXCLUDED.state, EXCLUDED.block_hash)
    AND (sighting.state IN ('pool', 'gone')
      OR (sighting.height > v_rewound_to AND sighting.block_hash IS DISTINCT FROM EXCLUDED.block_hash));
  RETURN true;
END $$;
