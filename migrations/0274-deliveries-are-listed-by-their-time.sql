-- Several processes write messages: the one that was written last need not be the newest.
DROP INDEX webhook_delivery_newest;
DROP INDEX webhook_delivery_by_state;
CREATE INDEX webhook_delivery_newest ON webhook_delivery (webhook_id, created_at DESC, id DESC);
CREATE INDEX webhook_delivery_by_state ON webhook_delivery (webhook_id, state, created_at DESC, id DESC);
