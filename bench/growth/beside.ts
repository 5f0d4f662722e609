import pg from 'pg';
import type { Address } from '../../src/kernel/ids.ts';
import { openDb } from '../../src/store/db.ts';
import { openSieves } from '../../src/store/watched.ts';
import { SPACE } from './templates.ts';

const PAYEES = 5_000;
const ROUNDS = 7;

export interface Matched {
  readonly addresses: number;
  readonly storeMs: number;
  readonly setMs: number;
  readonly ratio: number;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** A block pays so many addresses, a hundred of which are ours: who they are by the store, and by a set of all addresses in memory. */
export async function matchPayees(url: string): Promise<Matched> {
  const db = openDb(url, 1);
  const text = 'SELECT address FROM deposit_address';
  const ours = (await db.query({ name: 'growth_addresses', text })).map((row) => row.address as Address);
  const [known, watched] = [new Set(ours), openSieves(db)];
  const step = Math.max(1, Math.floor(ours.length / 100));
  const payees = (round: number) =>
    Array.from({ length: PAYEES }, (_, n) =>
      n % 50 === 0
        ? ((ours[((n / 50) * step + round) % ours.length] ?? '') as Address)
        : (`0x${(n * 7_919 + round).toString(16).padStart(40, '0')}` as Address),
    );
  const [store, set]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const asked = payees(round);
    const begun = performance.now();
    const found = await watched(SPACE, asked);
    const between = performance.now();
    const bare = asked.filter((one) => known.has(one));
    set.push(performance.now() - between);
    store.push(between - begun);
    if (new Set(bare).size !== found.size) throw new Error('the store and the set do not agree');
  }
  await db.close();
  const [storeMs, setMs] = [median(store), median(set)];
  return { addresses: ours.length, storeMs, setMs, ratio: storeMs / setMs };
}

/** How large an order is in each phase, as text and as it lies in its row. */
export async function documents(url: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    `SELECT phase, avg(length(doc::text))::integer AS text, avg(pg_column_size(doc))::integer AS stored,
       coalesce(max(pg_column_compression(doc)), 'plain') AS how FROM orders GROUP BY phase ORDER BY phase`,
  );
  await client.end();
  return rows.map(({ phase, text, stored, how }) => `${phase}: ${text} bytes of text, ${stored} in its row (${how})`);
}
