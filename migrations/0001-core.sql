-- Times are milliseconds by the service's clock; amounts are whole atoms. The guards of money live here, not in handlers.

CREATE TABLE orders (
  id text PRIMARY KEY,
  version integer NOT NULL,
  generation text NOT NULL CHECK (generation IN ('v1', 'v2')),
  product text NOT NULL,
  phase text NOT NULL,
  is_open boolean NOT NULL,
  -- Something must happen yet without the customer's or the chain's doing; a finished order may still owe a refund.
  is_busy boolean NOT NULL,
  session_hash text NOT NULL,
  integration_id text,
  key_id text,
  client_hash text NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  deposit_space text NOT NULL,
  deposit_index integer NOT NULL,
  deposit_address text NOT NULL,
  asked numeric(78, 0) NOT NULL CHECK (asked > 0),
  expected numeric(78, 0) NOT NULL CHECK (expected >= 0),
  observed numeric(78, 0) NOT NULL CHECK (observed >= 0),
  actual numeric(78, 0) CHECK (actual >= 0),
  destination text NOT NULL,
  destination_binding text NOT NULL,
  -- Given later, and written once.
  replacement text,
  refund_to text,
  from_asset text NOT NULL,
  -- The deposit is in the chain's own coin, which may arrive in ways that no transaction shows.
  from_coin boolean NOT NULL,
  -- What it waits for because the treasury lacks it, and how much of it.
  short_of text,
  short_atoms numeric(78, 0) CHECK (short_atoms > 0),
  -- Assets that a provider owes us for it, delivered or given back.
  expects text[] NOT NULL DEFAULT '{}',
  doc jsonb NOT NULL,
  UNIQUE (deposit_space, deposit_index)
);
CREATE INDEX orders_by_session ON orders (session_hash, generation, created_at DESC, id DESC);
CREATE INDEX orders_open_by_client ON orders (client_hash, created_at) WHERE is_open;
CREATE INDEX orders_open_by_integration ON orders (integration_id, created_at) WHERE is_open;
CREATE INDEX orders_open ON orders (phase) WHERE is_open;
CREATE INDEX orders_busy ON orders (updated_at) WHERE is_busy;
CREATE INDEX orders_by_coin ON orders (from_asset, is_open, created_at) WHERE from_coin;
CREATE INDEX orders_short ON orders (short_of) WHERE short_of IS NOT NULL;
CREATE INDEX orders_expecting ON orders USING gin (expects) WHERE expects <> '{}';

-- What was promised at creation never changes, and what the customer gives later is written once.
CREATE FUNCTION keep_promises() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.generation, NEW.session_hash, NEW.created_at, NEW.deposit_space, NEW.deposit_index, NEW.deposit_address,
      NEW.asked, NEW.destination, NEW.destination_binding)
     IS DISTINCT FROM
     (OLD.id, OLD.generation, OLD.session_hash, OLD.created_at, OLD.deposit_space, OLD.deposit_index, OLD.deposit_address,
      OLD.asked, OLD.destination, OLD.destination_binding)
    OR (OLD.replacement IS NOT NULL AND NEW.replacement IS DISTINCT FROM OLD.replacement)
    OR (OLD.refund_to IS NOT NULL AND NEW.refund_to IS DISTINCT FROM OLD.refund_to)
  THEN
    RAISE EXCEPTION 'order %: a write-once field was to change', OLD.id USING ERRCODE = 'WH001';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER orders_keep_promises BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION keep_promises();

-- One address, one order, for ever. Addresses are made ahead, so that creating an order needs no key and no node.
CREATE TABLE deposit_address (
  space text NOT NULL,
  index integer NOT NULL,
  address text NOT NULL,
  order_id text UNIQUE,
  PRIMARY KEY (space, index),
  UNIQUE (space, address)
);
CREATE INDEX deposit_address_free ON deposit_address (space, index) WHERE order_id IS NULL;

CREATE TABLE history (
  order_id text NOT NULL REFERENCES orders,
  version integer NOT NULL,
  key text NOT NULL,
  phase text NOT NULL,
  fact jsonb NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (order_id, version),
  UNIQUE (order_id, key)
);

-- Double entry: a posting moves atoms from one account to another. `world` is everything outside and has no balance row.
CREATE TABLE posting (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  owner text NOT NULL,
  from_account text NOT NULL,
  to_account text NOT NULL CHECK (to_account <> from_account),
  asset text NOT NULL,
  atoms numeric(78, 0) NOT NULL CHECK (atoms > 0),
  at bigint NOT NULL
);
CREATE INDEX posting_by_owner ON posting (owner, id);
CREATE TABLE balance (
  account text NOT NULL,
  asset text NOT NULL,
  atoms numeric(78, 0) NOT NULL,
  PRIMARY KEY (account, asset),
  CONSTRAINT balance_not_negative CHECK (atoms >= 0)
);

-- One payment to be made once. What it pays, from where and to whom never changes; how far it is, is in `doc`.
CREATE TABLE payment (
  id text PRIMARY KEY,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  owner text NOT NULL,
  purpose text NOT NULL,
  number integer NOT NULL,
  version integer NOT NULL,
  chain_id bigint NOT NULL,
  asset text NOT NULL,
  atoms numeric(78, 0) NOT NULL CHECK (atoms >= 0),
  to_address text NOT NULL,
  state text NOT NULL,
  is_settled boolean NOT NULL,
  created_at bigint NOT NULL,
  doc jsonb NOT NULL,
  UNIQUE (owner, purpose, number)
);
CREATE INDEX payment_by_owner ON payment (owner, seq);
CREATE INDEX payment_open ON payment (purpose) WHERE NOT is_settled;

CREATE FUNCTION keep_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.owner, NEW.purpose, NEW.number, NEW.chain_id, NEW.asset, NEW.atoms, NEW.to_address)
     IS DISTINCT FROM
     (OLD.id, OLD.owner, OLD.purpose, OLD.number, OLD.chain_id, OLD.asset, OLD.atoms, OLD.to_address)
  THEN
    RAISE EXCEPTION 'payment %: what it pays was to change', OLD.id USING ERRCODE = 'WH001';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER payment_keep BEFORE UPDATE ON payment FOR EACH ROW EXECUTE FUNCTION keep_payment();

-- Signed bytes, committed before the first of them leaves. Never deleted. An intent is what the signer knows a transfer by: a
-- payment has one, and another where gas is sent ahead.
CREATE TABLE attempt (
  chain_id bigint NOT NULL,
  tx_hash text NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  intent text NOT NULL,
  payment text NOT NULL REFERENCES payment,
  raw text NOT NULL,
  consumes text[] NOT NULL,
  cost numeric(78, 0) NOT NULL,
  created_at bigint NOT NULL,
  dead_proof text,
  PRIMARY KEY (chain_id, tx_hash)
);
CREATE INDEX attempt_by_intent ON attempt (intent, seq);
CREATE INDEX attempt_by_payment ON attempt (payment, seq);
-- What an artefact consumes by consensus (a nonce, an output) serves one intent only.
CREATE TABLE exclusivity (
  token text PRIMARY KEY,
  intent text NOT NULL
);

-- The next free nonce of every signing account, and which intent has which.
CREATE TABLE account_nonce (
  chain_id bigint NOT NULL,
  account text NOT NULL,
  next bigint NOT NULL,
  PRIMARY KEY (chain_id, account)
);
CREATE TABLE nonce (
  chain_id bigint NOT NULL,
  account text NOT NULL,
  nonce bigint NOT NULL,
  intent text NOT NULL UNIQUE,
  PRIMARY KEY (chain_id, account, nonce)
);

CREATE TABLE effect (
  key text PRIMARY KEY,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  owner text NOT NULL,
  kind text NOT NULL,
  lane text,
  body jsonb NOT NULL,
  due_at bigint NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  claimed_by bigint,
  trouble text,
  -- Since when every try has failed.
  troubled_since bigint
);
CREATE INDEX effect_due ON effect (due_at) WHERE claimed_by IS NULL;
CREATE INDEX effect_claimed ON effect (claimed_by, lane) WHERE claimed_by IS NOT NULL;
CREATE INDEX effect_by_owner ON effect (owner);

CREATE TABLE scan_cursor (
  chain_id bigint PRIMARY KEY,
  cursor jsonb NOT NULL,
  heads jsonb NOT NULL,
  at bigint NOT NULL
);

CREATE TABLE sighting (
  chain_id bigint NOT NULL,
  key text NOT NULL,
  space text NOT NULL,
  address text NOT NULL,
  asset text NOT NULL,
  atoms numeric(78, 0) NOT NULL,
  tx_hash text NOT NULL,
  height bigint,
  block_hash text,
  sender text,
  first_seen_at bigint NOT NULL,
  state text NOT NULL CHECK (state IN ('pool', 'mined', 'final', 'gone')),
  credited numeric(78, 0) NOT NULL DEFAULT 0,
  -- A mining reward paid to a deposit address: it came, and cannot be carried out.
  is_reward boolean NOT NULL DEFAULT false,
  changed boolean NOT NULL DEFAULT true,
  PRIMARY KEY (chain_id, key)
);
CREATE INDEX sighting_by_address ON sighting (space, address);
CREATE INDEX sighting_live ON sighting (chain_id) WHERE state IN ('pool', 'mined') OR changed;
CREATE INDEX sighting_by_height ON sighting (chain_id, height);

-- What came to a hot account settles one deal with a provider at most, and a deal is settled once.
CREATE TABLE delivery (
  chain_id bigint NOT NULL,
  key text NOT NULL,
  deal text NOT NULL UNIQUE,
  PRIMARY KEY (chain_id, key),
  FOREIGN KEY (chain_id, key) REFERENCES sighting (chain_id, key)
);

-- What one payout costs now, and what accounts really hold, as the engine last read it.
CREATE TABLE chain_reading (
  asset text PRIMARY KEY,
  spendable numeric(78, 0) NOT NULL,
  locked numeric(78, 0) NOT NULL,
  expected numeric(78, 0) NOT NULL,
  payout_cost numeric(78, 0),
  at bigint NOT NULL
);

-- Saved before it is signed, so that after a crash the same is signed again; never posted before its bytes are here.
CREATE TABLE ticket (
  cloid text PRIMARY KEY,
  order_id text NOT NULL REFERENCES orders,
  chunk integer NOT NULL,
  attempt integer NOT NULL,
  side text NOT NULL,
  size numeric(78, 0) NOT NULL CHECK (size > 0),
  price_limit text NOT NULL,
  nonce bigint NOT NULL UNIQUE,
  expires_after bigint NOT NULL,
  body text,
  created_at bigint NOT NULL,
  UNIQUE (order_id, chunk, attempt)
);
CREATE TABLE fill (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  trade_id text NOT NULL UNIQUE,
  order_id text NOT NULL REFERENCES orders,
  cloid text NOT NULL,
  tx_hash text,
  market text NOT NULL,
  side text NOT NULL,
  price text NOT NULL,
  base_asset text NOT NULL,
  size numeric(78, 0) NOT NULL,
  quote_asset text NOT NULL,
  quote numeric(78, 0) NOT NULL,
  fee_asset text NOT NULL,
  fee numeric(78, 0) NOT NULL,
  at bigint NOT NULL
);
CREATE INDEX fill_by_order ON fill (order_id, seq DESC);

-- Things credited once: venue ledger rows, opening balances, hot-account deposits.
CREATE TABLE credited_once (
  key text PRIMARY KEY,
  at bigint NOT NULL
);

-- The treasury's own actions on the venue: signed bytes first, posted until the venue's ledger shows their nonce.
CREATE TABLE venue_move (
  nonce bigint PRIMARY KEY,
  kind text NOT NULL,
  asset text NOT NULL,
  atoms numeric(78, 0) NOT NULL,
  body text NOT NULL,
  created_at bigint NOT NULL,
  settled_at bigint
);

CREATE TABLE process_metrics (
  worker bigint PRIMARY KEY,
  metrics jsonb NOT NULL,
  at bigint NOT NULL
);

-- What needs a person. Raised again it is open again; closed by itself when it is over, or by somebody who says why.
CREATE TABLE attention (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  owner text NOT NULL,
  kind text NOT NULL,
  subject text NOT NULL,
  doc jsonb NOT NULL,
  since bigint NOT NULL,
  closed_at bigint,
  closed_by text,
  closed_why text,
  UNIQUE (owner, kind, subject)
);
CREATE INDEX attention_open ON attention (owner) WHERE closed_at IS NULL;

CREATE FUNCTION raise_cases(p_owner text, p_cases jsonb, p_at bigint) RETURNS void LANGUAGE sql AS $$
  INSERT INTO attention AS a (owner, kind, subject, doc, since)
  SELECT DISTINCT ON (c ->> 'kind', c ->> 'subject') p_owner, c ->> 'kind', c ->> 'subject', c -> 'doc', p_at
  FROM jsonb_array_elements(p_cases) AS c
  ON CONFLICT (owner, kind, subject) DO UPDATE
  SET doc = excluded.doc, closed_at = NULL, closed_by = NULL, closed_why = NULL,
      since = CASE WHEN a.closed_at IS NULL THEN a.since ELSE excluded.since END;
$$;

CREATE FUNCTION post(p_owner text, p_postings jsonb, p_at bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  change record;
BEGIN
  INSERT INTO posting (owner, from_account, to_account, asset, atoms, at)
  SELECT p_owner, p ->> 'from', p ->> 'to', p ->> 'asset', (p ->> 'atoms')::numeric, p_at
  FROM jsonb_array_elements(p_postings) AS p;
  -- Always in the same order, so that two orders touching the treasury cannot lock each other out.
  FOR change IN
    SELECT account, asset, sum(delta) AS delta
    FROM (
      SELECT p ->> 'to' AS account, p ->> 'asset' AS asset, (p ->> 'atoms')::numeric AS delta
      FROM jsonb_array_elements(p_postings) AS p
      UNION ALL
      SELECT p ->> 'from', p ->> 'asset', -(p ->> 'atoms')::numeric FROM jsonb_array_elements(p_postings) AS p
    ) AS deltas
    WHERE account <> 'world'
    GROUP BY account, asset
    HAVING sum(delta) <> 0
    ORDER BY account, asset
  LOOP
    UPDATE balance SET atoms = atoms + change.delta WHERE account = change.account AND asset = change.asset;
    IF NOT FOUND THEN
      IF change.delta < 0 THEN
        RAISE EXCEPTION '%', change.asset USING ERRCODE = 'WH002', DETAIL = change.account;
      END IF;
      INSERT INTO balance (account, asset, atoms) VALUES (change.account, change.asset, change.delta)
      ON CONFLICT (account, asset) DO UPDATE SET atoms = balance.atoms + change.delta;
    END IF;
  END LOOP;
EXCEPTION
  WHEN check_violation THEN
    RAISE EXCEPTION '%', change.asset USING ERRCODE = 'WH002', DETAIL = change.account;
END $$;

CREATE FUNCTION add_effects(p_owner text, p_effects jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF jsonb_array_length(p_effects) = 0 THEN
    RETURN;
  END IF;
  INSERT INTO effect (key, owner, kind, lane, body, due_at)
  SELECT e ->> 'key', p_owner, e ->> 'kind', e ->> 'lane', e -> 'body', (e ->> 'due')::bigint
  FROM jsonb_array_elements(p_effects) AS e
  ON CONFLICT (key) DO NOTHING;
  PERFORM pg_notify('wherry_effect', '');
END $$;

-- Payments as they are after the fact. False: another fact moved one of them meanwhile, and nothing was changed.
CREATE FUNCTION save_payments(p_payments jsonb, p_at bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v jsonb;
BEGIN
  FOR v IN SELECT * FROM jsonb_array_elements(p_payments) LOOP
    IF (v ->> 'version')::integer > 0
       AND (SELECT version FROM payment WHERE id = v ->> 'id' FOR UPDATE) IS DISTINCT FROM (v ->> 'version')::integer - 1 THEN
      RETURN false;
    END IF;
  END LOOP;
  INSERT INTO payment AS p (id, owner, purpose, number, version, chain_id, asset, atoms, to_address, state, is_settled, created_at, doc)
  SELECT n ->> 'id', n ->> 'owner', n ->> 'purpose', (n ->> 'number')::integer, 0, (n ->> 'chainId')::bigint, n ->> 'asset',
         (n ->> 'atoms')::numeric, n ->> 'to', n ->> 'state', false, p_at, n -> 'doc'
  FROM jsonb_array_elements(p_payments) AS n WHERE (n ->> 'version')::integer = 0;
  UPDATE payment AS p
  SET version = (n ->> 'version')::integer, state = n ->> 'state', is_settled = (n ->> 'isSettled')::boolean, doc = n -> 'doc',
      atoms = (n ->> 'atoms')::numeric, to_address = n ->> 'to'
  FROM jsonb_array_elements(p_payments) AS n WHERE p.id = n ->> 'id' AND (n ->> 'version')::integer > 0;
  RETURN true;
END $$;

-- Bytes, id and exclusivity are committed together, before anything is sent.
CREATE FUNCTION save_attempt(p_attempt jsonb, p_at bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_token text;
BEGIN
  INSERT INTO attempt (chain_id, tx_hash, intent, payment, raw, consumes, cost, created_at)
  VALUES ((p_attempt ->> 'chainId')::bigint, p_attempt ->> 'txHash', p_attempt ->> 'intent', p_attempt ->> 'payment', p_attempt ->> 'raw',
          ARRAY(SELECT jsonb_array_elements_text(p_attempt -> 'consumes')), (p_attempt ->> 'cost')::numeric, p_at)
  ON CONFLICT (chain_id, tx_hash) DO NOTHING;
  FOR v_token IN SELECT jsonb_array_elements_text(p_attempt -> 'consumes') LOOP
    INSERT INTO exclusivity (token, intent) VALUES (v_token, p_attempt ->> 'intent') ON CONFLICT DO NOTHING;
    IF (SELECT intent FROM exclusivity WHERE token = v_token) <> p_attempt ->> 'intent' THEN
      RAISE EXCEPTION 'token % serves two intents', v_token USING ERRCODE = 'WH003';
    END IF;
  END LOOP;
END $$;

-- One unit of work: the fact, the order after it, and everything that must be true together with it.
-- Answers 'ok', 'stale' (the order moved meanwhile) or 'seen' (this fact was taken before).
CREATE FUNCTION commit_step(p jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  o jsonb := p -> 'order';
  v_owner text := p ->> 'owner';
  v_at bigint := (p ->> 'at')::bigint;
  v_version integer;
BEGIN
  IF o IS NOT NULL THEN
    SELECT version INTO v_version FROM orders WHERE id = v_owner FOR UPDATE;
    IF EXISTS (SELECT 1 FROM history WHERE order_id = v_owner AND key = p ->> 'key') THEN
      DELETE FROM effect WHERE key = p ->> 'completes';
      RETURN 'seen';
    END IF;
    IF v_version <> (o ->> 'from')::integer OR NOT save_payments(p -> 'payments', v_at) THEN
      RETURN 'stale';
    END IF;
    UPDATE orders
    SET version = (o ->> 'version')::integer, phase = o ->> 'phase', is_open = (o ->> 'isOpen')::boolean,
        is_busy = (o ->> 'isBusy')::boolean, updated_at = (o ->> 'updatedAt')::bigint,
        observed = (o ->> 'observed')::numeric, actual = (o ->> 'actual')::numeric,
        replacement = o ->> 'replacement', refund_to = o ->> 'refundTo',
        short_of = o ->> 'shortOf', short_atoms = (o ->> 'shortAtoms')::numeric,
        expects = ARRAY(SELECT jsonb_array_elements_text(o -> 'expects')), doc = o -> 'doc'
    WHERE id = v_owner;
    INSERT INTO history (order_id, version, key, phase, fact, at)
    VALUES (v_owner, (o ->> 'version')::integer, p ->> 'key', o ->> 'phase', p -> 'fact', v_at);
    PERFORM pg_notify('wherry_order', v_owner || ' ' || (o ->> 'version'));
  ELSE
    INSERT INTO credited_once (key, at) VALUES (p ->> 'key', v_at) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      DELETE FROM effect WHERE key = p ->> 'completes';
      RETURN 'seen';
    END IF;
    IF NOT save_payments(p -> 'payments', v_at) THEN
      DELETE FROM credited_once WHERE key = p ->> 'key';
      RETURN 'stale';
    END IF;
  END IF;
  PERFORM post(v_owner, p -> 'postings', v_at);
  IF p ? 'attempt' THEN
    PERFORM save_attempt(p -> 'attempt', v_at);
  END IF;
  IF jsonb_array_length(p -> 'over') > 0 THEN
    UPDATE attention AS a SET closed_at = v_at FROM jsonb_array_elements(p -> 'over') AS c
    WHERE a.owner = v_owner AND a.closed_at IS NULL AND a.kind = c ->> 'case'
      AND (NOT c ? 'subject' OR a.subject = c ->> 'subject');
  END IF;
  IF jsonb_array_length(p -> 'cases') > 0 THEN
    PERFORM raise_cases(v_owner, p -> 'cases', v_at);
  END IF;
  PERFORM add_effects(v_owner, p -> 'effects');
  DELETE FROM effect WHERE key = p ->> 'completes';
  RETURN 'ok';
END $$;

-- Takes a fresh deposit address and stores the order with it. No row: no address is ready.
CREATE FUNCTION create_order(p jsonb) RETURNS TABLE (deposit_index integer, deposit_address text) LANGUAGE plpgsql AS $$
DECLARE
  taken record;
BEGIN
  UPDATE deposit_address AS a SET order_id = p ->> 'id'
  WHERE (a.space, a.index) = (
    SELECT f.space, f.index FROM deposit_address AS f
    WHERE f.space = p ->> 'space' AND f.order_id IS NULL
    ORDER BY f.index LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING a.index, a.address INTO taken;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  INSERT INTO orders (id, version, generation, product, phase, is_open, is_busy, session_hash, integration_id, key_id, client_hash,
                      created_at, updated_at, expires_at, deposit_space, deposit_index, deposit_address, asked, expected, observed,
                      destination, destination_binding, refund_to, from_asset, from_coin, doc)
  VALUES (p ->> 'id', 0, p ->> 'generation', p ->> 'product', p ->> 'phase', true, true, p ->> 'sessionHash', p ->> 'integrationId',
          p ->> 'keyId', p ->> 'clientHash', (p ->> 'createdAt')::bigint, (p ->> 'createdAt')::bigint,
          (p ->> 'expiresAt')::bigint, p ->> 'space', taken.index, taken.address, (p ->> 'asked')::numeric,
          (p ->> 'expected')::numeric, 0, p ->> 'destination', p ->> 'destinationBinding', p ->> 'refundTo', p ->> 'fromAsset',
          (p ->> 'fromCoin')::boolean, p -> 'doc');
  INSERT INTO effect (key, owner, kind, lane, body, due_at)
  SELECT e ->> 'key', p ->> 'id', e ->> 'kind', e ->> 'lane', e -> 'body', (e ->> 'due')::bigint
  FROM jsonb_array_elements(p -> 'effects') AS e;
  RETURN QUERY SELECT taken.index, taken.address;
END $$;

-- Blocks, matches and the cursor move together, from the cursor that the page was read after: a scanner that was overtaken saves
-- nothing. What a reorganisation or the pool took away is marked, never deleted; what comes back may have another amount.
CREATE FUNCTION save_page(p jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_chain bigint := (p ->> 'chainId')::bigint;
  v_keys text[] := ARRAY(SELECT s ->> 'key' FROM jsonb_array_elements(p -> 'sightings') AS s);
BEGIN
  INSERT INTO scan_cursor AS c (chain_id, cursor, heads, at)
  VALUES (v_chain, p -> 'cursor', p -> 'heads', (p ->> 'at')::bigint)
  ON CONFLICT (chain_id) DO UPDATE SET cursor = EXCLUDED.cursor, heads = EXCLUDED.heads, at = EXCLUDED.at
  WHERE c.cursor = p -> 'after';
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  UPDATE sighting SET state = 'gone', height = NULL, block_hash = NULL, credited = 0, changed = true
  WHERE chain_id = v_chain AND key <> ALL (v_keys)
    AND (height > (p ->> 'rewoundTo')::bigint
      OR (state = 'pool' AND key <> ALL (ARRAY(SELECT jsonb_array_elements_text(p -> 'pool')))));
  INSERT INTO sighting (chain_id, key, space, address, asset, atoms, tx_hash, height, block_hash, sender, first_seen_at, state)
  SELECT v_chain, s ->> 'key', p ->> 'space', s ->> 'address', s ->> 'asset', (s ->> 'atoms')::numeric, s ->> 'txHash',
         (s ->> 'height')::bigint, s ->> 'blockHash', s ->> 'sender', (p ->> 'at')::bigint,
         CASE WHEN s ->> 'height' IS NULL THEN 'pool' ELSE 'mined' END
  FROM jsonb_array_elements(p -> 'sightings') AS s
  ON CONFLICT (chain_id, key) DO UPDATE
  SET height = EXCLUDED.height, block_hash = EXCLUDED.block_hash, state = EXCLUDED.state, sender = EXCLUDED.sender,
      atoms = EXCLUDED.atoms, credited = 0, changed = true
  WHERE (sighting.state, sighting.block_hash) IS DISTINCT FROM (EXCLUDED.state, EXCLUDED.block_hash)
    AND NOT (sighting.state = 'final' AND sighting.block_hash = EXCLUDED.block_hash)
    AND NOT (sighting.state IN ('mined', 'final') AND EXCLUDED.state = 'pool');
  RETURN true;
END $$;
