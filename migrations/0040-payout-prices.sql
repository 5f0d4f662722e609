-- What paying an address costs, asked by those who quote and answered by an engine: only engines talk to nodes. The row with an
-- empty address is the dearer ordinary case of that asset.

CREATE TABLE payout_price (
  asset text NOT NULL,
  address text NOT NULL,
  asked_at bigint NOT NULL,
  answered_at bigint,
  usual numeric(78, 0),
  opening numeric(78, 0),
  PRIMARY KEY (asset, address)
);
CREATE INDEX payout_price_asked ON payout_price (asked_at) WHERE answered_at IS NULL OR answered_at < asked_at;
