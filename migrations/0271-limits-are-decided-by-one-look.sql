-- Of each bucket is known which of its hits is the oldest that counts, and when that was. Whether there is room, how many are left and when
-- one more is free is read from the bucket alone: by halving the ring it took a dozen look-ups for each. All buckets of a turn are read,
-- locked and written by one statement each.
ALTER TABLE quota_bucket ADD COLUMN tail bigint NOT NULL DEFAULT 0, ADD COLUMN oldest_at bigint;
UPDATE quota_bucket SET tail = greatest(0, hits - substring(bucket FROM '[0-9]+$')::bigint);
UPDATE quota_bucket AS b SET oldest_at = s.at FROM quota_slot AS s
WHERE s.bucket = b.bucket AND b.tail < b.hits AND s.slot = b.tail % substring(b.bucket FROM '[0-9]+$')::bigint;

-- The first of these hits that is younger than that, and when it was; `behind` and nothing where there is none. Mostly it is the very first.
CREATE FUNCTION quota_counted(name text, most integer, first bigint, behind bigint, since_ms bigint, OUT tail bigint, OUT oldest_ms bigint)
LANGUAGE plpgsql AS $$
DECLARE
  high bigint := behind;
  middle bigint := first;
  found_ms bigint;
BEGIN
  tail := first;
  WHILE tail < high LOOP
    found_ms := (SELECT at FROM quota_slot WHERE bucket = name AND slot = middle % most);
    IF found_ms > since_ms THEN
      high := middle;
      oldest_ms := found_ms;
    ELSE
      tail := middle + 1;
    END IF;
    middle := (tail + high) / 2;
  END LOOP;
END
$$;

-- The decisions of one turn, in the order in which they were asked for, each after those before it: a hit of every bucket, or of none. Names
-- come in order and without repeats, so that two calls never wait for each other in a circle. Of each request: its time, how many
-- buckets it wants, and which of the names. Times are the callers'. The answer has for each request the place of the name that refuses
-- it and the wait, and for each bucket that was wanted how many hits are left and after how long one more is free.
DROP FUNCTION quota_take_all(bigint, text[], jsonb);
CREATE FUNCTION quota_take_all(window_ms bigint, names text[], limits integer[], times bigint[], counts integer[], wanted integer[])
RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  v_base bigint[];
  v_hits bigint[];
  v_tail bigint[];
  v_oldest bigint[];
  v_last bigint[] := array_fill(NULL::bigint, ARRAY[cardinality(names)]);
  v_new_of integer[] := '{}';
  v_new_hit bigint[] := '{}';
  v_new_at bigint[] := '{}';
  v_exhausted integer[] := '{}';
  v_waits bigint[] := '{}';
  v_remaining integer[] := '{}';
  v_resets bigint[] := '{}';
  v_from integer;
  v_behind integer := 1;
  v_request integer;
  v_place integer;
  v_of integer;
  v_now bigint;
  v_full integer;
  v_wait bigint;
  v_next bigint;
  v_at bigint;
BEGIN
  -- A hit lost in a crash of the database costs less than a disk flush for every request.
  PERFORM set_config('synchronous_commit', 'off', true);
  LOOP
    -- In order as well, and before any is locked: whoever waits for one that another makes holds none behind it.
    INSERT INTO quota_bucket (bucket, hits, last_at)
    SELECT name, 0, times[1] FROM unnest(names) AS name
    WHERE NOT EXISTS (SELECT FROM quota_bucket WHERE bucket = name) ORDER BY name COLLATE "C"
    ON CONFLICT DO NOTHING;
    SELECT array_agg(hits), array_agg(tail), array_agg(oldest_at) INTO v_base, v_tail, v_oldest
    FROM (SELECT hits, tail, oldest_at FROM quota_bucket WHERE bucket = ANY (names) ORDER BY bucket COLLATE "C" FOR UPDATE) AS locked;
    -- A sweep may have taken one in between.
    EXIT WHEN cardinality(v_base) = cardinality(names);
  END LOOP;
  v_hits := v_base;
  FOR v_request IN 1 .. cardinality(times) LOOP
    v_now := times[v_request];
    v_from := v_behind;
    v_behind := v_from + counts[v_request];
    v_full := 0;
    v_wait := NULL;
    FOR v_place IN v_from .. v_behind - 1 LOOP
      v_of := wanted[v_place];
      WHILE v_tail[v_of] < v_hits[v_of] AND coalesce(v_oldest[v_of], 0) + window_ms <= v_now LOOP
        v_next := v_tail[v_of] + 1;
        v_at := NULL;
        IF v_next < v_base[v_of] THEN
          SELECT c.tail, c.oldest_ms INTO v_next, v_at
          FROM quota_counted(names[v_of], limits[v_of], v_next, v_base[v_of], v_now - window_ms) AS c;
        END IF;
        IF v_at IS NULL AND v_next < v_hits[v_of] THEN
          SELECT n.at INTO v_at FROM unnest(v_new_of, v_new_hit, v_new_at) AS n (of, hit, at) WHERE n.of = v_of AND n.hit = v_next;
        END IF;
        v_tail[v_of] := v_next;
        v_oldest[v_of] := v_at;
      END LOOP;
      IF v_hits[v_of] - v_tail[v_of] >= limits[v_of] AND v_oldest[v_of] + window_ms - v_now > coalesce(v_wait, 0) THEN
        v_full := v_of;
        v_wait := v_oldest[v_of] + window_ms - v_now;
      END IF;
    END LOOP;
    v_exhausted := v_exhausted || v_full;
    v_waits := v_waits || v_wait;
    FOR v_place IN v_from .. v_behind - 1 LOOP
      v_of := wanted[v_place];
      IF v_full = 0 THEN
        v_new_of := v_new_of || v_of;
        v_new_hit := v_new_hit || v_hits[v_of];
        v_new_at := v_new_at || v_now;
        IF v_tail[v_of] = v_hits[v_of] THEN
          v_oldest[v_of] := v_now;
        END IF;
        v_hits[v_of] := v_hits[v_of] + 1;
        v_last[v_of] := v_now;
      END IF;
      v_remaining := v_remaining || (limits[v_of] - (v_hits[v_of] - v_tail[v_of]))::integer;
      v_resets := v_resets || (coalesce(v_oldest[v_of], v_now) + window_ms - v_now);
    END LOOP;
  END LOOP;
  UPDATE quota_bucket AS b SET hits = n.hits, tail = n.tail, oldest_at = n.oldest, last_at = n.last
  FROM unnest(names, v_hits, v_tail, v_oldest, v_last) AS n (bucket, hits, tail, oldest, last)
  WHERE b.bucket = n.bucket AND n.last IS NOT NULL;
  -- Within one turn a window may pass: then a slot is taken twice, and the younger hit has it.
  INSERT INTO quota_slot
  SELECT DISTINCT ON (1, 2) names[n.of], (n.hit % limits[n.of])::integer, n.at
  FROM unnest(v_new_of, v_new_hit, v_new_at) AS n (of, hit, at) ORDER BY 1, 2, n.hit DESC
  ON CONFLICT (bucket, slot) DO UPDATE SET at = excluded.at;
  RETURN json_build_array(v_exhausted, v_waits, v_remaining, v_resets);
END
$$;
DROP FUNCTION quota_take(bigint, bigint, text[], integer[]);
DROP FUNCTION quota_recent(text, bigint, integer, bigint);

-- Gives one hit of every bucket back that was taken at this time. Hits that are younger move up by one slot, so that the ring stays in
-- order of time. Where there is none the bucket stays as it is: it was swept, or the hit counts no more.
CREATE OR REPLACE FUNCTION quota_give_back(at_ms bigint, buckets text[], limits integer[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  place integer;
  most integer;
  b record;
  back bigint;
  found_ms bigint;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  FOR place IN 1 .. cardinality(buckets) LOOP
    most := limits[place];
    SELECT bucket, hits, tail INTO b FROM quota_bucket WHERE bucket = buckets[place] FOR UPDATE;
    CONTINUE WHEN NOT FOUND;
    back := b.hits;
    LOOP
      back := back - 1;
      found_ms := CASE WHEN back >= b.tail THEN (SELECT at FROM quota_slot WHERE bucket = b.bucket AND slot = back % most) END;
      EXIT WHEN found_ms IS NULL OR found_ms <= at_ms;
    END LOOP;
    CONTINUE WHEN found_ms IS DISTINCT FROM at_ms;
    WHILE back + 1 < b.hits LOOP
      UPDATE quota_slot SET at = (SELECT younger.at FROM quota_slot AS younger
          WHERE younger.bucket = b.bucket AND younger.slot = (back + 1) % most)
        WHERE bucket = b.bucket AND slot = back % most;
      back := back + 1;
    END LOOP;
    DELETE FROM quota_slot WHERE bucket = b.bucket AND slot = back % most;
    UPDATE quota_bucket SET hits = back,
        oldest_at = CASE WHEN b.tail < back THEN (SELECT at FROM quota_slot AS s WHERE s.bucket = b.bucket AND s.slot = b.tail % most) END
      WHERE bucket = b.bucket;
  END LOOP;
END
$$;
