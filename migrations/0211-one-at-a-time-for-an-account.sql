-- Of an account one instruction is carried out at a time, and the database itself sees to it: two who look in the same moment do not see what the other
-- takes, and each would take another one of the same account.
UPDATE effect SET claimed_by = NULL WHERE claimed_by IS NOT NULL AND seq NOT IN (
  SELECT min(seq) FROM effect WHERE claimed_by IS NOT NULL AND lane IS NOT NULL GROUP BY lane) AND lane IS NOT NULL;
CREATE UNIQUE INDEX effect_in_work ON effect (lane) WHERE claimed_by IS NOT NULL AND lane IS NOT NULL;

-- As before; whoever comes second looks again, and sees what was taken. Nothing has been given out by then: what is claimed is sorted first.
CREATE OR REPLACE FUNCTION claim_effects(p_worker bigint, p_now bigint, p_most bigint, p_troubled bigint)
RETURNS TABLE (key text, owner text, body jsonb, tries integer, troubled_since bigint)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
  FOR looks IN 1 .. 3 LOOP
    BEGIN
      RETURN QUERY WITH RECURSIVE hot (lane) AS (
        (SELECT lane FROM effect WHERE (lane LIKE '%:hot') IS TRUE AND claimed_by IS NULL ORDER BY lane LIMIT 1)
        UNION ALL
        SELECT (SELECT e.lane FROM effect AS e WHERE (e.lane LIKE '%:hot') IS TRUE AND e.claimed_by IS NULL AND e.lane > hot.lane ORDER BY e.lane LIMIT 1)
        FROM hot WHERE hot.lane IS NOT NULL),
      signing AS (
        SELECT key FROM effect
        WHERE claimed_by IS NULL AND key = ANY (ARRAY(
          SELECT (SELECT e.key FROM effect AS e WHERE e.lane = hot.lane AND (e.lane LIKE '%:hot') IS TRUE AND e.claimed_by IS NULL AND e.due_at <= p_now
                  ORDER BY e.turn, e.seq LIMIT 1)
          FROM hot WHERE NOT EXISTS (SELECT 1 FROM effect AS busy WHERE busy.lane = hot.lane AND busy.claimed_by IS NOT NULL)))
        ORDER BY due_at, seq LIMIT p_most FOR UPDATE SKIP LOCKED),
      well AS (
        SELECT key FROM effect
        WHERE (lane LIKE '%:hot') IS NOT TRUE AND trouble IS NULL AND claimed_by IS NULL AND due_at <= p_now AND (lane IS NULL OR has_turn(lane, key, p_now))
        ORDER BY due_at, seq LIMIT greatest(p_most - (SELECT count(*) FROM signing), 1) FOR UPDATE SKIP LOCKED),
      troubled AS (
        SELECT key FROM effect
        WHERE (lane LIKE '%:hot') IS NOT TRUE AND trouble IS NOT NULL AND claimed_by IS NULL AND due_at <= p_now AND (lane IS NULL OR has_turn(lane, key, p_now))
        ORDER BY due_at, seq LIMIT least(greatest(p_most - (SELECT count(*) FROM signing) - (SELECT count(*) FROM well), 1), p_troubled)
        FOR UPDATE SKIP LOCKED),
      claimed AS (
        UPDATE effect SET claimed_by = p_worker, tries = effect.tries + 1
        FROM (SELECT key FROM signing UNION ALL SELECT key FROM well UNION ALL SELECT key FROM troubled) AS picked
        WHERE effect.key = picked.key RETURNING effect.*)
      SELECT key, owner, body, tries, troubled_since FROM claimed ORDER BY due_at, seq;
      RETURN;
    EXCEPTION WHEN unique_violation OR deadlock_detected THEN
      NULL;
    END;
  END LOOP;
END $$;
