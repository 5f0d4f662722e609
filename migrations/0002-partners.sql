-- What the operator sets: partners and their keys, switches, breakers. Times are milliseconds of the service's clock.

CREATE TABLE integration (
  id text PRIMARY KEY,
  name text NOT NULL,
  suspended boolean NOT NULL DEFAULT false,
  -- A number as the wire has it; money is reckoned from its decimal text.
  fee_percent double precision NOT NULL CHECK (fee_percent BETWEEN 0 AND 5),
  fee_address text NOT NULL,
  fee_address_sol text,
  fee_address_btc text,
  -- Only what differs from the defaults, so that a partner without wishes follows them.
  limits jsonb NOT NULL DEFAULT '{}',
  forwarding jsonb,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);

-- Keys are never deleted: orders name the key they came with.
CREATE TABLE integration_key (
  id text PRIMARY KEY,
  integration_id text NOT NULL REFERENCES integration (id),
  kind text NOT NULL CHECK (kind IN ('server', 'public')),
  hash text NOT NULL UNIQUE,
  created_at bigint NOT NULL,
  revoked_at bigint
);
CREATE INDEX integration_key_by_integration ON integration_key (integration_id);

-- What has no row is off.
CREATE TABLE switch (
  name text PRIMARY KEY,
  enabled boolean NOT NULL,
  changed_at bigint NOT NULL
);

-- What has no row is closed, so work goes on.
CREATE TABLE breaker (
  scope text PRIMARY KEY,
  open boolean NOT NULL,
  reason text NOT NULL,
  changed_at bigint NOT NULL
);
