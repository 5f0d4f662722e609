-- Breakers that the desk opens by itself, and what it goes by.

-- Who changed it last, a person or the desk; and the figures, where it was the desk.
ALTER TABLE breaker
  ADD COLUMN changed_by text NOT NULL DEFAULT 'operator',
  ADD COLUMN figures jsonb;

-- What a breaker was opened for, until it is gone: after a person closed the breaker, the same excess does not open it again.
CREATE TABLE trip (
  name text PRIMARY KEY,
  scope text NOT NULL,
  level numeric(78, 0) NOT NULL,
  at bigint NOT NULL
);

-- Requests that contradict what the signer knows, each counted once however often it is made.
CREATE TABLE signer_refusal (
  intent text NOT NULL,
  refused text NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (intent, refused)
);

-- What the last hour and the last day cost: rows come in the order of time, so that a coarse index finds them.
CREATE INDEX posting_by_time ON posting USING brin (at);

-- What a provider delivered comes to the treasury first, and is passed on.
CREATE INDEX delivery_by_order ON delivery (split_part(deal, ':', 1));

-- The breaker, what it opened for and the case are one step. One that is open already keeps its reason. True where it was opened now.
CREATE FUNCTION trip_breaker(p jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_at bigint := (p ->> 'at')::bigint;
  v_opened boolean;
BEGIN
  INSERT INTO trip (name, scope, level, at) VALUES (p ->> 'name', p ->> 'scope', (p ->> 'level')::numeric, v_at)
  ON CONFLICT (name) DO UPDATE SET scope = excluded.scope, level = excluded.level, at = excluded.at;
  INSERT INTO breaker AS b (scope, open, reason, changed_at, changed_by, figures)
  VALUES (p ->> 'scope', true, p ->> 'reason', v_at, p ->> 'by', p -> 'figures')
  ON CONFLICT (scope) DO UPDATE
  SET open = true, reason = excluded.reason, changed_at = excluded.changed_at, changed_by = excluded.changed_by, figures = excluded.figures
  WHERE NOT b.open;
  v_opened := FOUND;
  PERFORM raise_cases('treasury', p -> 'cases', v_at);
  RETURN v_opened;
END $$;

-- The rights of what came since they were first given out.
ALTER FUNCTION grant_rights() RENAME TO grant_first_rights;
CREATE FUNCTION grant_rights() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_left text := grant_first_rights();
BEGIN
  IF v_left IS NOT NULL THEN
    RETURN v_left;
  END IF;
  GRANT SELECT ON trip, signer_refusal TO wherry_api;
  GRANT SELECT, INSERT, UPDATE, DELETE ON trip TO wherry_engine;
  GRANT SELECT, INSERT ON signer_refusal TO wherry_engine;
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION grant_rights() FROM PUBLIC;

-- Where there are no groups, it was said when they could first not be made.
SELECT grant_rights();
