-- In the order of their names buckets lie all over the table: a thousand of a hundred thousand took 3,500 pages. In the order in which they
-- lie they take a dozen. Where a sweep ends, the next begins; after the last page it begins anew.
DROP FUNCTION quota_sweep(bigint, bigint, integer, text);
CREATE FUNCTION quota_sweep(now_ms bigint, window_ms bigint, pages bigint, first_page bigint, OUT forgotten bigint, OUT next_page bigint)
LANGUAGE plpgsql AS $$
DECLARE
  v_all bigint := pg_relation_size('quota_bucket') / current_setting('block_size')::bigint;
  v_first tid := format('(%s,0)', first_page)::tid;
  v_behind tid := format('(%s,0)', first_page + pages)::tid;
  v_idle text[];
BEGIN
  SELECT array_agg(idle.bucket) INTO v_idle FROM (
    SELECT bucket FROM quota_bucket
    WHERE ctid >= v_first AND ctid < v_behind AND last_at + window_ms <= now_ms FOR UPDATE SKIP LOCKED) AS idle;
  DELETE FROM quota_slot WHERE bucket = ANY (v_idle);
  DELETE FROM quota_bucket WHERE bucket = ANY (v_idle);
  GET DIAGNOSTICS forgotten = ROW_COUNT;
  next_page := CASE WHEN first_page + pages < v_all THEN first_page + pages ELSE 0 END;
END $$;
