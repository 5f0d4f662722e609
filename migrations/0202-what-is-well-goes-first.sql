-- Instructions in trouble are tried again and again: where one chain is down for thousands of orders, they must not stand before those of
-- all others. And a hot account signs for thousands, one at a time: whoever looks for work asks each such account for the one whose turn it
-- is, and does not go through all that wait behind it.
DROP INDEX effect_due;
DROP INDEX effect_troubled;
DROP INDEX effect_lane;
CREATE INDEX effect_hot ON effect (lane, turn, seq) WHERE (lane LIKE '%:hot') IS TRUE AND claimed_by IS NULL;
CREATE INDEX effect_lane ON effect (lane, turn, seq) WHERE (lane LIKE '%:hot') IS NOT TRUE AND lane IS NOT NULL AND claimed_by IS NULL;
CREATE INDEX effect_well ON effect (due_at, seq) WHERE (lane LIKE '%:hot') IS NOT TRUE AND trouble IS NULL AND claimed_by IS NULL;
CREATE INDEX effect_troubled ON effect (due_at, seq) WHERE trouble IS NOT NULL AND claimed_by IS NULL;
