-- What the house buys, or bridges, for its own stock: noted, opened by its payment in the same row, and then done, lost, or void because
-- nothing was ever paid. Two engines, or one that was away for long, cannot both have it.
ALTER TABLE stock_fill DROP CONSTRAINT stock_fill_state_check;
ALTER TABLE stock_fill ADD CONSTRAINT stock_fill_state_check CHECK (state IN ('noted', 'open', 'done', 'lost', 'void')) NOT VALID;
DROP INDEX stock_fill_open;
CREATE UNIQUE INDEX stock_fill_open ON stock_fill (asset) WHERE state IN ('noted', 'open');
CREATE INDEX stock_fill_by_time ON stock_fill (created_at);

-- A number that nobody noted here is one that a restored database has forgotten; its bytes exist.
CREATE FUNCTION open_stock_fill() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE stock_fill SET state = 'open' WHERE number = NEW.number AND state = 'noted';
  IF NOT FOUND AND EXISTS (SELECT 1 FROM stock_fill WHERE number = NEW.number) THEN
    RAISE EXCEPTION 'payment %: its purchase was given up', NEW.id USING ERRCODE = 'WH001';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER payment_opens_stock_fill AFTER INSERT ON payment FOR EACH ROW WHEN (NEW.purpose = 'stock_fill') EXECUTE FUNCTION open_stock_fill();
