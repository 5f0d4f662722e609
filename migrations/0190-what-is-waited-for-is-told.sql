-- Deposit addresses are made ahead, and made anew when some are taken. A notification makes commits wait for each other, so that one in
-- sixteen tells it: as many more may be missing until the next look by the clock.
CREATE FUNCTION tell_address_taken() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('wherry_address', '');
  RETURN NULL;
END $$;
CREATE TRIGGER address_taken AFTER UPDATE OF order_id ON deposit_address FOR EACH ROW
  WHEN (OLD.order_id IS NULL AND NEW.order_id IS NOT NULL AND NEW.index % 16 = 15)
  EXECUTE FUNCTION tell_address_taken();
