-- What the house buys of its own stock: agreed with a provider and noted before it is paid, one at a time for each asset.
CREATE TABLE stock_fill (
  number integer PRIMARY KEY,
  asset text NOT NULL,
  provider text NOT NULL,
  terms jsonb NOT NULL,
  -- Millionths of a dollar when it was agreed.
  usd numeric(78, 0) NOT NULL CHECK (usd > 0),
  state text NOT NULL CHECK (state IN ('open', 'done', 'failed')),
  created_at bigint NOT NULL
);
CREATE UNIQUE INDEX stock_fill_open ON stock_fill (asset) WHERE state = 'open';

ALTER FUNCTION grant_rights() RENAME TO grant_rights_of_solvency;
CREATE FUNCTION grant_rights() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_left text := grant_rights_of_solvency();
BEGIN
  IF v_left IS NOT NULL THEN
    RETURN v_left;
  END IF;
  GRANT SELECT ON stock_fill TO wherry_api;
  GRANT SELECT, INSERT, UPDATE ON stock_fill TO wherry_engine;
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION grant_rights() FROM PUBLIC;
SELECT grant_rights();
