-- Orders that are made in one turn, each as place_order makes it, with its place among them. No row: no address was ready for it.
CREATE FUNCTION place_orders(p jsonb) RETURNS TABLE (place integer, deposit_index integer, deposit_address text) LANGUAGE sql AS $$
  SELECT asked.place::integer, made.deposit_index, made.deposit_address
  FROM jsonb_array_elements(p) WITH ORDINALITY AS asked (draft, place), LATERAL place_order(asked.draft) AS made
$$;
