-- What a deposit is worth at its order's price: all that is not final on a chain yet is at stake together.
ALTER TABLE sighting ADD COLUMN usd_micros numeric(40, 0);
