-- Instructions of one signing account have their turn in this order, and by `seq` where it is the same. What nobody waits for has a later
-- turn than its time: what falls due meanwhile goes first.
ALTER TABLE effect ADD COLUMN turn bigint;
UPDATE effect SET turn = due_at WHERE lane IS NOT NULL;
ALTER TABLE effect ADD CONSTRAINT effect_in_a_lane_has_a_turn CHECK ((lane IS NULL) = (turn IS NULL));
DROP INDEX effect_lane;
CREATE INDEX effect_lane ON effect (lane, turn, seq) WHERE lane IS NOT NULL AND claimed_by IS NULL;

CREATE OR REPLACE FUNCTION add_step_effects(p_steps jsonb[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO effect (key, owner, kind, lane, turn, body, due_at)
  SELECT e ->> 'key', s ->> 'owner', e ->> 'kind', e ->> 'lane', (e ->> 'turn')::bigint, e -> 'body', (e ->> 'due')::bigint
  FROM unnest(p_steps) WITH ORDINALITY AS steps (s, n), jsonb_array_elements(s -> 'effects') WITH ORDINALITY AS effects (e, m)
  ORDER BY n, m
  ON CONFLICT (key) DO NOTHING;
  IF FOUND THEN
    PERFORM pg_notify('wherry_effect', '');
  END IF;
END $$;
