-- What is in no block cannot leave with one, and costs whoever sends it nothing: a transaction that no block ever took made the deposits of everybody
-- on its chain wait for the deeper finality, for as long as it lay in the pool.
CREATE OR REPLACE FUNCTION tally_sighting() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO tally_change
  SELECT 'at stake', chain_id::text, sign * usd_micros
  FROM (VALUES (OLD.chain_id, OLD.state, OLD.usd_micros, -1), (NEW.chain_id, NEW.state, NEW.usd_micros, 1))
    AS one (chain_id, state, usd_micros, sign)
  WHERE state = 'mined' AND usd_micros <> 0;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_parts() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE orders, balance, sighting IN SHARE MODE;
  DELETE FROM balance WHERE atoms = 0 AND strpos(account, ':') > 0;
  DELETE FROM tally_change;
  DELETE FROM tally;
  INSERT INTO tally
  SELECT 'open orders', phase, count(*) FROM orders WHERE is_open GROUP BY phase
  UNION ALL
  SELECT 'at stake', chain_id::text, sum(usd_micros) FROM sighting WHERE state = 'mined' AND usd_micros <> 0 GROUP BY chain_id
  UNION ALL
  SELECT ledger_part(b.account, o.is_open), b.asset, sum(b.atoms)
  FROM balance AS b LEFT JOIN orders AS o ON (b.account LIKE 'order:%' OR b.account LIKE 'deposit:%') AND o.id = split_part(b.account, ':', 2)
  GROUP BY 1, 2;
END $$;

-- Nothing but this sum is counted anew, and nobody adds it up meanwhile (`fold_tally`).
SELECT pg_advisory_xact_lock(7426, 0);
LOCK TABLE sighting IN SHARE MODE;
DELETE FROM tally_change WHERE what = 'at stake';
DELETE FROM tally WHERE what = 'at stake';
INSERT INTO tally
SELECT 'at stake', chain_id::text, sum(usd_micros) FROM sighting WHERE state = 'mined' AND usd_micros <> 0 GROUP BY chain_id;
