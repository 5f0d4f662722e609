-- An engine that has asked the chain about a deposit seals what it found with a key that is not in the database. What claims to be
-- final without a seal was written by somebody else, and is proven against the chain before anything is told of it.
ALTER TABLE sighting ADD COLUMN seal text;
