-- Orders that ask for a chain's own coin, by coin: their addresses are looked at for coins that no transaction shows.
CREATE INDEX orders_by_coin ON orders ((doc #>> '{from,id}'), is_open, created_at) WHERE doc #>> '{from,native}' = 'true';
