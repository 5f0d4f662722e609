-- Both tables are a queue: many rows now and none in a moment, so that what the planner knows of them is never true for long. There must be one
-- way to what is asked for, whatever it believes.

-- Of many that are due at one moment the first few are taken without sorting all.
DROP INDEX effect_due;
CREATE INDEX effect_due ON effect (due_at, seq) WHERE claimed_by IS NULL;

-- Whoever asked for the figures of one partner went through what was queued for all others, or for nobody any more.
ALTER TABLE integrator_change DROP CONSTRAINT integrator_change_pkey;
DROP INDEX integrator_change_by_integration;
ALTER TABLE integrator_change ADD PRIMARY KEY (integration_id, id);
ALTER FUNCTION integration_figures(text, integer, integer, integer) SET enable_seqscan = off;
ALTER FUNCTION count_orders(text, integer, integer) SET enable_seqscan = off;
ALTER FUNCTION integrations_to_count() SET enable_seqscan = off;
