-- A nonce that was handed out to a payment for which nothing was ever signed, while later ones are in use: the next payment of its
-- account takes it. Left alone, everything after it would wait for ever.
CREATE TABLE free_nonce (
  chain_id bigint NOT NULL,
  account text NOT NULL,
  nonce bigint NOT NULL,
  PRIMARY KEY (chain_id, account, nonce)
);

ALTER FUNCTION grant_rights() RENAME TO grant_rights_before_free_nonces;
CREATE FUNCTION grant_rights() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_left text := grant_rights_before_free_nonces();
BEGIN
  IF v_left IS NOT NULL THEN
    RETURN v_left;
  END IF;
  GRANT SELECT ON free_nonce TO wherry_api;
  GRANT SELECT, INSERT, UPDATE, DELETE ON free_nonce TO wherry_engine;
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION grant_rights() FROM PUBLIC;
SELECT grant_rights();
