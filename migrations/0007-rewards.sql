-- A mining reward paid to a deposit address: it came, and cannot be carried out.
ALTER TABLE sighting ADD COLUMN is_reward boolean NOT NULL DEFAULT false;
