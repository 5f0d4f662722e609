-- What is on its way between the hot account and the venue counts from when it left, however long it waited before that.
CREATE INDEX posting_of_rebalance ON posting (at) WHERE from_account LIKE 'payment:treasury:rebalance:%';
CREATE INDEX venue_move_by_end ON venue_move (asset, settled_at);
DROP INDEX venue_move_by_time;
