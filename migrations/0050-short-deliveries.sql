-- Deals in which a provider delivered less than it had agreed to at least, each counted once.

CREATE TABLE short_delivery (
  deal text PRIMARY KEY,
  provider text NOT NULL,
  at bigint NOT NULL
);
CREATE INDEX short_delivery_by_provider ON short_delivery (provider, at);
