-- Instructions in trouble are tried again and again: where one chain is down for thousands of orders, they must not stand before those of
-- all others. And a hot account signs for thousands, one at a time: whoever looks for work asks each such account for the one whose turn it
-- is, and does not go through all that wait behind it.
DROP INDEX effect_due;
DROP INDEX effect_troubled;
DROP INDEX effect_lane;
CREATE INDEX effect_hot ON effect (lane, turn, seq) WHERE (lane LIKE '%:hot') IS TRUE AND claimed_by IS NULL;
CREATE INDEX effect_lane ON effect (lane, turn, seq) WHERE (lane LIKE '%:hot') IS NOT TRUE AND lane IS NOT NULL AND claimed_by IS NULL;
CREATE INDEX effect_well ON effect (due_at, seq) WHERE (lane LIKE '%:hot') IS NOT TRUE AND trouble IS NULL AND claimed_by IS NULL;
CREATE INDEX effect_troubled ON effect (due_at, seq) WHERE trouble IS NOT NULL AND claimed_by IS NULL;

-- Nobody works for this account, and it is this instruction's turn.
CREATE FUNCTION has_turn(p_lane text, p_key text, p_now bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (SELECT 1 FROM effect WHERE lane = p_lane AND claimed_by IS NOT NULL)
    AND p_key = (SELECT key FROM effect WHERE lane = p_lane AND (lane LIKE '%:hot') IS NOT TRUE AND claimed_by IS NULL AND due_at <= p_now
                 ORDER BY turn, seq LIMIT 1)
$$;

-- What a worker takes: of each hot account that nobody works on the one whose turn it is, then what is well, then what is in trouble, the oldest
-- first. Of each sort one comes along where the others left no room, so that none waits for ever; of what is in trouble never more than
-- `p_troubled`. Any other account gives out the one whose turn it is, too, and hardly ever has more than
-- one. It is planned once, for planning takes longer than doing, and there is one way to each.
CREATE FUNCTION claim_effects(p_worker bigint, p_now bigint, p_most bigint, p_troubled bigint)
RETURNS TABLE (key text, owner text, body jsonb, tries integer, troubled_since bigint)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
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
END $$;
