-- What orders left the desk with, less what they cost it, is noted as it is posted, so that nobody goes through an hour and a day of postings
-- every few seconds to know what was lost.

-- What is the desk's own, also while it is on its way to a deposit address as gas.
CREATE FUNCTION is_ours(p_account text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT p_account IN ('treasury', 'fees', 'gas') OR p_account LIKE 'left:%' OR p_account LIKE 'payment:%:gas%'
$$;

-- What a posting gives the desk, or costs it. What a provider delivered was booked as the treasury's when it came; that it goes on to its order
-- costs nobody anything.
CREATE FUNCTION result_of(p posting) RETURNS numeric LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN p.from_account = 'treasury' AND p.to_account = 'order:' || p.owner AND EXISTS (
      SELECT 1 FROM delivery AS d JOIN sighting AS s ON s.chain_id = d.chain_id AND s.key = d.key
      WHERE split_part(d.deal, ':', 1) = p.owner AND s.asset = p.asset AND s.credited = p.atoms) THEN 0
    ELSE p.atoms * (is_ours(p.to_account)::integer - is_ours(p.from_account)::integer)
  END
$$;

CREATE TABLE result (
  -- Of several that were added up, the last.
  at bigint NOT NULL,
  asset text NOT NULL,
  atoms numeric NOT NULL,
  is_folded boolean NOT NULL
);
CREATE INDEX result_by_time ON result (at);
CREATE INDEX result_unfolded ON result (at) WHERE NOT is_folded;

-- Moves between our own accounts, and what the house does without an order, are neither profit nor loss.
CREATE FUNCTION note_result() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO result SELECT NEW.at, NEW.asset, n, false FROM result_of(NEW) AS n WHERE n <> 0;
  RETURN NULL;
END $$;
CREATE TRIGGER posting_result AFTER INSERT ON posting FOR EACH ROW
  WHEN (NEW.owner <> 'treasury' AND is_ours(NEW.from_account) <> is_ours(NEW.to_account)) EXECUTE FUNCTION note_result();

-- How many breakers had changed for the last time before then.
CREATE FUNCTION changes_before(p_at bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT count(*) FROM breaker WHERE changed_at < p_at
$$;

-- Adds up what is noted of minutes that are over. What was lost is asked for from the moment on in which a person closed the breaker, so that what
-- came before the last change of any is not added to what came after it. Results are kept for longer than anybody asks.
CREATE FUNCTION fold_results() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_last bigint := (SELECT max(at) FROM result);
BEGIN
  WITH gone AS (DELETE FROM result WHERE NOT is_folded AND at < v_last / 60000 * 60000 RETURNING at, asset, atoms)
  INSERT INTO result SELECT max(at), asset, sum(atoms), true FROM gone GROUP BY at / 60000, changes_before(at), asset;
  DELETE FROM result WHERE at < v_last - 7 * 86400000::bigint;
END $$;

CREATE OR REPLACE FUNCTION fold_tally() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock(7426, 0) THEN
    RETURN;
  END IF;
  WITH gone AS (DELETE FROM tally_change RETURNING what, name, n)
  INSERT INTO tally AS t (what, name, n) SELECT what, name, sum(n) FROM gone GROUP BY what, name
  ON CONFLICT (what, name) DO UPDATE SET n = t.n + excluded.n;
  PERFORM fold_results();
END $$;

ALTER FUNCTION count_tally() RENAME TO count_parts;
CREATE FUNCTION count_tally() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count_parts();
  LOCK TABLE posting IN SHARE MODE;
  DELETE FROM result;
  INSERT INTO result SELECT max(p.at), p.asset, sum(result_of(p)), true FROM posting AS p
  WHERE p.owner <> 'treasury' AND is_ours(p.from_account) <> is_ours(p.to_account)
    AND p.at >= (SELECT max(at) FROM posting) - 2 * 86400000::bigint
  GROUP BY p.at / 60000, changes_before(p.at), p.asset ORDER BY 1;
END $$;
REVOKE EXECUTE ON FUNCTION count_tally(), count_parts(), fold_results() FROM PUBLIC;
SELECT count_tally();

-- Nobody else asked for postings by time.
DROP INDEX posting_by_time;

ALTER FUNCTION grant_rights() RENAME TO grant_rights_of_months;
CREATE FUNCTION grant_rights() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_left text := grant_rights_of_months();
BEGIN
  IF v_left IS NOT NULL THEN
    RETURN v_left;
  END IF;
  GRANT SELECT ON result TO wherry_api, wherry_engine;
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION grant_rights() FROM PUBLIC;
SELECT grant_rights();
