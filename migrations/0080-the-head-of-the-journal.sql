-- The newest bytes that were saved here are shown to the signer, so that a journal which was shortened after the mark is noticed.
CREATE INDEX attempt_newest ON attempt (seq);
-- Attempts up to this one were signed before a new journal was begun: it does not have them.
ALTER TABLE journal_mark ADD COLUMN after_attempt bigint NOT NULL DEFAULT 0;
-- Why the signer cannot write its journal, and so signs nothing; NULL while it can.
ALTER TABLE journal_mark ADD COLUMN unwritable text;

-- A person wants to begin a new journal. What may still take effect by the old one alone is given back, and keeps it from
-- beginning unless that person says otherwise.
CREATE FUNCTION begin_journal(p_hash text, p_at bigint, p_despite boolean) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY
    SELECT id FROM payment WHERE NOT is_settled
    UNION ALL SELECT 'venue move ' || nonce FROM venue_move WHERE settled_at IS NULL;
  IF FOUND AND NOT p_despite THEN
    RETURN;
  END IF;
  INSERT INTO journal_mark (seq, hash, at, after_attempt)
  VALUES (0, p_hash, p_at, (SELECT coalesce(max(seq), 0) FROM attempt))
  ON CONFLICT (the_one) DO UPDATE
    SET seq = 0, hash = excluded.hash, at = excluded.at, after_attempt = excluded.after_attempt, held = NULL, unwritable = NULL;
END $$;
