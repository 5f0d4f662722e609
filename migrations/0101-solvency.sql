-- What the desk holds and owes, as it stood; one row of each asset for every hour, the last of it.

-- The newest block that the scanner had seen when the account was read.
ALTER TABLE chain_reading ADD COLUMN height bigint;

CREATE TABLE solvency (
  hour bigint NOT NULL,
  asset text NOT NULL,
  at bigint NOT NULL,
  height bigint,
  hot numeric(78, 0) NOT NULL,
  deposits numeric(78, 0) NOT NULL,
  gas numeric(78, 0) NOT NULL,
  in_flight numeric(78, 0) NOT NULL,
  providers numeric(78, 0) NOT NULL,
  orders numeric(78, 0) NOT NULL,
  claims numeric(78, 0) NOT NULL,
  payments numeric(78, 0) NOT NULL,
  integrators numeric(78, 0) NOT NULL,
  -- Millionths of a dollar; NULL where nobody names a price.
  surplus_usd numeric(78, 0),
  PRIMARY KEY (hour, asset)
);

ALTER FUNCTION grant_rights() RENAME TO grant_rights_of_breakers;
CREATE FUNCTION grant_rights() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_left text := grant_rights_of_breakers();
BEGIN
  IF v_left IS NOT NULL THEN
    RETURN v_left;
  END IF;
  GRANT SELECT ON solvency TO wherry_api;
  GRANT SELECT, INSERT, UPDATE, DELETE ON solvency TO wherry_engine;
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION grant_rights() FROM PUBLIC;
SELECT grant_rights();
