-- Exact sliding windows. A bucket is a ring of as many slots as its limit: the next hit may take the oldest slot only when
-- that slot is a whole window old, so no window ever holds more hits than the limit. A look-up and a write per hit, whatever the limit.
CREATE TABLE quota_bucket (
  bucket text PRIMARY KEY,
  hits bigint NOT NULL,
  last_at bigint NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE quota_slot (
  bucket text NOT NULL,
  slot integer NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (bucket, slot)
) WITH (fillfactor = 50);

-- What a caller has left is told with every answer. Hits of a ring are in order of time, so the oldest one that still
-- counts is found by halving: about six look-ups for a limit of sixty.
-- How many of the last `most` hits before `taken` are younger than a window, and when the oldest of those was.
CREATE FUNCTION quota_recent(name text, taken bigint, most integer, since_ms bigint,
                             OUT recent integer, OUT oldest_ms bigint)
LANGUAGE plpgsql AS $$
DECLARE
  low integer := 0;
  high integer := least(taken, most)::integer;
  middle integer;
  found_ms bigint;
BEGIN
  WHILE low < high LOOP
    middle := (low + high + 1) / 2;
    SELECT at INTO found_ms FROM quota_slot WHERE bucket = name AND slot = (taken - middle) % most;
    IF found_ms > since_ms THEN
      low := middle;
      oldest_ms := found_ms;
    ELSE
      high := middle - 1;
    END IF;
  END LOOP;
  recent := low;
END
$$;

-- Takes one hit of every bucket, or of none. When taken, answers for each bucket how many hits are left and after how long
-- one more is free; else the bucket with the longest wait and that wait.
-- Buckets come sorted and without repeats, so that two calls never wait for each other in a circle. Times are the caller's.
CREATE FUNCTION quota_take(now_ms bigint, window_ms bigint, buckets text[], limits integer[],
                           OUT exhausted text, OUT wait_ms bigint, OUT remaining integer[], OUT reset_ms bigint[])
LANGUAGE plpgsql AS $$
DECLARE
  place integer;
  taken bigint;
  oldest bigint;
  recent integer;
  counts bigint[] := '{}';
BEGIN
  -- A hit lost in a crash of the database costs less than a disk flush for every request.
  PERFORM set_config('synchronous_commit', 'off', true);
  FOR place IN 1 .. cardinality(buckets) LOOP
    LOOP
      SELECT hits INTO taken FROM quota_bucket WHERE bucket = buckets[place] FOR UPDATE;
      EXIT WHEN FOUND;
      INSERT INTO quota_bucket VALUES (buckets[place], 0, now_ms) ON CONFLICT DO NOTHING;
    END LOOP;
    counts := counts || taken;
    SELECT at INTO oldest FROM quota_slot WHERE bucket = buckets[place] AND slot = taken % limits[place];
    IF FOUND AND oldest + window_ms > now_ms AND oldest + window_ms - now_ms > coalesce(wait_ms, 0) THEN
      exhausted := buckets[place];
      wait_ms := oldest + window_ms - now_ms;
    END IF;
  END LOOP;
  IF exhausted IS NOT NULL THEN
    RETURN;
  END IF;
  remaining := '{}';
  reset_ms := '{}';
  FOR place IN 1 .. cardinality(buckets) LOOP
    UPDATE quota_bucket SET hits = counts[place] + 1, last_at = now_ms WHERE bucket = buckets[place];
    INSERT INTO quota_slot VALUES (buckets[place], counts[place] % limits[place], now_ms)
      ON CONFLICT (bucket, slot) DO UPDATE SET at = excluded.at;
    SELECT found.recent, found.oldest_ms INTO recent, oldest
      FROM quota_recent(buckets[place], counts[place] + 1, limits[place], now_ms - window_ms) AS found;
    remaining := remaining || (limits[place] - recent);
    reset_ms := reset_ms || (coalesce(oldest, now_ms) + window_ms - now_ms);
  END LOOP;
END
$$;

-- Forgets buckets that nobody used for a whole window. A bucket in use at this moment is left alone.
CREATE FUNCTION quota_sweep(now_ms bigint, window_ms bigint, most integer) RETURNS bigint
LANGUAGE sql AS $$
  WITH idle AS (
    SELECT bucket FROM quota_bucket WHERE last_at + window_ms <= now_ms LIMIT most FOR UPDATE SKIP LOCKED
  ), slots AS (
    DELETE FROM quota_slot USING idle WHERE quota_slot.bucket = idle.bucket
  ), gone AS (
    DELETE FROM quota_bucket USING idle WHERE quota_bucket.bucket = idle.bucket RETURNING 1
  )
  SELECT count(*) FROM gone
$$;
