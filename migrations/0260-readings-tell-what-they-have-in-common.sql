-- What successive readings of a hot account differed by from the ledger in common, and how many they are: what is under way makes them differ for a
-- moment, each time by something else, and whoever is shown that cannot tell it from money that is gone.
ALTER TABLE chain_reading
  ADD COLUMN apart numeric(78, 0) NOT NULL DEFAULT 0,
  ADD COLUMN apart_for integer NOT NULL DEFAULT 0;
