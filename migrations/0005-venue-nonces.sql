-- Trades and payments of the venue's account sign with one key, so their nonces come from one row.
INSERT INTO account_nonce AS a (chain_id, account, next) SELECT 1337, 'hot', last + 1 FROM venue_nonce
ON CONFLICT (chain_id, account) DO UPDATE SET next = greatest(a.next, EXCLUDED.next);
DROP TABLE venue_nonce;
