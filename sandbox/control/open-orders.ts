import pg from 'pg';
import type { Phase } from '../../src/life/order/state.ts';
import type { StoredOrder } from '../../src/store/stored-order.ts';

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
/** It may still be paid, late. */
const LATE: Phase = 'expired';
const TEXT = `SELECT id, phase, product, deposit_address, asked, observed, expires_at, doc
  FROM orders WHERE is_open OR is_busy OR phase = $1 ORDER BY created_at DESC LIMIT ${NEWEST}`;

interface Row {
  readonly id: string;
  readonly phase: string;
  readonly product: string;
  readonly deposit_address: string;
  readonly asked: string;
  readonly observed: string;
  readonly expires_at: string;
  readonly doc: Pick<StoredOrder, 'from' | 'to'>;
}

/** Read from the sandbox's own database, since no call of the service lists the orders of strangers. */
export async function openOrders(database: string): Promise<readonly OpenOrder[]> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    const { rows } = await client.query<Row>(TEXT, [LATE]);
    return rows.map(({ id, phase, product, deposit_address, asked, observed, expires_at, doc: { from, to } }) => ({
      id,
      phase,
      chainId: from.chainId,
      token: from.token,
      symbol: from.symbol,
      decimals: from.decimals,
      to: to.symbol,
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
