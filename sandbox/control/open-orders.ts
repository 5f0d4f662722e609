import pg from 'pg';

/** An order that waits for money or is being worked on, as far as somebody needs to know it who plays the customer. */
export interface OpenOrder {
  readonly id: string;
  readonly phase: string;
  readonly chainId: number;
  readonly token: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly to: string;
  readonly depositAddress: string;
  readonly asked: bigint;
  readonly observed: bigint;
  readonly expiresAt: number;
  readonly isBridge: boolean;
}

const NEWEST = 100;
const TEXT = `SELECT id, phase, product, deposit_address, asked, observed, expires_at,
    doc -> 'from' AS source, doc -> 'to' ->> 'symbol' AS target
  FROM orders WHERE is_open OR is_busy OR phase = 'expired' ORDER BY created_at DESC LIMIT ${NEWEST}`;

interface Row {
  readonly id: string;
  readonly phase: string;
  readonly product: string;
  readonly deposit_address: string;
  readonly asked: string;
  readonly observed: string;
  readonly expires_at: string;
  readonly source: Pick<OpenOrder, 'chainId' | 'token' | 'symbol' | 'decimals'>;
  readonly target: string;
}

/** Read from the sandbox's own database, since no call of the service lists the orders of strangers. */
export async function openOrders(database: string): Promise<readonly OpenOrder[]> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    const { rows } = await client.query<Row>(TEXT);
    return rows.map(({ id, phase, product, deposit_address, asked, observed, expires_at, source, target }) => ({
      id,
      phase,
      chainId: source.chainId,
      token: source.token,
      symbol: source.symbol,
      decimals: source.decimals,
      to: target,
      depositAddress: deposit_address,
      asked: BigInt(asked),
      observed: BigInt(observed),
      expiresAt: Number(expires_at),
      isBridge: product === 'bridge',
    }));
  } finally {
    await client.end();
  }
}
