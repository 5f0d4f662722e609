-- What comes from the venue to our own hot account is found among the withdrawals by its amount.
CREATE INDEX venue_move_withdrawn ON venue_move (atoms) WHERE kind = 'withdraw';

-- Its provider has given the purchase up before it was paid: no payment for it is signed any more.
ALTER TABLE stock_fill ADD COLUMN is_withdrawn boolean NOT NULL DEFAULT false;
