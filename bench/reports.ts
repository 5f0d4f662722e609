import { randomBytes } from 'node:crypto';
import type { Instant } from '../src/kernel/clock.ts';
import type { Address } from '../src/kernel/ids.ts';
import type { Secret } from '../src/kernel/secret.ts';
import { hashOfKey, newKey } from '../src/partners/api-key.ts';
import type { Limits } from '../src/partners/integration.ts';
import { dayOf, REPORT_DAYS } from '../src/partners/report.ts';
import type { Db } from '../src/store/db.ts';
import { openPartnerRecords } from '../src/store/partner-records.ts';
import { USDC } from './market.ts';

/** Zero switches a limit off. */
const NO_LIMITS = {
  requestLimitPerMin: 0,
  createLimitPerMin: 0,
  quoteLimitPerMin: 0,
  keyRequestLimitPerMin: 0,
  maxOpenOrders: 0,
};

export interface NewPartner {
  readonly id: string;
  readonly feeAddress: Address;
  /** None unless they are told. */
  readonly limits?: Partial<Limits>;
}

export async function newPartner(
  db: Db,
  { id, feeAddress, limits = NO_LIMITS }: NewPartner,
  hashKey: Secret<Uint8Array>,
  now: Instant,
): Promise<string> {
  const partners = openPartnerRecords(db);
  const by = { actor: 'operator', at: now };
  await partners.add(id, { name: id, feePercent: 0, feeAddress, limits }, undefined, by);
  const key = newKey('server', randomBytes);
  await partners.addKey(id, key, hashOfKey(hashKey, key.text), by);
  return key.text;
}

/**
 * A partner with so many orders of the last thirty days, between twenty pairs, as they are kept once each has ended. The rows
 * are written at once and counted as `count_order` counts them one by one; only the orders themselves are left out.
 */
export async function fillReports(db: Db, id: string, orders: number, now: Instant): Promise<void> {
  const session = await db.session();
  const ask = (name: string, text: string, values: readonly unknown[]) =>
    session.query({ name: `bench_${name}`, text }, values);
  // Rows that name orders which are not there.
  await ask('alone', "SELECT set_config('session_replication_role', 'replica', false)", []);
  await ask(
    'orders',
    `INSERT INTO integrator_order
     SELECT $1 || n, $1, ($3::bigint - n % $4) * 86400000 + n % 86400000, $3 - n % $4, n % 8, n % 2 = 0,
       (ARRAY['completed', 'completed', 'completed', 'expired', 'refunded'])[1 + n % 5], 'projected', '42161:' || n % 3,
       1000 + n, 1000 + n, 100000000 + n, 'A' || n % 5, 'B' || n % 4, CASE WHEN n % 5 < 3 THEN 20 + n % 90 END, 6
     FROM generate_series(1, $2::integer) AS n`,
    [id, orders, dayOf(now), REPORT_DAYS],
  );
  await ask(
    'days',
    `INSERT INTO integrator_day
     SELECT integration_id, day, shard, count(*), count(*) FILTER (WHERE status = 'completed'), count(*) FILTER (WHERE status = 'refunded'),
       0, count(*) FILTER (WHERE status = 'expired'), count(*) FILTER (WHERE is_attributed), sum(volume_usd), sum(fee_usd), 0, 0
     FROM integrator_order WHERE integration_id = $1 GROUP BY 1, 2, 3`,
    [id],
  );
  await ask(
    'pairs',
    `INSERT INTO integrator_day_pair SELECT integration_id, day, from_symbol, to_symbol, shard, count(*), sum(volume_usd)
     FROM integrator_order WHERE integration_id = $1 GROUP BY 1, 2, 3, 4, 5`,
    [id],
  );
  await ask(
    'fees',
    `INSERT INTO integrator_day_fee SELECT integration_id, day, $2, shard, sum(fee_atoms), 0
     FROM integrator_order WHERE integration_id = $1 GROUP BY 1, 2, 4`,
    [id, USDC.id],
  );
  await ask(
    'times',
    `INSERT INTO integrator_day_time
     SELECT $1, day, array_agg(n ORDER BY bucket) FROM (
       SELECT d.day, b AS bucket, count(o.order_id)::integer AS n
       FROM (SELECT DISTINCT day FROM integrator_order WHERE integration_id = $1) AS d CROSS JOIN generate_series(0, 255) AS b
       LEFT JOIN integrator_order AS o ON o.integration_id = $1 AND o.day = d.day AND o.time_bucket = b
       GROUP BY 1, 2) AS counted GROUP BY day`,
    [id],
  );
  await ask(
    'clients',
    'INSERT INTO integrator_day_client SELECT $1, day, 0, count(*) FROM integrator_order WHERE integration_id = $1 GROUP BY 2',
    [id],
  );
  await ask('join', 'SELECT join_report_shards($1)', [dayOf(now) - 2]);
  await ask('analyze', 'ANALYZE', []);
  await session.close();
}
