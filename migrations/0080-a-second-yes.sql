-- What a second person signed for payments above a value. The signer checks it; here it only waits to be shown. The last one counts.
CREATE TABLE approval (
  intent text PRIMARY KEY,
  approval text NOT NULL,
  approved_by text NOT NULL,
  reason text NOT NULL,
  at bigint NOT NULL
);
