-- What operators did: who, when, what, for which reason, and what came of it. It is written before it is done and never taken back.
CREATE TABLE operator_act (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at bigint NOT NULL,
  operator text NOT NULL,
  act text NOT NULL,
  details jsonb NOT NULL,
  reason text,
  -- What was answered, and its words where it was refused. Without it nobody lived to write down how it ended.
  status integer,
  answer text
);
CREATE INDEX operator_act_by_operator ON operator_act (operator, id);

CREATE FUNCTION keep_operator_act() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF OLD.status IS NULL AND (NEW.id, NEW.at, NEW.operator, NEW.act, NEW.details, NEW.reason)
       IS NOT DISTINCT FROM (OLD.id, OLD.at, OLD.operator, OLD.act, OLD.details, OLD.reason) THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'what operators did is not changed afterwards' USING ERRCODE = 'WH001';
END $$;
CREATE TRIGGER operator_act_keep BEFORE UPDATE OR DELETE ON operator_act FOR EACH ROW EXECUTE FUNCTION keep_operator_act();
CREATE TRIGGER operator_act_keep_all BEFORE TRUNCATE ON operator_act FOR EACH STATEMENT EXECUTE FUNCTION keep_operator_act();
