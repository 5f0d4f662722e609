-- What lies in cold stores counts as held, beside what the chains and the venue show.
ALTER TABLE solvency ADD COLUMN cold numeric(78, 0) NOT NULL DEFAULT 0;
