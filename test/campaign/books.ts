import type { Order } from '../../src/life/order/order.ts';
import type { Payment } from '../../src/life/payment/payment.ts';
import { decode } from '../../src/store/codec.ts';
import type { Row, Statement } from '../../src/store/db.ts';
import type { Store } from './troubles.ts';

export interface Attempt {
  readonly txHash: string;
  readonly chain: number;
  readonly intent: string;
  readonly payment: string;
  readonly consumes: readonly string[];
  readonly isDead: boolean;
}

/** What the desk itself has on record when all is over. */
export interface Books {
  readonly orders: readonly (Order & { readonly isBusy: boolean })[];
  readonly payments: readonly Payment[];
  readonly attempts: readonly Attempt[];
  readonly sightings: readonly Row[];
  readonly balances: readonly { readonly account: string; readonly asset: string; readonly atoms: bigint }[];
  readonly postings: readonly Row[];
  /** Kept sums that differ from what counting anew gives. */
  readonly miscounted: readonly Row[];
  readonly cases: readonly { readonly owner: string; readonly kind: string; readonly reason: string }[];
  readonly history: readonly { readonly order: string; readonly phase: string }[];
  readonly addresses: readonly Row[];
  /** Which sighting settled which deal with a provider. */
  readonly deliveries: readonly { readonly key: string; readonly deal: string }[];
  /** By asset, what the hot account should hold. */
  readonly expected: ReadonlyMap<string, bigint>;
}

const ask = (name: string, text: string): Statement => ({ name: `campaign_${name}`, text });
const ORDERS = ask(
  'orders',
  `SELECT doc, is_busy, deposit_address, deposit_index, version FROM orders ORDER BY created_at, id`,
);
const PAYMENTS = ask('payments', 'SELECT doc FROM payment ORDER BY seq');
const ATTEMPTS = ask('attempts', 'SELECT * FROM attempt ORDER BY seq');
const SIGHTINGS = ask('sightings', 'SELECT * FROM sighting ORDER BY chain_id, key');
const BALANCES = ask('balances', 'SELECT * FROM balance ORDER BY account, asset');
const POSTINGS = ask('postings', 'SELECT * FROM posting ORDER BY id');
const MISCOUNTED = ask(
  'miscounted',
  `WITH counted AS (
      SELECT 'open orders' AS what, phase AS name, count(*)::numeric AS n FROM orders WHERE is_open GROUP BY phase
      UNION ALL SELECT 'at stake', chain_id::text, sum(usd_micros) FROM sighting
        WHERE state = 'mined' AND usd_micros <> 0 GROUP BY chain_id
      UNION ALL SELECT ledger_part(account, (SELECT is_open FROM orders WHERE id = split_part(account, ':', 2))), asset, sum(atoms)
        FROM balance GROUP BY 1, 2
      UNION ALL SELECT 'result', asset, sum(result_of(p)) FROM posting AS p WHERE owner <> 'treasury' GROUP BY asset),
    kept AS (SELECT what, name, n FROM tallied UNION ALL SELECT 'result', asset, sum(atoms) FROM result GROUP BY asset)
    SELECT what, name, coalesce(t.n, 0) AS kept, coalesce(c.n, 0) AS counted
    FROM kept AS t FULL JOIN counted AS c USING (what, name) WHERE coalesce(t.n, 0) <> coalesce(c.n, 0)`,
);
const CASES = ask(
  'cases',
  `SELECT owner, kind, coalesce(doc ->> 'reason', '') AS reason FROM attention WHERE closed_at IS NULL ORDER BY id`,
);
const HISTORY = ask('history', 'SELECT order_id, phase FROM history ORDER BY order_id, version');
const ADDRESSES = ask('addresses', 'SELECT address, order_id FROM deposit_address WHERE order_id IS NOT NULL');
const DELIVERIES = ask('deliveries', 'SELECT chain_id, key, deal FROM delivery ORDER BY deal');
const EXPECTED = ask(
  'expected',
  `SELECT asset, sum(atoms) AS atoms FROM balance
    WHERE account NOT IN ('gas', 'cold', 'world') AND account NOT LIKE 'deposit:%' AND account NOT LIKE 'deposit-payment:%'
      AND account NOT LIKE 'left:%' GROUP BY asset`,
);

export async function readBooks({ db }: Store): Promise<Books> {
  const rows = async (statement: Statement) => db.query(statement);
  const payments = (await rows(PAYMENTS)).map((row) => decode<Payment>(row.doc));
  return {
    orders: (await rows(ORDERS)).map((row) => ({
      ...decode<Order>(row.doc),
      depositAddress: row.deposit_address as Order['depositAddress'],
      isBusy: row.is_busy === true,
    })),
    payments,
    attempts: (await rows(ATTEMPTS)).map((row) => ({
      txHash: String(row.tx_hash),
      chain: Number(row.chain_id),
      intent: String(row.intent),
      payment: String(row.payment),
      consumes: row.consumes as string[],
      isDead: row.dead_proof !== null,
    })),
    sightings: await rows(SIGHTINGS),
    balances: (await rows(BALANCES)).map((row) => ({
      ...{ account: String(row.account), asset: String(row.asset), atoms: BigInt(String(row.atoms)) },
    })),
    postings: await rows(POSTINGS),
    miscounted: await rows(MISCOUNTED),
    cases: (await rows(CASES)).map((row) => ({
      owner: String(row.owner),
      kind: String(row.kind),
      reason: String(row.reason),
    })),
    history: (await rows(HISTORY)).map((row) => ({ order: String(row.order_id), phase: String(row.phase) })),
    addresses: await rows(ADDRESSES),
    deliveries: (await rows(DELIVERIES)).map((row) => ({ key: `${row.chain_id} ${row.key}`, deal: String(row.deal) })),
    expected: new Map((await rows(EXPECTED)).map((row) => [String(row.asset), BigInt(String(row.atoms))])),
  };
}
