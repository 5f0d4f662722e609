-- Which of the house's own payments to the venue has come there, by the row of the venue's ledger. A row stands for one payment, as a transfer
-- from the venue stands for one withdrawal in `delivery`: what is under way is known one by one.
CREATE TABLE venue_deposit (
  key text PRIMARY KEY,
  payment text NOT NULL UNIQUE REFERENCES payment
);
-- It served the sum of all that came, from whomever, which said nothing of what was under way.
DROP INDEX posting_inflow;

ALTER FUNCTION grant_rights() RENAME TO grant_rights_before_venue_deposits;
CREATE FUNCTION grant_rights() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_left text := grant_rights_before_venue_deposits();
BEGIN
  IF v_left IS NOT NULL THEN
    RETURN v_left;
  END IF;
  GRANT SELECT ON venue_deposit TO wherry_api;
  GRANT SELECT, INSERT ON venue_deposit TO wherry_engine;
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION grant_rights() FROM PUBLIC;
SELECT grant_rights();
