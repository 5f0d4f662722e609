-- What lies on deposit addresses is compared with the chain, page by page and only where the ledger says that something lies.
CREATE INDEX balance_on_deposit_addresses ON balance (asset, (split_part(account, ':', 2)) COLLATE "C")
  WHERE atoms > 0 AND (account LIKE 'deposit:%' OR account LIKE 'deposit-payment:%' OR account LIKE 'left:%');
-- Gas is one account of the ledger; where it lies is told by whose postings moved it there.
CREATE INDEX posting_of_gas ON posting (asset, owner COLLATE "C") WHERE to_account = 'gas' OR from_account = 'gas';

-- What of an asset the chain did not show on deposit addresses, when they were last looked at.
CREATE TABLE deposit_reading (
  asset text PRIMARY KEY,
  missing numeric(78, 0) NOT NULL CHECK (missing >= 0),
  at bigint NOT NULL
);
