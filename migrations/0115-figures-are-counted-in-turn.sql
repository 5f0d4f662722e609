-- Orders are counted in two steps. Whoever writes an order leaves what it adds to the figures, or takes from them, in a queue, and waits
-- for nobody. Whoever reads figures counts what is queued first, one at a time for an integration; a round does so for all.
-- What is read is kept for the whole window: a report costs the same however many orders, days and pairs there are.

SELECT join_report_shards(2147483647);
DROP FUNCTION join_report_shards(integer);
DROP FUNCTION count_order(integrator_order, integer);
DROP FUNCTION count_client(text, text, integer, smallint);
DROP FUNCTION shard_of(text);

-- Of pairs, fees and times there is a day -1, which is the window that was read last.
ALTER TABLE integrator_order DROP COLUMN shard;
ALTER TABLE integrator_day DROP COLUMN shard, ADD PRIMARY KEY (integration_id, day);
ALTER TABLE integrator_day_pair DROP COLUMN shard, ADD PRIMARY KEY (integration_id, day, from_symbol, to_symbol);
ALTER TABLE integrator_day_fee DROP COLUMN shard, ADD PRIMARY KEY (integration_id, day, asset);
ALTER TABLE integrator_day_client DROP COLUMN shard, ADD PRIMARY KEY (integration_id, day);

CREATE TABLE integrator_window (
  integration_id text PRIMARY KEY,
  first_day integer NOT NULL,
  last_day integer NOT NULL
);

CREATE TABLE integrator_change (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  integration_id text NOT NULL,
  -- 1: counts from now on; -1: counts no more.
  sign smallint NOT NULL,
  day integer NOT NULL,
  is_attributed boolean NOT NULL,
  status text NOT NULL,
  fee_status text NOT NULL,
  fee_asset text,
  fee_atoms numeric(78, 0) NOT NULL,
  fee_usd numeric(78, 0) NOT NULL,
  volume_usd numeric(78, 0) NOT NULL,
  from_symbol text NOT NULL,
  to_symbol text NOT NULL,
  time_bucket smallint,
  -- The end user of an order that is new.
  client_hash text
);
CREATE INDEX integrator_change_by_integration ON integrator_change (integration_id, id);

CREATE FUNCTION queue_order(r integrator_order, p_sign integer, p_client text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO integrator_change (integration_id, sign, day, is_attributed, status, fee_status, fee_asset, fee_atoms, fee_usd, volume_usd,
                                 from_symbol, to_symbol, time_bucket, client_hash)
  VALUES (r.integration_id, p_sign, r.day, r.is_attributed, r.status, r.fee_status, r.fee_asset, r.fee_atoms, r.fee_usd, r.volume_usd,
          r.from_symbol, r.to_symbol, r.time_bucket, p_client)
$$;

-- Adds up again what the window holds, from the days in it.
CREATE FUNCTION move_window(p_integration text, p_first integer, p_last integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM integrator_day_pair WHERE integration_id = p_integration AND day = -1;
  INSERT INTO integrator_day_pair (integration_id, day, from_symbol, to_symbol, orders, volume_usd)
  SELECT p_integration, -1, from_symbol, to_symbol, sum(orders), sum(volume_usd) FROM integrator_day_pair
  WHERE integration_id = p_integration AND day BETWEEN p_first AND p_last GROUP BY from_symbol, to_symbol;
  DELETE FROM integrator_day_fee WHERE integration_id = p_integration AND day = -1;
  INSERT INTO integrator_day_fee (integration_id, day, asset, projected, paid)
  SELECT p_integration, -1, asset, sum(projected), sum(paid) FROM integrator_day_fee
  WHERE integration_id = p_integration AND day BETWEEN p_first AND p_last GROUP BY asset;
  DELETE FROM integrator_day_time WHERE integration_id = p_integration AND day = -1;
  INSERT INTO integrator_day_time (integration_id, day, counts)
  SELECT p_integration, -1, array_agg(n ORDER BY place) FROM (
    SELECT c.place, sum(c.n)::integer AS n FROM integrator_day_time AS t CROSS JOIN unnest(t.counts) WITH ORDINALITY AS c (n, place)
    WHERE t.integration_id = p_integration AND t.day BETWEEN p_first AND p_last GROUP BY c.place) AS counted
  HAVING count(*) > 0;
  UPDATE integrator_window SET first_day = p_first, last_day = p_last WHERE integration_id = p_integration;
END $$;

-- A day's row is written once, however many places of it change: every version of it stays until the transaction ends.
CREATE FUNCTION count_times(p_integration text, p_first integer, p_last integer, p_changes integrator_change[]) RETURNS void
LANGUAGE sql AS $$
  WITH added AS (
    SELECT b.day, c.time_bucket + 1 AS place, sum(c.sign)::integer AS n
    FROM unnest(p_changes) AS c CROSS JOIN LATERAL (VALUES (c.day), (-1)) AS b (day)
    WHERE c.time_bucket IS NOT NULL AND (b.day >= 0 OR c.day BETWEEN p_first AND p_last) GROUP BY 1, 2 HAVING sum(c.sign) <> 0)
  INSERT INTO integrator_day_time AS t (integration_id, day, counts)
  SELECT p_integration, d.day, array_agg(coalesce(a.n, 0) ORDER BY p.place)
  FROM (SELECT DISTINCT day FROM added) AS d CROSS JOIN generate_series(1, 256) AS p (place)
  LEFT JOIN added AS a ON a.day = d.day AND a.place = p.place GROUP BY d.day
  ON CONFLICT (integration_id, day) DO UPDATE SET counts = (
    SELECT array_agg(had.n + got.n ORDER BY had.place) FROM unnest(t.counts) WITH ORDINALITY AS had (n, place)
    JOIN unnest(excluded.counts) WITH ORDINALITY AS got (n, place) ON got.place = had.place)
$$;

-- An end user is counted on the last day of its orders alone.
CREATE FUNCTION count_clients(p_integration text, p_changes integrator_change[]) RETURNS void LANGUAGE sql AS $$
  WITH seen AS (
    SELECT client_hash, max(day) AS day FROM unnest(p_changes) WHERE client_hash IS NOT NULL GROUP BY client_hash),
  moved AS (
    SELECT seen.client_hash, seen.day, known.last_day FROM seen
    LEFT JOIN integrator_client AS known ON known.integration_id = p_integration AND known.client_hash = seen.client_hash
    WHERE known.last_day IS NULL OR known.last_day < seen.day),
  kept AS (
    INSERT INTO integrator_client (integration_id, client_hash, last_day) SELECT p_integration, client_hash, day FROM moved
    ON CONFLICT (integration_id, client_hash) DO UPDATE SET last_day = excluded.last_day)
  INSERT INTO integrator_day_client AS d (integration_id, day, clients)
  SELECT p_integration, b.day, sum(b.n) FROM moved CROSS JOIN LATERAL (VALUES (moved.day, 1), (moved.last_day, -1)) AS b (day, n)
  WHERE b.day IS NOT NULL GROUP BY b.day
  ON CONFLICT (integration_id, day) DO UPDATE SET clients = d.clients + excluded.clients
$$;

CREATE FUNCTION count_changes(p_integration text, p_first integer, p_last integer, p_changes integrator_change[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO integrator_day AS d
  SELECT p_integration, day, sum(sign), sum(sign * (status = 'completed')::int), sum(sign * (status = 'refunded')::int),
         sum(sign * (status = 'failed')::int), sum(sign * (status = 'expired')::int), sum(sign * is_attributed::int),
         sum(sign * volume_usd), sum(sign * fee_usd * (fee_status = 'projected')::int),
         sum(sign * fee_usd * (fee_status = 'paid')::int), sum(sign * fee_usd * (fee_status = 'skipped')::int)
  FROM unnest(p_changes) GROUP BY day
  ON CONFLICT (integration_id, day) DO UPDATE SET
    orders = d.orders + excluded.orders, completed = d.completed + excluded.completed, refunded = d.refunded + excluded.refunded,
    failed = d.failed + excluded.failed, expired = d.expired + excluded.expired, attributed = d.attributed + excluded.attributed,
    volume_usd = d.volume_usd + excluded.volume_usd, projected_usd = d.projected_usd + excluded.projected_usd,
    paid_usd = d.paid_usd + excluded.paid_usd, skipped_usd = d.skipped_usd + excluded.skipped_usd;
  INSERT INTO integrator_day_pair AS d (integration_id, day, from_symbol, to_symbol, orders, volume_usd)
  SELECT p_integration, b.day, c.from_symbol, c.to_symbol, sum(c.sign), sum(c.sign * c.volume_usd)
  FROM unnest(p_changes) AS c CROSS JOIN LATERAL (VALUES (c.day), (-1)) AS b (day)
  WHERE b.day >= 0 OR c.day BETWEEN p_first AND p_last GROUP BY 2, 3, 4
  HAVING sum(c.sign) <> 0 OR sum(c.sign * c.volume_usd) <> 0
  ON CONFLICT (integration_id, day, from_symbol, to_symbol) DO UPDATE SET
    orders = d.orders + excluded.orders, volume_usd = d.volume_usd + excluded.volume_usd;
  INSERT INTO integrator_day_fee AS d (integration_id, day, asset, projected, paid)
  SELECT p_integration, b.day, c.fee_asset, sum(c.sign * c.fee_atoms * (c.fee_status = 'projected')::int),
         sum(c.sign * c.fee_atoms * (c.fee_status = 'paid')::int)
  FROM unnest(p_changes) AS c CROSS JOIN LATERAL (VALUES (c.day), (-1)) AS b (day)
  WHERE c.fee_status IN ('projected', 'paid') AND (b.day >= 0 OR c.day BETWEEN p_first AND p_last) GROUP BY 2, 3
  ON CONFLICT (integration_id, day, asset) DO UPDATE SET
    projected = d.projected + excluded.projected, paid = d.paid + excluded.paid;
  PERFORM count_times(p_integration, p_first, p_last, p_changes);
  PERFORM count_clients(p_integration, p_changes);
END $$;

-- Counts what is queued, so many at once, until nothing is left.
CREATE FUNCTION count_orders(p_integration text, p_first integer, p_last integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_window integrator_window;
  v_changes integrator_change[];
  v_last bigint := 0;
BEGIN
  INSERT INTO integrator_window VALUES (p_integration, -1, -1) ON CONFLICT DO NOTHING;
  SELECT * INTO v_window FROM integrator_window WHERE integration_id = p_integration FOR UPDATE;
  IF (v_window.first_day, v_window.last_day) <> (p_first, p_last) THEN
    PERFORM move_window(p_integration, p_first, p_last);
  END IF;
  LOOP
    WITH gone AS (
      DELETE FROM integrator_change WHERE integration_id = p_integration AND id > v_last AND id <= (
        SELECT max(id) FROM (
          SELECT id FROM integrator_change WHERE integration_id = p_integration AND id > v_last ORDER BY id LIMIT 10000) AS next)
      RETURNING id, integrator_change AS one)
    SELECT array_agg(one), max(id) INTO v_changes, v_last FROM gone;
    EXIT WHEN v_changes IS NULL;
    PERFORM count_changes(p_integration, p_first, p_last, v_changes);
  END LOOP;
END $$;

-- Every integration of which something is queued, each in a turn of its own.
CREATE FUNCTION integrations_to_count() RETURNS SETOF text LANGUAGE sql STABLE AS $$
  WITH RECURSIVE next AS (
    SELECT min(integration_id) AS id FROM integrator_change
    UNION ALL
    SELECT (SELECT min(integration_id) FROM integrator_change WHERE integration_id > next.id) FROM next WHERE next.id IS NOT NULL)
  SELECT id FROM next WHERE id IS NOT NULL
$$;

-- Everything in the answer is of one moment. Sums go as text: no amount passes through a float.
CREATE FUNCTION integration_figures(p_integration text, p_first integer, p_last integer, p_pairs integer)
RETURNS TABLE (days json, pairs json, fees json, times text, clients text) LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM integrator_change AS c WHERE c.integration_id = p_integration) OR NOT EXISTS (
       SELECT 1 FROM integrator_window AS w WHERE (w.integration_id, w.first_day, w.last_day) = (p_integration, p_first, p_last))
  THEN
    PERFORM count_orders(p_integration, p_first, p_last);
  END IF;
  RETURN QUERY SELECT
    (SELECT json_agg(json_build_array(d.day, d.orders::text, d.completed::text, d.refunded::text, d.failed::text, d.expired::text,
                                      d.attributed::text, d.volume_usd::text, d.projected_usd::text, d.paid_usd::text, d.skipped_usd::text)
                     ORDER BY d.day)
     FROM integrator_day AS d WHERE d.integration_id = p_integration AND d.day BETWEEN p_first AND p_last),
    (SELECT json_agg(json_build_array(p.from_symbol, p.to_symbol, p.orders::text, p.volume_usd::text)) FROM (
       SELECT * FROM integrator_day_pair AS o WHERE o.integration_id = p_integration AND o.day = -1 AND o.orders > 0
       ORDER BY o.orders DESC, o.from_symbol, o.to_symbol LIMIT p_pairs) AS p),
    (SELECT json_agg(json_build_array(f.asset, f.projected::text, f.paid::text) ORDER BY f.asset) FROM integrator_day_fee AS f
     WHERE f.integration_id = p_integration AND f.day = -1 AND (f.projected > 0 OR f.paid > 0)),
    (SELECT array_to_string(t.counts, ',') FROM integrator_day_time AS t WHERE t.integration_id = p_integration AND t.day = -1),
    (SELECT sum(k.clients)::text FROM integrator_day_client AS k WHERE k.integration_id = p_integration AND k.day BETWEEN p_first AND p_last);
END $$;

CREATE OR REPLACE FUNCTION report_order(p_order text, r jsonb) RETURNS void LANGUAGE plpgsql AS $$
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
  PERFORM queue_order(v_before, -1, NULL);
  PERFORM queue_order(v_after, 1, NULL);
END $$;

CREATE OR REPLACE FUNCTION create_reported_order(p jsonb) RETURNS TABLE (deposit_index integer, deposit_address text) LANGUAGE plpgsql AS $$
DECLARE
  r jsonb := p -> 'report';
  v_row integrator_order;
BEGIN
  RETURN QUERY SELECT * FROM create_order(p);
  IF NOT FOUND OR p ->> 'integrationId' IS NULL THEN
    RETURN;
  END IF;
  INSERT INTO integrator_order (order_id, integration_id, created_at, day, is_attributed, status, fee_status, fee_asset,
                                fee_atoms, fee_usd, volume_usd, from_symbol, to_symbol)
  VALUES (p ->> 'id', p ->> 'integrationId', (p ->> 'createdAt')::bigint, ((p ->> 'createdAt')::bigint / 86400000)::integer,
          p ->> 'endUserHash' IS NOT NULL, r ->> 'status', r ->> 'feeStatus', r ->> 'feeAsset',
          (r ->> 'feeAtoms')::numeric, (r ->> 'feeUsd')::numeric, 0, r ->> 'fromSymbol', r ->> 'toSymbol')
  RETURNING * INTO v_row;
  PERFORM tell_order(v_row.order_id, p -> 'news', 0, (p -> 'doc') || '{"payments": []}', v_row.created_at);
  PERFORM queue_order(v_row, 1, p ->> 'endUserHash');
END $$;

-- Orders write to the queue alone; figures are the API's.
ALTER FUNCTION grant_rights() RENAME TO grant_rights_before_figures;
CREATE FUNCTION grant_rights() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_left text := grant_rights_before_figures();
BEGIN
  IF v_left IS NOT NULL THEN
    RETURN v_left;
  END IF;
  REVOKE ALL ON integrator_day, integrator_day_pair, integrator_day_fee, integrator_day_time, integrator_client, integrator_day_client
    FROM wherry_engine;
  GRANT SELECT, INSERT, UPDATE, DELETE ON integrator_change, integrator_window TO wherry_api;
  GRANT INSERT ON integrator_change TO wherry_engine;
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION grant_rights() FROM PUBLIC;
SELECT grant_rights();
