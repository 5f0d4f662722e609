-- What partners read about their orders, kept as it happens: reading it costs the same however many orders there are.

-- One row for each order that came with a key: what it is found by, and what it adds to the figures below.
CREATE TABLE integrator_order (
  order_id text PRIMARY KEY REFERENCES orders,
  integration_id text NOT NULL,
  created_at bigint NOT NULL,
  -- Days since 1970, UTC, of the order's creation: whatever becomes of it is counted there.
  day integer NOT NULL,
  -- Spreads an integration's figures over several rows, so that its orders do not wait for each other.
  shard smallint NOT NULL,
  is_attributed boolean NOT NULL,
  status text NOT NULL,
  fee_status text NOT NULL CHECK (fee_status IN ('none', 'projected', 'paid', 'skipped')),
  fee_asset text,
  fee_atoms numeric(78, 0) NOT NULL,
  fee_usd numeric(78, 0) NOT NULL,
  volume_usd numeric(78, 0) NOT NULL,
  from_symbol text NOT NULL,
  to_symbol text NOT NULL,
  -- The place of the order's time among the buckets of integrator_day_time; null until it is completed.
  time_bucket smallint,
  -- The number of the last thing that was told of this order.
  last_seq integer NOT NULL DEFAULT 0
);
CREATE INDEX integrator_order_newest ON integrator_order (integration_id, created_at DESC, order_id DESC);
CREATE INDEX integrator_order_by_status ON integrator_order (integration_id, status, created_at DESC, order_id DESC);
CREATE INDEX integrator_order_by_fee ON integrator_order (integration_id, fee_status, created_at DESC, order_id DESC);

CREATE TABLE integrator_day (
  integration_id text NOT NULL,
  day integer NOT NULL,
  shard smallint NOT NULL,
  orders bigint NOT NULL,
  completed bigint NOT NULL,
  refunded bigint NOT NULL,
  failed bigint NOT NULL,
  expired bigint NOT NULL,
  attributed bigint NOT NULL,
  volume_usd numeric(78, 0) NOT NULL,
  projected_usd numeric(78, 0) NOT NULL,
  paid_usd numeric(78, 0) NOT NULL,
  skipped_usd numeric(78, 0) NOT NULL,
  PRIMARY KEY (integration_id, day, shard)
) WITH (fillfactor = 50);

CREATE TABLE integrator_day_pair (
  integration_id text NOT NULL,
  day integer NOT NULL,
  from_symbol text NOT NULL,
  to_symbol text NOT NULL,
  shard smallint NOT NULL,
  orders bigint NOT NULL,
  volume_usd numeric(78, 0) NOT NULL,
  PRIMARY KEY (integration_id, day, from_symbol, to_symbol, shard)
) WITH (fillfactor = 50);

CREATE TABLE integrator_day_fee (
  integration_id text NOT NULL,
  day integer NOT NULL,
  asset text NOT NULL,
  shard smallint NOT NULL,
  projected numeric(78, 0) NOT NULL,
  paid numeric(78, 0) NOT NULL,
  PRIMARY KEY (integration_id, day, asset, shard)
) WITH (fillfactor = 50);

-- How many orders took how long: a count for each bucket, so that a median needs no list.
CREATE TABLE integrator_day_time (
  integration_id text NOT NULL,
  day integer NOT NULL,
  counts integer[] NOT NULL,
  PRIMARY KEY (integration_id, day)
);

-- End users by a keyed hash, each with the last day on which it was seen; and how many there are for each such day.
CREATE TABLE integrator_client (
  integration_id text NOT NULL,
  client_hash text NOT NULL,
  last_day integer NOT NULL,
  PRIMARY KEY (integration_id, client_hash)
);
CREATE TABLE integrator_day_client (
  integration_id text NOT NULL,
  day integer NOT NULL,
  shard smallint NOT NULL,
  clients bigint NOT NULL,
  PRIMARY KEY (integration_id, day, shard)
);

-- Adds what an order is (or, with -1, what it was) to the figures of its day.
CREATE FUNCTION count_order(r integrator_order, p_sign integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO integrator_day AS d
  VALUES (r.integration_id, r.day, r.shard, p_sign, p_sign * (r.status = 'completed')::int, p_sign * (r.status = 'refunded')::int,
          p_sign * (r.status = 'failed')::int, p_sign * (r.status = 'expired')::int, p_sign * r.is_attributed::int,
          p_sign * r.volume_usd, p_sign * r.fee_usd * (r.fee_status = 'projected')::int,
          p_sign * r.fee_usd * (r.fee_status = 'paid')::int, p_sign * r.fee_usd * (r.fee_status = 'skipped')::int)
  ON CONFLICT (integration_id, day, shard) DO UPDATE SET
    orders = d.orders + excluded.orders, completed = d.completed + excluded.completed, refunded = d.refunded + excluded.refunded,
    failed = d.failed + excluded.failed, expired = d.expired + excluded.expired, attributed = d.attributed + excluded.attributed,
    volume_usd = d.volume_usd + excluded.volume_usd, projected_usd = d.projected_usd + excluded.projected_usd,
    paid_usd = d.paid_usd + excluded.paid_usd, skipped_usd = d.skipped_usd + excluded.skipped_usd;
  INSERT INTO integrator_day_pair AS d
  VALUES (r.integration_id, r.day, r.from_symbol, r.to_symbol, r.shard, p_sign, p_sign * r.volume_usd)
  ON CONFLICT (integration_id, day, from_symbol, to_symbol, shard) DO UPDATE SET
    orders = d.orders + excluded.orders, volume_usd = d.volume_usd + excluded.volume_usd;
  IF r.fee_status IN ('projected', 'paid') THEN
    INSERT INTO integrator_day_fee AS d
    VALUES (r.integration_id, r.day, r.fee_asset, r.shard, p_sign * r.fee_atoms * (r.fee_status = 'projected')::int,
            p_sign * r.fee_atoms * (r.fee_status = 'paid')::int)
    ON CONFLICT (integration_id, day, asset, shard) DO UPDATE SET
      projected = d.projected + excluded.projected, paid = d.paid + excluded.paid;
  END IF;
  IF r.time_bucket IS NOT NULL THEN
    INSERT INTO integrator_day_time AS d VALUES (r.integration_id, r.day, array_fill(0, ARRAY[256])) ON CONFLICT DO NOTHING;
    UPDATE integrator_day_time SET counts[r.time_bucket + 1] = counts[r.time_bucket + 1] + p_sign
    WHERE integration_id = r.integration_id AND day = r.day;
  END IF;
END $$;

-- An end user is counted on the last day of its orders alone.
CREATE FUNCTION count_client(p_integration text, p_client text, p_day integer, p_shard smallint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_before integer;
BEGIN
  LOOP
    SELECT last_day INTO v_before FROM integrator_client WHERE integration_id = p_integration AND client_hash = p_client FOR UPDATE;
    IF FOUND THEN
      EXIT WHEN v_before >= p_day;
      UPDATE integrator_client SET last_day = p_day WHERE integration_id = p_integration AND client_hash = p_client;
      UPDATE integrator_day_client SET clients = clients - 1
      WHERE (integration_id, day, shard) = (
        SELECT integration_id, day, shard FROM integrator_day_client
        WHERE integration_id = p_integration AND day = v_before AND clients > 0 ORDER BY shard LIMIT 1 FOR UPDATE);
    ELSE
      INSERT INTO integrator_client VALUES (p_integration, p_client, p_day) ON CONFLICT DO NOTHING;
      CONTINUE WHEN NOT FOUND;
    END IF;
    INSERT INTO integrator_day_client AS d VALUES (p_integration, p_day, p_shard, 1)
    ON CONFLICT (integration_id, day, shard) DO UPDATE SET clients = d.clients + 1;
    EXIT;
  END LOOP;
END $$;

CREATE FUNCTION shard_of(p_order text) RETURNS smallint LANGUAGE sql IMMUTABLE AS $$
  SELECT (hashtext(p_order) & 7)::smallint
$$;

-- Whatever the order is now, as its report tells it. An order without a key has no row and costs one look.
CREATE FUNCTION report_order(p_order text, r jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_before integrator_order;
  v_after integrator_order;
BEGIN
  SELECT * INTO v_before FROM integrator_order WHERE order_id = p_order FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  v_after := v_before;
  v_after.status := r ->> 'status';
  v_after.fee_status := r ->> 'feeStatus';
  v_after.fee_asset := r ->> 'feeAsset';
  v_after.fee_atoms := (r ->> 'feeAtoms')::numeric;
  v_after.fee_usd := (r ->> 'feeUsd')::numeric;
  v_after.volume_usd := (r ->> 'volumeUsd')::numeric;
  v_after.time_bucket := (r ->> 'timeBucket')::smallint;
  IF v_after IS NOT DISTINCT FROM v_before THEN
    RETURN;
  END IF;
  UPDATE integrator_order SET (status, fee_status, fee_asset, fee_atoms, fee_usd, volume_usd, time_bucket) =
    (v_after.status, v_after.fee_status, v_after.fee_asset, v_after.fee_atoms, v_after.fee_usd, v_after.volume_usd, v_after.time_bucket)
  WHERE order_id = p_order;
  PERFORM count_order(v_before, -1);
  PERFORM count_order(v_after, 1);
END $$;

-- Days long past are no longer written to by many at once: their rows are joined, so that reading stays short.
CREATE FUNCTION join_report_shards(p_before integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH gone AS (DELETE FROM integrator_day WHERE day < p_before AND shard > 0 RETURNING *)
  INSERT INTO integrator_day AS d
  SELECT integration_id, day, 0, sum(orders), sum(completed), sum(refunded), sum(failed), sum(expired), sum(attributed),
         sum(volume_usd), sum(projected_usd), sum(paid_usd), sum(skipped_usd) FROM gone GROUP BY integration_id, day
  ON CONFLICT (integration_id, day, shard) DO UPDATE SET
    orders = d.orders + excluded.orders, completed = d.completed + excluded.completed, refunded = d.refunded + excluded.refunded,
    failed = d.failed + excluded.failed, expired = d.expired + excluded.expired, attributed = d.attributed + excluded.attributed,
    volume_usd = d.volume_usd + excluded.volume_usd, projected_usd = d.projected_usd + excluded.projected_usd,
    paid_usd = d.paid_usd + excluded.paid_usd, skipped_usd = d.skipped_usd + excluded.skipped_usd;
  WITH gone AS (DELETE FROM integrator_day_pair WHERE day < p_before AND shard > 0 RETURNING *)
  INSERT INTO integrator_day_pair AS d
  SELECT integration_id, day, from_symbol, to_symbol, 0, sum(orders), sum(volume_usd) FROM gone
  GROUP BY integration_id, day, from_symbol, to_symbol
  ON CONFLICT (integration_id, day, from_symbol, to_symbol, shard) DO UPDATE SET
    orders = d.orders + excluded.orders, volume_usd = d.volume_usd + excluded.volume_usd;
  WITH gone AS (DELETE FROM integrator_day_fee WHERE day < p_before AND shard > 0 RETURNING *)
  INSERT INTO integrator_day_fee AS d
  SELECT integration_id, day, asset, 0, sum(projected), sum(paid) FROM gone GROUP BY integration_id, day, asset
  ON CONFLICT (integration_id, day, asset, shard) DO UPDATE SET projected = d.projected + excluded.projected, paid = d.paid + excluded.paid;
  WITH gone AS (DELETE FROM integrator_day_client WHERE day < p_before AND shard > 0 RETURNING *)
  INSERT INTO integrator_day_client AS d
  SELECT integration_id, day, 0, sum(clients) FROM gone GROUP BY integration_id, day
  ON CONFLICT (integration_id, day, shard) DO UPDATE SET clients = d.clients + excluded.clients;
END $$;
