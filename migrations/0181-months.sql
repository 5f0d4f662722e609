-- What only tells how something came about (facts of orders, postings of the ledger) lies in one table for each month, so that a month
-- whose orders are done with can be taken away. What makes paying once true stays whole, with its unique indexes: orders, payments,
-- attempts, exclusivity, nonces, sightings, deliveries, tickets, fills, credited_once.

-- 202611 for November 2026, UTC.
CREATE FUNCTION month_of(p_at bigint) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (extract(year FROM to_timestamp(p_at / 1000) AT TIME ZONE 'UTC') * 100
    + extract(month FROM to_timestamp(p_at / 1000) AT TIME ZONE 'UTC'))::integer
$$;
CREATE FUNCTION month_after(p_month integer) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_month % 100 = 12 THEN p_month + 89 ELSE p_month + 1 END
$$;
CREATE FUNCTION month_start(p_month integer) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (extract(epoch FROM make_timestamp(p_month / 100, p_month % 100, 1, 0, 0, 0)) * 1000)::bigint
$$;

-- All facts of an order are in the month in which it was made, and the foreign key says so: one fact of a key and one of a version for an
-- order is what the unique indexes of a month hold, as those of one table did.
ALTER TABLE orders ADD COLUMN month integer NOT NULL GENERATED ALWAYS AS (month_of(created_at)) STORED;
ALTER TABLE orders ADD CONSTRAINT orders_month UNIQUE (id, month);

DO $$
DECLARE
  v_index name;
BEGIN
  FOR v_index IN SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() AND tablename IN ('history', 'posting') LOOP
    EXECUTE format('ALTER INDEX %I RENAME TO %I', v_index, 'whole_' || v_index);
  END LOOP;
END $$;
ALTER TABLE history RENAME TO whole_history;
ALTER TABLE posting RENAME TO whole_posting;

CREATE TABLE history (
  order_id text NOT NULL,
  month integer NOT NULL,
  version integer NOT NULL,
  key text NOT NULL,
  phase text NOT NULL,
  fact jsonb NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (order_id, month, version),
  UNIQUE (order_id, month, key),
  FOREIGN KEY (order_id, month) REFERENCES orders (id, month)
) PARTITION BY LIST (month);
-- What has no month of its own, so that nothing ever fails for want of one.
CREATE TABLE history_other PARTITION OF history DEFAULT;

-- Postings are in the month in which they were made.
CREATE SEQUENCE posting_number AS bigint;
CREATE TABLE posting (
  id bigint NOT NULL DEFAULT nextval('posting_number'),
  owner text NOT NULL,
  from_account text NOT NULL,
  to_account text NOT NULL CHECK (to_account <> from_account),
  asset text NOT NULL,
  atoms numeric(78, 0) NOT NULL CHECK (atoms > 0),
  at bigint NOT NULL,
  PRIMARY KEY (id, at)
) PARTITION BY RANGE (at);
ALTER SEQUENCE posting_number OWNED BY posting.id;
CREATE TABLE posting_other PARTITION OF posting DEFAULT;
CREATE INDEX posting_by_owner ON posting (owner, id);
CREATE INDEX posting_of_gas ON posting (asset, owner COLLATE "C") WHERE to_account = 'gas' OR from_account = 'gas';
CREATE INDEX posting_by_time ON posting USING brin (at);
CREATE INDEX posting_inflow ON posting (asset, at) WHERE owner = 'treasury' AND from_account = 'world';

-- Months that were taken away: into which file, and what of it is known by.
CREATE TABLE month_taken (
  month integer PRIMARY KEY,
  at bigint NOT NULL,
  file text NOT NULL,
  sha256 text NOT NULL,
  facts bigint NOT NULL,
  postings bigint NOT NULL
);
-- What the postings that went with such a month had changed, by account, so that balances can be recounted without them.
CREATE TABLE month_sum (
  month integer NOT NULL REFERENCES month_taken,
  account text NOT NULL,
  asset text NOT NULL,
  atoms numeric(78, 0) NOT NULL,
  PRIMARY KEY (month, account, asset)
);
-- The facts that an order of such a month has taken, by their keys: none of them is taken again.
CREATE TABLE taken_facts (
  order_id text PRIMARY KEY REFERENCES orders,
  version integer NOT NULL,
  keys text[] NOT NULL
);

-- What comes for an order of a month that was taken away is caught above, and its old facts are known here only.
CREATE FUNCTION keep_facts_single() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM taken_facts WHERE order_id = NEW.order_id AND (NEW.key = ANY (keys) OR NEW.version <= version)) THEN
    RAISE EXCEPTION 'order %: fact % was taken before its month was taken away', NEW.order_id, NEW.key USING ERRCODE = 'unique_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER history_other_single BEFORE INSERT ON history_other FOR EACH ROW EXECUTE FUNCTION keep_facts_single();

-- Tables of a month; false where they are there, or the month was taken away. Orders are locked first, as every step locks them first,
-- so that nobody waits in a circle; what the other table caught meanwhile moves over.
CREATE FUNCTION make_month(p_month integer) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '5s' AS $$
BEGIN
  IF to_regclass('history_' || p_month) IS NOT NULL OR EXISTS (SELECT 1 FROM month_taken WHERE month = p_month) THEN
    RETURN false;
  END IF;
  LOCK TABLE orders IN SHARE ROW EXCLUSIVE MODE;
  IF to_regclass('history_' || p_month) IS NOT NULL THEN
    RETURN false;
  END IF;
  LOCK TABLE history_other, posting_other IN ACCESS EXCLUSIVE MODE;
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

-- This month and the next two.
CREATE FUNCTION make_months(p_now bigint) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
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
END $$;

-- How many months in a row, from this one on, have tables.
CREATE FUNCTION months_ready(p_now bigint) RETURNS integer LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_month integer := month_of(p_now);
  v_ready integer := 0;
BEGIN
  WHILE v_ready < 12 AND to_regclass('history_' || v_month) IS NOT NULL LOOP
    v_ready := v_ready + 1;
    v_month := month_after(v_month);
  END LOOP;
  RETURN v_ready;
END $$;

SELECT make_month(month) FROM (
  SELECT month FROM orders WHERE month BETWEEN 202001 AND 212012
  UNION SELECT month_of(at) FROM whole_posting WHERE month_of(at) BETWEEN 202001 AND 212012 ORDER BY month) AS known;
SELECT make_months((extract(epoch FROM now()) * 1000)::bigint);
INSERT INTO history (order_id, month, version, key, phase, fact, at)
SELECT h.order_id, o.month, h.version, h.key, h.phase, h.fact, h.at FROM whole_history AS h JOIN orders AS o ON o.id = h.order_id;
INSERT INTO posting (id, owner, from_account, to_account, asset, atoms, at)
SELECT id, owner, from_account, to_account, asset, atoms, at FROM whole_posting ORDER BY id;
SELECT setval('posting_number', coalesce(max(id), 0) + 1, false) FROM posting;
DROP TABLE whole_history;
DROP TABLE whole_posting;

CREATE FUNCTION is_fact_taken(p_order text, p_month integer, p_key text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM history WHERE order_id = p_order AND month = p_month AND key = p_key)
    OR EXISTS (SELECT 1 FROM month_taken AS m JOIN taken_facts AS f ON f.order_id = p_order WHERE m.month = p_month AND p_key = ANY (f.keys))
$$;

-- As before, with the month of each order: its facts are looked for and written there alone.
CREATE OR REPLACE FUNCTION commit_steps(p_steps jsonb) RETURNS text[] LANGUAGE plpgsql
-- Planned once, whatever the number of steps; and what was planned while the tables were small holds when they are not.
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  v_steps jsonb[] := ARRAY(SELECT jsonb_array_elements(p_steps));
  v_orders text[] := ARRAY(SELECT s ->> 'owner' FROM unnest(v_steps) AS s WHERE s ? 'order');
  v_payments text[] := ARRAY(SELECT p ->> 'id' FROM unnest(v_steps) AS s, jsonb_array_elements(s -> 'payments') AS p);
  v_house text[] := ARRAY(SELECT s ->> 'key' FROM unnest(v_steps) AS s WHERE NOT s ? 'order');
  v_new text[];
  v_results text[];
  v_taken jsonb[];
  v_completed text[];
BEGIN
  -- Orders before payments before balances, and each of them in one order.
  PERFORM 1 FROM orders WHERE id = ANY (v_orders) ORDER BY id FOR UPDATE;
  IF v_house <> '{}' THEN
    WITH noted AS (
      INSERT INTO credited_once (key, at) SELECT s ->> 'key', (s ->> 'at')::bigint FROM unnest(v_steps) AS s WHERE NOT s ? 'order'
      ON CONFLICT DO NOTHING RETURNING key)
    SELECT array_agg(key) INTO v_new FROM noted;
  END IF;
  IF v_payments <> '{}' THEN
    PERFORM 1 FROM payment WHERE id = ANY (v_payments) ORDER BY id FOR UPDATE;
  END IF;
  SELECT array_agg(result ORDER BY n), array_agg(s ORDER BY n) FILTER (WHERE result = 'ok'),
         array_agg(s ->> 'completes') FILTER (WHERE result <> 'stale' AND s ? 'completes')
  INTO v_results, v_taken, v_completed
  FROM (
    SELECT n, s, CASE
      WHEN CASE WHEN s ? 'order' THEN (SELECT is_fact_taken(o.id, o.month, s ->> 'key') FROM orders AS o WHERE o.id = s ->> 'owner')
                ELSE (s ->> 'key' = ANY (v_new)) IS NOT TRUE END THEN 'seen'
      WHEN s ? 'order' AND (SELECT version FROM orders WHERE id = s ->> 'owner') IS DISTINCT FROM (s #>> '{order,from}')::integer THEN 'stale'
      WHEN EXISTS (
        SELECT 1 FROM jsonb_array_elements(s -> 'payments') AS p
        WHERE (p ->> 'version')::integer > 0
          AND (SELECT version FROM payment WHERE id = p ->> 'id') IS DISTINCT FROM (p ->> 'version')::integer - 1) THEN 'stale'
      ELSE 'ok' END AS result
    FROM unnest(v_steps) WITH ORDINALITY AS steps (s, n)) AS judged;
  IF v_house <> '{}' THEN
    DELETE FROM credited_once USING unnest(v_steps, v_results) AS judged (s, result)
    WHERE result = 'stale' AND NOT s ? 'order' AND credited_once.key = s ->> 'key';
  END IF;
  DELETE FROM effect WHERE key = ANY (v_completed);
  IF v_taken IS NULL THEN
    RETURN v_results;
  END IF;

  IF v_payments <> '{}' THEN
    PERFORM save_step_payments(v_taken);
  END IF;
  IF v_orders <> '{}' THEN
    UPDATE orders
    SET version = (o ->> 'version')::integer, phase = o ->> 'phase', is_open = (o ->> 'isOpen')::boolean,
        is_busy = (o ->> 'isBusy')::boolean, is_our_turn = (o ->> 'isOurTurn')::boolean, updated_at = (o ->> 'updatedAt')::bigint,
        observed = (o ->> 'observed')::numeric, actual = (o ->> 'actual')::numeric,
        replacement = o ->> 'replacement', refund_to = o ->> 'refundTo',
        short_of = o ->> 'shortOf', short_atoms = (o ->> 'shortAtoms')::numeric,
        expects = ARRAY(SELECT jsonb_array_elements_text(o -> 'expects')), untraded = o ->> 'untraded', doc = o -> 'doc'
    FROM unnest(v_taken) AS s, LATERAL (SELECT s -> 'order' AS o) AS part
    WHERE id = s ->> 'owner' AND orders.version = (o ->> 'from')::integer;
    -- Two steps of an order, or two from one version, meet here.
    INSERT INTO history (order_id, month, version, key, phase, fact, at)
    SELECT s ->> 'owner', (SELECT month FROM orders WHERE id = s ->> 'owner'), (s #>> '{order,version}')::integer, s ->> 'key',
           s #>> '{order,phase}', s -> 'fact', (s ->> 'at')::bigint
    FROM unnest(v_taken) AS s WHERE s ? 'order';
    PERFORM pg_notify('wherry_order', (s ->> 'owner') || ' ' || (s #>> '{order,version}')) FROM unnest(v_taken) AS s WHERE s ? 'order';
    PERFORM tell_order(s ->> 'owner', s -> 'news', (s #>> '{order,version}')::integer, s #> '{order,doc}', (s ->> 'at')::bigint)
    FROM unnest(v_taken) AS s WHERE jsonb_array_length(s -> 'news') > 0;
    PERFORM report_orders(v_taken);
  END IF;
  PERFORM save_attempt(s -> 'attempt', (s ->> 'at')::bigint) FROM unnest(v_taken) AS s WHERE s ? 'attempt';
  UPDATE attention AS a SET closed_at = (s ->> 'at')::bigint
  FROM unnest(v_taken) AS s, jsonb_array_elements(s -> 'over') AS c
  WHERE a.owner = s ->> 'owner' AND a.closed_at IS NULL AND a.kind = c ->> 'case' AND (NOT c ? 'subject' OR a.subject = c ->> 'subject');
  PERFORM raise_cases(s ->> 'owner', s -> 'cases', (s ->> 'at')::bigint)
  FROM unnest(v_taken) AS s WHERE jsonb_array_length(s -> 'cases') > 0;
  PERFORM add_step_effects(v_taken);
  PERFORM post_steps(v_taken);
  RETURN v_results;
END $$;

-- Orders of a month, or of one before it, that keep it from being taken away, each with why: all that may still move money for one.
CREATE FUNCTION month_blockers(p_month integer) RETURNS TABLE (why text, order_id text) LANGUAGE sql STABLE AS $$
  WITH past AS (SELECT month_start(month_after(p_month)) AS until)
  SELECT 'not_final', o.id FROM orders AS o, past WHERE o.is_open AND o.created_at < past.until
  UNION ALL SELECT 'not_settled', o.id FROM orders AS o, past WHERE o.is_busy AND NOT o.is_open AND o.created_at < past.until
  UNION ALL SELECT 'payment', o.id FROM payment AS p JOIN orders AS o ON o.id = p.owner, past
    WHERE NOT p.is_settled AND o.created_at < past.until
  UNION ALL SELECT 'case', o.id FROM attention AS a JOIN orders AS o ON o.id = a.owner, past
    WHERE a.closed_at IS NULL AND o.created_at < past.until
  UNION ALL SELECT 'claim', o.id FROM balance AS b JOIN orders AS o ON o.id = split_part(b.account, ':', 2), past
    WHERE b.atoms > 0 AND split_part(b.account, ':', 1) IN ('order', 'deposit', 'payment', 'deposit-payment') AND o.created_at < past.until
  UNION ALL SELECT 'partner_fee', f.order_id FROM integrator_order AS f, past WHERE f.fee_status = 'projected' AND f.created_at < past.until
  UNION ALL SELECT 'instruction', o.id FROM effect AS e JOIN orders AS o ON o.id = e.owner, past WHERE o.created_at < past.until
  UNION ALL SELECT 'deposit', o.id FROM sighting AS s JOIN deposit_address AS d ON d.space = s.space AND d.address = s.address
    JOIN orders AS o ON o.id = d.order_id, past
    WHERE (s.state IN ('pool', 'mined') OR s.changed) AND o.created_at < past.until
$$;

-- Takes a month away that was written into a file, all of it or nothing. What is still gone by stays: keys of facts, what its postings
-- changed, and postings of gas that tell how much of it lies where (they go to the table of what has no month).
CREATE FUNCTION take_month(p_month integer, p_now bigint, p_file text, p_sha256 text) RETURNS void
LANGUAGE plpgsql SET lock_timeout = '5s' AS $$
DECLARE
  v_blocker record;
BEGIN
  -- In the order in which steps lock them.
  LOCK TABLE orders, history, posting IN ACCESS EXCLUSIVE MODE;
  SELECT * INTO v_blocker FROM month_blockers(p_month) LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'month % cannot go: order % (%)', p_month, v_blocker.order_id, v_blocker.why USING ERRCODE = 'WH005';
  END IF;
  EXECUTE format($s$
    INSERT INTO month_taken VALUES (%1$s, $1, $2, $3, (SELECT count(*) FROM history_%1$s), (SELECT count(*) FROM posting_%1$s))
  $s$, p_month) USING p_now, p_file, p_sha256;
  EXECUTE format($s$
    ALTER TABLE history DETACH PARTITION history_%1$s;
    ALTER TABLE posting DETACH PARTITION posting_%1$s;
    INSERT INTO taken_facts SELECT order_id, max(version), array_agg(key ORDER BY version) FROM history_%1$s GROUP BY order_id;
    WITH kept AS (
      DELETE FROM posting_%1$s AS p WHERE (p.to_account = 'gas' OR p.from_account = 'gas') AND (p.owner, p.asset) IN (
        SELECT owner, asset FROM posting_%1$s WHERE to_account = 'gas' OR from_account = 'gas' GROUP BY owner, asset
        HAVING sum(CASE WHEN to_account = 'gas' THEN atoms ELSE -atoms END) <> 0)
      RETURNING *)
    INSERT INTO posting SELECT * FROM kept;
    INSERT INTO month_sum
    SELECT %1$s, account, asset, sum(atoms) FROM (
      SELECT to_account AS account, asset, atoms FROM posting_%1$s
      UNION ALL SELECT from_account, asset, -atoms FROM posting_%1$s) AS moved
    WHERE account <> 'world' GROUP BY account, asset HAVING sum(atoms) <> 0;
    DROP TABLE history_%1$s;
    DROP TABLE posting_%1$s;
  $s$, p_month);
END $$;

REVOKE EXECUTE ON FUNCTION make_months(bigint), make_month(integer), take_month(integer, bigint, text, text) FROM PUBLIC;

ALTER FUNCTION grant_rights() RENAME TO grant_rights_of_guard;
CREATE FUNCTION grant_rights() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_left text := grant_rights_of_guard();
BEGIN
  IF v_left IS NOT NULL THEN
    RETURN v_left;
  END IF;
  GRANT SELECT ON month_taken, month_sum, taken_facts TO wherry_api, wherry_engine;
  GRANT USAGE ON SEQUENCE posting_number TO wherry_engine;
  GRANT EXECUTE ON FUNCTION make_months(bigint) TO wherry_engine;
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION grant_rights() FROM PUBLIC;
SELECT grant_rights();
