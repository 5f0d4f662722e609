-- Gives one hit of every bucket back that was taken at this time. Hits that are younger move up by one slot, so that the ring stays in
-- order of time and its oldest slot is free again. Where there is none the bucket stays as it is: it was swept, or its window is over.
CREATE FUNCTION quota_give_back(at_ms bigint, buckets text[], limits integer[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  place integer;
  taken bigint;
  back integer;
  found_ms bigint;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  FOR place IN 1 .. cardinality(buckets) LOOP
    SELECT hits INTO taken FROM quota_bucket WHERE bucket = buckets[place] FOR UPDATE;
    CONTINUE WHEN NOT FOUND;
    back := 0;
    LOOP
      back := back + 1;
      found_ms := NULL;
      IF back <= least(taken, limits[place]) THEN
        SELECT at INTO found_ms FROM quota_slot WHERE bucket = buckets[place] AND slot = (taken - back) % limits[place];
      END IF;
      EXIT WHEN found_ms IS NULL OR found_ms <= at_ms;
    END LOOP;
    CONTINUE WHEN found_ms IS DISTINCT FROM at_ms;
    WHILE back > 1 LOOP
      UPDATE quota_slot SET at = (SELECT younger.at FROM quota_slot AS younger
          WHERE younger.bucket = buckets[place] AND younger.slot = (taken - back + 1) % limits[place])
        WHERE bucket = buckets[place] AND slot = (taken - back) % limits[place];
      back := back - 1;
    END LOOP;
    DELETE FROM quota_slot WHERE bucket = buckets[place] AND slot = (taken - 1) % limits[place];
    UPDATE quota_bucket SET hits = taken - 1 WHERE bucket = buckets[place];
  END LOOP;
END
$$;
