-- Whatever is asked again and again reads what changed, however many orders are open and however many there ever were.

-- Sums that are asked for all the time. Whoever changes an order or a balance leaves the difference in `tally_change` and waits for
-- nobody; now and then somebody adds these to `tally`. Both together are exact at every moment.
CREATE TABLE tally (
  -- `open orders` by phase, `at stake` by chain; otherwise a part of the ledger by asset.
  what text NOT NULL,
  name text NOT NULL,
  n numeric NOT NULL,
  PRIMARY KEY (what, name)
);
CREATE TABLE tally_change (
  what text NOT NULL,
  name text NOT NULL,
  n numeric NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
CREATE VIEW tallied AS
  SELECT what, name, sum(n) AS n FROM (SELECT what, name, n FROM tally UNION ALL SELECT what, name, n FROM tally_change) AS added
  GROUP BY what, name;

-- Which part of the ledger an account belongs to. What customers have is told apart by whether their order is still open.
CREATE FUNCTION ledger_part(p_account text, p_is_open boolean) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN p_account LIKE 'order:%' THEN CASE WHEN p_is_open THEN 'order' ELSE 'claim' END
    WHEN p_account LIKE 'deposit:%' THEN CASE WHEN p_is_open THEN 'deposit' ELSE 'deposit claim' END
    WHEN p_account LIKE 'deposit-payment:%' THEN 'deposit payment'
    WHEN p_account LIKE 'payment:%:fee:%' THEN 'fee payment'
    WHEN p_account LIKE 'payment:treasury:%' OR p_account LIKE 'payment:%:gas%' THEN 'house payment'
    ELSE split_part(p_account, ':', 1)
  END
$$;

-- An account of one order that is empty is no account any more: balances are as many as orders on their way.
CREATE FUNCTION tally_balance() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_account text := coalesce(NEW.account, OLD.account);
  v_is_open boolean;
BEGIN
  IF coalesce(NEW.atoms, 0) <> coalesce(OLD.atoms, 0) THEN
    IF v_account LIKE 'order:%' OR v_account LIKE 'deposit:%' THEN
      SELECT is_open INTO v_is_open FROM orders WHERE id = split_part(v_account, ':', 2);
    END IF;
    INSERT INTO tally_change
    VALUES (ledger_part(v_account, v_is_open), coalesce(NEW.asset, OLD.asset), coalesce(NEW.atoms, 0) - coalesce(OLD.atoms, 0));
  END IF;
  IF NEW.atoms = 0 AND strpos(v_account, ':') > 0 THEN
    DELETE FROM balance WHERE account = v_account AND asset = NEW.asset;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER balance_tally AFTER INSERT OR UPDATE OR DELETE ON balance FOR EACH ROW EXECUTE FUNCTION tally_balance();

CREATE FUNCTION tally_order() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO tally_change
  SELECT 'open orders', phase, n FROM (VALUES (OLD.phase, OLD.is_open, -1), (NEW.phase, NEW.is_open, 1)) AS one (phase, is_open, n)
  WHERE is_open;
  IF OLD.is_open <> NEW.is_open THEN
    INSERT INTO tally_change
    SELECT ledger_part(b.account, one.is_open), b.asset, one.sign * b.atoms
    FROM balance AS b CROSS JOIN (VALUES (OLD.is_open, -1), (NEW.is_open, 1)) AS one (is_open, sign)
    WHERE b.account IN ('order:' || NEW.id, 'deposit:' || NEW.id);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER orders_tally_new AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION tally_order();
CREATE TRIGGER orders_tally AFTER UPDATE ON orders FOR EACH ROW
  WHEN ((OLD.phase, OLD.is_open) IS DISTINCT FROM (NEW.phase, NEW.is_open)) EXECUTE FUNCTION tally_order();

-- What deposits are worth that may still vanish.
CREATE FUNCTION tally_sighting() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO tally_change
  SELECT 'at stake', chain_id::text, sign * usd_micros
  FROM (VALUES (OLD.chain_id, OLD.state, OLD.usd_micros, -1), (NEW.chain_id, NEW.state, NEW.usd_micros, 1))
    AS one (chain_id, state, usd_micros, sign)
  WHERE state IN ('pool', 'mined') AND usd_micros <> 0;
  RETURN NULL;
END $$;
CREATE TRIGGER sighting_tally_new AFTER INSERT ON sighting FOR EACH ROW WHEN (NEW.usd_micros <> 0) EXECUTE FUNCTION tally_sighting();
CREATE TRIGGER sighting_tally AFTER UPDATE ON sighting FOR EACH ROW
  WHEN ((OLD.state, OLD.usd_micros) IS DISTINCT FROM (NEW.state, NEW.usd_micros)) EXECUTE FUNCTION tally_sighting();

-- Adds up what was left; one at a time does it, and whoever comes meanwhile has nothing to do.
CREATE FUNCTION fold_tally() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock(7426, 0) THEN
    RETURN;
  END IF;
  WITH gone AS (DELETE FROM tally_change RETURNING what, name, n)
  INSERT INTO tally AS t (what, name, n) SELECT what, name, sum(n) FROM gone GROUP BY what, name
  ON CONFLICT (what, name) DO UPDATE SET n = t.n + excluded.n;
END $$;

-- Counts everything anew, where rows were written beside the triggers.
CREATE FUNCTION count_tally() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE orders, balance, sighting IN SHARE MODE;
  DELETE FROM balance WHERE atoms = 0 AND strpos(account, ':') > 0;
  DELETE FROM tally_change;
  DELETE FROM tally;
  INSERT INTO tally
  SELECT 'open orders', phase, count(*) FROM orders WHERE is_open GROUP BY phase
  UNION ALL
  SELECT 'at stake', chain_id::text, sum(usd_micros) FROM sighting WHERE state IN ('pool', 'mined') AND usd_micros <> 0 GROUP BY chain_id
  UNION ALL
  SELECT ledger_part(b.account, o.is_open), b.asset, sum(b.atoms)
  FROM balance AS b LEFT JOIN orders AS o ON (b.account LIKE 'order:%' OR b.account LIKE 'deposit:%') AND o.id = split_part(b.account, ':', 2)
  GROUP BY 1, 2;
END $$;
REVOKE EXECUTE ON FUNCTION count_tally() FROM PUBLIC;
SELECT count_tally();

-- Orders are listed by how long they have stood still. Most of them are as they were made and wait for a deposit: they need nobody.
DROP INDEX orders_open;
DROP INDEX orders_busy;
CREATE INDEX orders_by_phase ON orders (phase, updated_at, id);
CREATE INDEX orders_on_the_way ON orders (updated_at, id) WHERE is_busy AND version > 0;
CREATE INDEX orders_untouched ON orders (updated_at, id) WHERE is_busy AND version = 0;
CREATE INDEX orders_our_turn ON orders (updated_at, id) WHERE is_busy AND is_our_turn;
-- Those that a provider owes something for.
CREATE INDEX orders_owed ON orders (id) WHERE expects <> '{}';

CREATE INDEX effect_troubled ON effect (due_at) WHERE trouble IS NOT NULL AND claimed_by IS NULL;
CREATE INDEX effect_lane ON effect (lane, seq) WHERE lane IS NOT NULL AND claimed_by IS NULL;

DROP INDEX sighting_live;
CREATE INDEX sighting_live ON sighting (chain_id, address COLLATE "C") WHERE state IN ('pool', 'mined') OR changed;
CREATE INDEX sighting_pool ON sighting (chain_id) WHERE state = 'pool';
-- What came to one account, the newest last.
DROP INDEX sighting_by_address;
CREATE INDEX sighting_by_address ON sighting (address, first_seen_at);

-- What the house paid and what came to it, by when.
CREATE INDEX payment_of_house ON payment (purpose, asset, created_at) WHERE owner = 'treasury';
CREATE INDEX payment_house_open ON payment (id) WHERE owner = 'treasury' AND NOT is_settled;
CREATE INDEX posting_inflow ON posting (asset, at) WHERE owner = 'treasury' AND from_account = 'world';
CREATE INDEX venue_move_by_time ON venue_move (asset, created_at);
CREATE INDEX venue_move_open ON venue_move (nonce) WHERE settled_at IS NULL;
CREATE UNIQUE INDEX attempt_by_seq ON attempt (seq);

CREATE INDEX payout_price_old ON payout_price (asked_at) WHERE address <> '';
CREATE INDEX webhook_delivery_old ON webhook_delivery (created_at) WHERE state <> 'pending';

-- A sweep looks at so many buckets after the one where the last sweep ended, and begins anew when there are no more.
DROP FUNCTION quota_sweep(bigint, bigint, integer);
CREATE FUNCTION quota_sweep(now_ms bigint, window_ms bigint, most integer, after_bucket text, OUT forgotten bigint, OUT last_bucket text)
LANGUAGE sql AS $$
  WITH looked AS (
    SELECT bucket, last_at FROM quota_bucket WHERE bucket > after_bucket ORDER BY bucket LIMIT most
  ), idle AS (
    SELECT q.bucket FROM quota_bucket AS q JOIN looked USING (bucket) WHERE q.last_at + window_ms <= now_ms FOR UPDATE OF q SKIP LOCKED
  ), slots AS (
    DELETE FROM quota_slot USING idle WHERE quota_slot.bucket = idle.bucket
  ), gone AS (
    DELETE FROM quota_bucket USING idle WHERE quota_bucket.bucket = idle.bucket RETURNING 1
  )
  SELECT (SELECT count(*) FROM gone), (SELECT max(bucket) FROM looked HAVING count(*) = most)
$$;

ALTER FUNCTION grant_rights() RENAME TO grant_rights_before_tallies;
CREATE FUNCTION grant_rights() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_left text := grant_rights_before_tallies();
BEGIN
  IF v_left IS NOT NULL THEN
    RETURN v_left;
  END IF;
  GRANT SELECT ON tally, tally_change, tallied TO wherry_api, wherry_engine;
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION grant_rights() FROM PUBLIC;
SELECT grant_rights();
