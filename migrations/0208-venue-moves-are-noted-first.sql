-- A move on the venue is noted and its money set apart before anything of it is signed: until then it has no bytes.
ALTER TABLE venue_move ALTER COLUMN body DROP NOT NULL;
-- Closed without having happened: nothing was signed, the venue can take it no more, or a person has given it up.
ALTER TABLE venue_move ADD COLUMN is_dead boolean NOT NULL DEFAULT false;

-- Up to when the venue's ledger has been taken over; a process that starts reads on from a little before.
CREATE TABLE venue_look (
  the_one boolean PRIMARY KEY DEFAULT true CHECK (the_one),
  at bigint NOT NULL
);

ALTER FUNCTION grant_rights() RENAME TO grant_rights_before_venue_looks;
CREATE FUNCTION grant_rights() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_left text := grant_rights_before_venue_looks();
BEGIN
  IF v_left IS NOT NULL THEN
    RETURN v_left;
  END IF;
  GRANT SELECT ON venue_look TO wherry_api;
  GRANT SELECT, INSERT, UPDATE ON venue_look TO wherry_engine;
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION grant_rights() FROM PUBLIC;
SELECT grant_rights();
