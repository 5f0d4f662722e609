-- Of what the account showed: what came and was not final yet, and so is not in the ledger. It is no difference between the two.
ALTER TABLE chain_reading ADD COLUMN unfinal numeric(78, 0) NOT NULL DEFAULT 0;
