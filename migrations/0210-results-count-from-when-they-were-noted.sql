-- A step of an engine whose clock was a month ahead for a moment is dated in the future, and what was lost is asked for by dates. The clock of
-- the database cannot stand in, since a rehearsal moves the desk's own by days. So beside its date a result has the moment at which the
-- database noted it, by which only two things are told: which was noted last, and how long ago.
ALTER TABLE result ADD COLUMN noted_at timestamptz NOT NULL DEFAULT now();

-- Minutes are over by the date of what was noted last, not by the latest date. Nothing goes that is not old by both.
CREATE OR REPLACE FUNCTION fold_results() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_last bigint := (SELECT at FROM result WHERE NOT is_folded ORDER BY noted_at DESC, at DESC LIMIT 1);
BEGIN
  WITH gone AS (DELETE FROM result WHERE NOT is_folded AND at < v_last / 60000 * 60000 RETURNING at, asset, atoms, noted_at)
  INSERT INTO result SELECT max(at), asset, sum(atoms), true, max(noted_at) FROM gone GROUP BY at / 60000, changes_before(at), asset;
  DELETE FROM result WHERE at < (SELECT max(at) FROM result) - 7 * 86400000::bigint AND noted_at < now() - interval '7 days';
END $$;

-- Of two days before the newest postings, most of which are dated right. When they were noted nobody knows any more; their dates say it well enough.
CREATE OR REPLACE FUNCTION count_tally() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_newest bigint;
BEGIN
  PERFORM count_parts();
  LOCK TABLE posting IN SHARE MODE;
  v_newest := (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY at) FROM (SELECT at FROM posting ORDER BY id DESC LIMIT 101) AS latest);
  DELETE FROM result;
  INSERT INTO result
  SELECT max(p.at), p.asset, sum(result_of(p)), true, now() - greatest(v_newest - max(p.at), 0) * interval '1 ms' FROM posting AS p
  WHERE p.owner <> 'treasury' AND is_ours(p.from_account) <> is_ours(p.to_account) AND p.at >= v_newest - 2 * 86400000::bigint
  GROUP BY p.at / 60000, changes_before(p.at), p.asset ORDER BY 1;
END $$;
