-- The other texts under which a deposit address can be paid, where its chain has them: whoever names one of them as his destination
-- names an address of ours. They are written with the address; of what is older an engine writes them down when it starts.
CREATE TABLE deposit_spelling (
  space text NOT NULL,
  spelling text NOT NULL,
  index integer NOT NULL,
  PRIMARY KEY (space, spelling)
);
CREATE INDEX deposit_spelling_of ON deposit_spelling (space, index);

ALTER FUNCTION grant_rights() RENAME TO grant_rights_before_spellings;
CREATE FUNCTION grant_rights() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_left text := grant_rights_before_spellings();
BEGIN
  IF v_left IS NOT NULL THEN
    RETURN v_left;
  END IF;
  GRANT SELECT ON deposit_spelling TO wherry_api;
  GRANT SELECT, INSERT ON deposit_spelling TO wherry_engine;
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION grant_rights() FROM PUBLIC;
SELECT grant_rights();
