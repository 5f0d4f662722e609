-- A chain without blocks tells what came to an account from what is in it. Where a database from the past does not know that something came, and the
-- signer has sent it on since, the account is empty and tells nothing: it is asked for its history all the same.
ALTER TABLE deposit_address ADD COLUMN emptied_at bigint;
