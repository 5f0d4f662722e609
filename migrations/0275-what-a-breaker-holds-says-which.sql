-- What is not carried out because a breaker is open is in no trouble, but whoever looks at its order must see why it stands.
ALTER TABLE effect ADD COLUMN held_by text;
