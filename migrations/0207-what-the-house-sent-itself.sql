-- What comes from the venue to our own hot account is found among the withdrawals by its amount.
CREATE INDEX venue_move_withdrawn ON venue_move (atoms) WHERE kind = 'withdraw';
