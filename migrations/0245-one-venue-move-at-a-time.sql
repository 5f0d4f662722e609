-- One move of the house's own is under way at a time, also where two engines both take themselves for the leader. What the signer's journal alone
-- knew is exempt: its bytes exist, however many there are.
ALTER TABLE venue_move ADD COLUMN is_adopted boolean NOT NULL DEFAULT false;
UPDATE venue_move SET is_adopted = true WHERE settled_at IS NULL;
CREATE UNIQUE INDEX venue_move_one ON venue_move ((true)) WHERE settled_at IS NULL AND NOT is_adopted;
