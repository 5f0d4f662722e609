-- The decisions of one turn, in the order in which they were asked for: each is made by quota_take, after those before it. All buckets are
-- locked first, by name, as a single decision locks its own. Of each request: its time, its buckets by name and their limits.
CREATE FUNCTION quota_take_all(window_ms bigint, names text[], requests jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
  v_name text;
  v_request jsonb;
  v_answers jsonb[] := '{}';
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  FOREACH v_name IN ARRAY names LOOP
    LOOP
      PERFORM 1 FROM quota_bucket WHERE bucket = v_name FOR UPDATE;
      EXIT WHEN FOUND;
      INSERT INTO quota_bucket VALUES (v_name, 0, (requests -> 0 ->> 0)::bigint) ON CONFLICT DO NOTHING;
    END LOOP;
  END LOOP;
  FOR v_request IN SELECT one FROM jsonb_array_elements(requests) WITH ORDINALITY AS asked (one, place) ORDER BY place LOOP
    v_answers := v_answers || (
      SELECT jsonb_build_array(exhausted, wait_ms, to_jsonb(remaining), to_jsonb(reset_ms))
      FROM quota_take((v_request ->> 0)::bigint, window_ms,
                      ARRAY(SELECT jsonb_array_elements_text(v_request -> 1)),
                      ARRAY(SELECT jsonb_array_elements_text(v_request -> 2)::integer)));
  END LOOP;
  RETURN to_jsonb(v_answers);
END
$$;
