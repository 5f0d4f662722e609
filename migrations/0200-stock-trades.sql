-- What the house trades on the venue for its own stock: one ticket at a time, saved before it is signed. Its number names it for the signer
-- and the venue, so that a database from the past finds it there.
CREATE TABLE stock_trade (
  number integer PRIMARY KEY,
  asset text NOT NULL,
  cloid text NOT NULL UNIQUE,
  side text NOT NULL,
  size numeric(78, 0) NOT NULL CHECK (size > 0),
  price_limit text NOT NULL,
  nonce bigint NOT NULL UNIQUE,
  expires_after bigint NOT NULL,
  body text,
  -- Millionths of a dollar: what it may trade, and once it is done, what it has traded.
  usd numeric(78, 0) NOT NULL CHECK (usd >= 0),
  state text NOT NULL CHECK (state IN ('open', 'done', 'void')),
  created_at bigint NOT NULL
);
CREATE UNIQUE INDEX stock_trade_open ON stock_trade ((true)) WHERE state = 'open';
CREATE INDEX stock_trade_by_time ON stock_trade (created_at);

ALTER FUNCTION grant_rights() RENAME TO grant_rights_before_stock_trades;
CREATE FUNCTION grant_rights() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_left text := grant_rights_before_stock_trades();
BEGIN
  IF v_left IS NOT NULL THEN
    RETURN v_left;
  END IF;
  GRANT SELECT ON stock_trade TO wherry_api;
  GRANT SELECT, INSERT, UPDATE ON stock_trade TO wherry_engine;
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION grant_rights() FROM PUBLIC;
SELECT grant_rights();
