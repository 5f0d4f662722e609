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

-- Writes down the addresses whose time has come, each with its entry in the trail.
CREATE FUNCTION settle_pending(p_integration text, p_now bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  due record;
BEGIN
  FOR due IN
    SELECT i.id, e.key AS field, e.value ->> 'value' AS address, (e.value ->> 'effectiveAt')::bigint AS at
    FROM integration AS i CROSS JOIN LATERAL jsonb_each(i.pending) AS e
    WHERE i.pending <> '{}' AND (p_integration IS NULL OR i.id = p_integration) AND (e.value ->> 'effectiveAt')::bigint <= p_now
    ORDER BY i.id, at FOR UPDATE OF i
  LOOP
    UPDATE integration SET
      fee_address = CASE due.field WHEN 'feeAddress' THEN due.address ELSE fee_address END,
      fee_address_sol = CASE due.field WHEN 'feeAddressSol' THEN due.address ELSE fee_address_sol END,
      fee_address_btc = CASE due.field WHEN 'feeAddressBtc' THEN due.address ELSE fee_address_btc END,
      pending = pending - due.field, updated_at = p_now
    WHERE id = due.id;
    PERFORM record_change(due.id, 'service', 'integration.address_effective', jsonb_build_object(due.field, due.address), due.at);
  END LOOP;
END $$;

-- A member that is absent leaves its column as it is; limits are changed one by one. What did not change leaves no entry.
CREATE FUNCTION change_integration(p_id text, w jsonb, p_wait jsonb, p_take_back text[], p_actor text, p_at bigint)
RETURNS SETOF integration LANGUAGE plpgsql AS $$
BEGIN
  PERFORM settle_pending(p_id, p_at);
  UPDATE integration SET
    name = coalesce(w ->> 'name', name),
    suspended = coalesce((w ->> 'suspended')::boolean, suspended),
    approved = coalesce((w ->> 'approved')::boolean, approved),
    fee_percent = coalesce((w ->> 'feePercent')::float8, fee_percent),
    fee_address = coalesce(w ->> 'feeAddress', fee_address),
    fee_address_sol = CASE WHEN w ? 'feeAddressSol' THEN w ->> 'feeAddressSol' ELSE fee_address_sol END,
    fee_address_btc = CASE WHEN w ? 'feeAddressBtc' THEN w ->> 'feeAddressBtc' ELSE fee_address_btc END,
    limits = limits || coalesce(w -> 'limits', '{}'),
    forwarding = CASE WHEN w ? 'forwarding' THEN nullif(w -> 'forwarding', 'null') ELSE forwarding END,
    pending = (pending || p_wait) - p_take_back,
    updated_at = p_at
  WHERE id = p_id;
  IF FOUND AND (w <> '{}' OR p_wait <> '{}' OR cardinality(p_take_back) > 0) THEN
    PERFORM record_change(p_id, p_actor, 'integration.changed', jsonb_strip_nulls(jsonb_build_object(
      'changed', nullif(w, '{}'), 'waiting', nullif(p_wait, '{}'), 'takenBack', nullif(to_jsonb(p_take_back), '[]'))), p_at);
  END IF;
  RETURN QUERY SELECT * FROM integration WHERE id = p_id;
END $$;

CREATE FUNCTION is_last_owner(p_id text, p_address text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM integration_member WHERE integration_id = p_id AND address = p_address AND role = 'owner')
    AND NOT EXISTS (SELECT 1 FROM integration_member WHERE integration_id = p_id AND address <> p_address AND role = 'owner')
$$;

CREATE FUNCTION set_member(p_id text, p_address text, p_role text, p_most integer, p_actor text, p_at bigint) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  v_before text;
BEGIN
  -- One change of members at a time, or two owners could leave together.
  PERFORM 1 FROM integration WHERE id = p_id FOR UPDATE;
  SELECT role INTO v_before FROM integration_member WHERE integration_id = p_id AND address = p_address;
  IF v_before = p_role THEN
    RETURN 'set';
  END IF;
  IF p_role <> 'owner' AND is_last_owner(p_id, p_address) THEN
    RETURN 'last_owner';
  END IF;
  IF v_before IS NULL AND (SELECT count(*) FROM integration_member WHERE integration_id = p_id) >= p_most THEN
    RETURN 'full';
  END IF;
  INSERT INTO integration_member VALUES (p_id, p_address, p_role, p_at)
  ON CONFLICT (integration_id, address) DO UPDATE SET role = excluded.role;
  PERFORM record_change(p_id, p_actor, 'member.set', jsonb_build_object('address', p_address, 'role', p_role), p_at);
  RETURN 'set';
END $$;

CREATE FUNCTION remove_member(p_id text, p_address text, p_actor text, p_at bigint) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM integration WHERE id = p_id FOR UPDATE;
  IF is_last_owner(p_id, p_address) THEN
    RETURN 'last_owner';
  END IF;
  DELETE FROM integration_member WHERE integration_id = p_id AND address = p_address;
  IF NOT FOUND THEN
    RETURN 'missing';
  END IF;
  PERFORM record_change(p_id, p_actor, 'member.removed', jsonb_build_object('address', p_address), p_at);
  RETURN 'removed';
END $$;

CREATE FUNCTION add_key(p_id text, p_key text, p_kind text, p_name text, p_hash text, p_most integer, p_actor text, p_at bigint)
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM integration WHERE id = p_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN 'missing';
  END IF;
  IF (SELECT count(*) FROM integration_key WHERE integration_id = p_id AND revoked_at IS NULL) >= p_most THEN
    RETURN 'full';
  END IF;
  INSERT INTO integration_key (id, integration_id, kind, name, hash, created_at) VALUES (p_key, p_id, p_kind, p_name, p_hash, p_at);
  PERFORM record_change(p_id, p_actor, 'key.created', jsonb_strip_nulls(jsonb_build_object('keyId', p_key, 'kind', p_kind, 'name', p_name)), p_at);
  RETURN 'added';
END $$;

CREATE FUNCTION revoke_key(p_key text, p_id text, p_actor text, p_at bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_key integration_key;
BEGIN
  SELECT * INTO v_key FROM integration_key WHERE id = p_key AND (p_id IS NULL OR integration_id = p_id) FOR UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF v_key.revoked_at IS NULL THEN
    UPDATE integration_key SET revoked_at = p_at WHERE id = p_key;
    PERFORM record_change(v_key.integration_id, p_actor, 'key.revoked', jsonb_build_object('keyId', p_key), p_at);
  END IF;
  RETURN true;
END $$;
