-- Partners who help themselves: who signs in, who may change what, and what was changed. Times are milliseconds of the service's clock.

ALTER TABLE integration
  -- False while an operator has not agreed yet; only where the settings ask for that.
  ADD COLUMN approved boolean NOT NULL DEFAULT true,
  -- By field: the value that holds from a time on. A member whose time has come is as good as the column.
  ADD COLUMN pending jsonb NOT NULL DEFAULT '{}';

ALTER TABLE integration_key
  ADD COLUMN name text,
  ADD COLUMN last_used_at bigint;

CREATE TABLE integration_member (
  integration_id text NOT NULL REFERENCES integration (id),
  address text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'viewer')),
  added_at bigint NOT NULL,
  PRIMARY KEY (integration_id, address)
);
CREATE INDEX integration_member_by_address ON integration_member (address, integration_id);

CREATE TABLE integration_audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  integration_id text NOT NULL REFERENCES integration (id),
  at bigint NOT NULL,
  actor text NOT NULL,
  action text NOT NULL,
  details jsonb NOT NULL
);
CREATE INDEX integration_audit_newest ON integration_audit (integration_id, id DESC);

-- Each is good for one sign-in; what was used is gone.
CREATE TABLE partner_nonce (
  nonce text PRIMARY KEY,
  expires_at bigint NOT NULL
);
CREATE INDEX partner_nonce_old ON partner_nonce (expires_at);

-- Only a keyed hash of the cookie is kept.
CREATE TABLE partner_session (
  token_hash text PRIMARY KEY,
  address text NOT NULL,
  created_at bigint NOT NULL,
  seen_at bigint NOT NULL
);
CREATE INDEX partner_session_old ON partner_session (seen_at);
