-- What the database must know of an order is written by the code: as columns with every step, and as the one row of this table, which
-- `wherry migrate` writes. No function knows a phase, a fact or a part of an order's document by name.
CREATE TABLE order_guard (
  -- A new order's phase, and the instructions that it begins with.
  phase text NOT NULL,
  effects text[] NOT NULL,
  -- The parts of its document that are its caller's to say. All others are `born`, exactly.
  terms text[] NOT NULL,
  born jsonb NOT NULL,
  -- Nothing came for it: this is in its document, too.
  unpaid jsonb NOT NULL,
  -- What customers and operators may tell of an order, and the parts of its document that this may change.
  facts jsonb[] NOT NULL,
  changes text[] NOT NULL
);
CREATE UNIQUE INDEX order_guard_the_one ON order_guard ((true));

-- Something must happen yet without the customer's doing. Of orders that are older than this column nobody knows: they are looked at.
ALTER TABLE orders ADD COLUMN is_our_turn boolean NOT NULL DEFAULT true;
ALTER TABLE orders ALTER COLUMN is_our_turn SET DEFAULT false;
-- What a paid order has still to do on the venue's book.
ALTER TABLE orders ADD COLUMN untraded text CHECK (untraded IN ('buy', 'sell'));
CREATE INDEX orders_untraded ON orders (untraded) WHERE untraded IS NOT NULL;

-- A process that serves customers makes orders by this alone: new ones, that nobody has paid.
CREATE OR REPLACE FUNCTION place_order(p jsonb) RETURNS TABLE (deposit_index integer, deposit_address text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  g order_guard;
  v_doc jsonb := p -> 'doc';
BEGIN
  SELECT * INTO g FROM order_guard;
  IF (p ->> 'phase' = g.phase AND v_doc - g.terms = g.born AND v_doc @> g.unpaid) IS NOT TRUE
     OR EXISTS (SELECT 1 FROM jsonb_array_elements(p -> 'effects') AS e WHERE (e ->> 'kind' = ANY (g.effects)) IS NOT TRUE)
  THEN
    RAISE EXCEPTION 'a new order is one that nobody has paid' USING ERRCODE = 'WH004';
  END IF;
  RETURN QUERY SELECT * FROM create_reported_order(p);
END $$;

-- What customers and operators may ask of an order is written by this alone. It pays nothing, signs nothing, changes nothing of what
-- was promised and of what came, and moves money only back to the order's own account, of the fees that were taken of it.
-- Where the order moved meanwhile, the step itself says so.
CREATE OR REPLACE FUNCTION commit_command(p jsonb) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  g order_guard;
  o jsonb := p -> 'order';
  v_doc jsonb;
  v_version integer;
BEGIN
  SELECT * INTO g FROM order_guard;
  SELECT doc, version INTO v_doc, v_version FROM orders WHERE id = p ->> 'owner' FOR UPDATE;
  IF o IS NULL OR p ? 'attempt' OR p ? 'completes' OR jsonb_array_length(p -> 'payments') > 0
     OR (p -> 'fact' @> ANY (g.facts)) IS NOT TRUE
     OR EXISTS (
       SELECT 1 FROM jsonb_array_elements(p -> 'postings') AS one
       WHERE one ->> 'to' IS DISTINCT FROM 'order:' || (p ->> 'owner')
          OR (one ->> 'from' = 'fees' OR one ->> 'from' LIKE 'owed:%') IS NOT TRUE)
     OR EXISTS (
       SELECT 1 FROM (
         SELECT one ->> 'from' AS account, one ->> 'asset' AS asset, sum((one ->> 'atoms')::numeric) AS atoms
         FROM jsonb_array_elements(p -> 'postings') AS one GROUP BY 1, 2) AS back
       WHERE back.atoms > (
         SELECT coalesce(sum(CASE WHEN t.to_account = back.account THEN t.atoms ELSE -t.atoms END), 0) FROM posting AS t
         WHERE t.owner = p ->> 'owner' AND t.asset = back.asset AND back.account IN (t.from_account, t.to_account)))
     OR (v_version = (o ->> 'from')::integer AND v_doc - g.changes IS DISTINCT FROM (o -> 'doc') - g.changes)
  THEN
    RAISE EXCEPTION 'no customer and no operator may do this to an order' USING ERRCODE = 'WH004';
  END IF;
  RETURN commit_reported_step(p);
END $$;

-- What partners are told of a new order is its document as it is stored.
CREATE OR REPLACE FUNCTION create_reported_order(p jsonb) RETURNS TABLE (deposit_index integer, deposit_address text) LANGUAGE plpgsql AS $$
DECLARE
  r jsonb := p -> 'report';
  v_row integrator_order;
BEGIN
  RETURN QUERY SELECT * FROM create_order(p);
  IF NOT FOUND OR p ->> 'integrationId' IS NULL THEN
    RETURN;
  END IF;
  INSERT INTO integrator_order (order_id, integration_id, created_at, day, is_attributed, status, fee_status, fee_asset,
                                fee_atoms, fee_usd, volume_usd, from_symbol, to_symbol)
  VALUES (p ->> 'id', p ->> 'integrationId', (p ->> 'createdAt')::bigint, ((p ->> 'createdAt')::bigint / 86400000)::integer,
          p ->> 'endUserHash' IS NOT NULL, r ->> 'status', r ->> 'feeStatus', r ->> 'feeAsset',
          (r ->> 'feeAtoms')::numeric, (r ->> 'feeUsd')::numeric, 0, r ->> 'fromSymbol', r ->> 'toSymbol')
  RETURNING * INTO v_row;
  PERFORM tell_order(v_row.order_id, p -> 'news', 0, p -> 'doc', v_row.created_at);
  PERFORM queue_order(v_row, 1, p ->> 'endUserHash');
END $$;

ALTER FUNCTION grant_rights() RENAME TO grant_rights_of_stock;
CREATE FUNCTION grant_rights() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_left text := grant_rights_of_stock();
BEGIN
  IF v_left IS NOT NULL THEN
    RETURN v_left;
  END IF;
  GRANT SELECT ON order_guard TO wherry_api, wherry_engine;
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION grant_rights() FROM PUBLIC;
SELECT grant_rights();
