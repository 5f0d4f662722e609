-- The tables of a coming month can wait, orders cannot. Whoever reads what has no month (a backup does for an hour) is found out first, before
-- any order is kept waiting; and whatever else is in the way, the one that gives up is this one: it waits for a tenth of the time after which
-- PostgreSQL looks for circles.
CREATE OR REPLACE FUNCTION make_month(p_month integer) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
BEGIN
  IF to_regclass('history_' || p_month) IS NOT NULL OR EXISTS (SELECT 1 FROM month_taken WHERE month = p_month) THEN
    RETURN false;
  END IF;
  LOCK TABLE history_other, posting_other IN ACCESS EXCLUSIVE MODE;
  IF to_regclass('history_' || p_month) IS NOT NULL THEN
    RETURN false;
  END IF;
  -- A table that refers to orders is put beside others only where nobody writes to them.
  LOCK TABLE orders IN SHARE ROW EXCLUSIVE MODE;
  EXECUTE format($s$
    CREATE TABLE history_%1$s (LIKE history INCLUDING ALL);
    CREATE TABLE posting_%1$s (LIKE posting INCLUDING ALL);
    WITH gone AS (DELETE FROM history_other WHERE month = %1$s RETURNING *) INSERT INTO history_%1$s SELECT * FROM gone;
    WITH gone AS (DELETE FROM posting_other WHERE at >= %2$s AND at < %3$s RETURNING *) INSERT INTO posting_%1$s SELECT * FROM gone;
    ALTER TABLE history ATTACH PARTITION history_%1$s FOR VALUES IN (%1$s);
    ALTER TABLE posting ATTACH PARTITION posting_%1$s FOR VALUES FROM (%2$s) TO (%3$s);
  $s$, p_month, month_start(p_month), month_start(month_after(p_month)));
  RETURN true;
END $$;

-- This month and the next two: how many were missing. NULL where somebody was in the way, and nothing was made.
CREATE OR REPLACE FUNCTION make_months(p_now bigint) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_month integer := month_of(p_now);
  v_made integer := 0;
BEGIN
  IF v_month NOT BETWEEN 202001 AND 212012 THEN
    RAISE EXCEPTION 'no month of a desk: %', v_month;
  END IF;
  FOR n IN 0 .. 2 LOOP
    v_made := v_made + make_month(v_month)::integer;
    v_month := month_after(v_month);
  END LOOP;
  RETURN v_made;
EXCEPTION WHEN lock_not_available THEN
  RETURN NULL;
END $$;
