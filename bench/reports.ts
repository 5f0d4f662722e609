import { randomBytes } from 'node:crypto';
import type { Instant } from '../src/kernel/clock.ts';
import type { Address } from '../src/kernel/ids.ts';
import type { Secret } from '../src/kernel/secret.ts';
import { hashOfKey, newKey } from '../src/partners/api-key.ts';
import type { Limits } from '../src/partners/integration.ts';
import { dayOf, REPORT_DAYS, reportWindow } from '../src/partners/report.ts';
import type { Db } from '../src/store/db.ts';
import { openPartnerRecords } from '../src/store/partner-records.ts';
import { openReports } from '../src/store/reports.ts';
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
 * A partner with so many orders of the last thirty days, between twenty pairs, as they are kept once each has ended. They are queued as
 * orders are, and counted by the product itself; only the orders themselves are left out.
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
     SELECT $1 || n, $1, ($3::bigint - n % $4) * 86400000 + n % 86400000, $3 - n % $4, n % 2 = 0,
       (ARRAY['completed', 'completed', 'completed', 'expired', 'refunded'])[1 + n % 5], 'projected', $5,
       1000 + n, 1000 + n, 100000000 + n, 'A' || n % 5, 'B' || n % 4, CASE WHEN n % 5 < 3 THEN 20 + n % 90 END, 6
     FROM generate_series(1, $2::integer) AS n`,
    [id, orders, dayOf(now), REPORT_DAYS, USDC.id],
  );
  await ask(
    'queue',
    `INSERT INTO integrator_change (integration_id, sign, day, is_attributed, status, fee_status, fee_asset, fee_atoms, fee_usd, volume_usd,
                                    from_symbol, to_symbol, time_bucket, client_hash)
     SELECT integration_id, 1, day, is_attributed, status, fee_status, fee_asset, fee_atoms, fee_usd, volume_usd, from_symbol, to_symbol,
            time_bucket, CASE WHEN is_attributed THEN order_id END
     FROM integrator_order WHERE integration_id = $1`,
    [id],
  );
  await session.close();
  await openReports(db).count(...reportWindow(now));
  await db.query({ name: 'bench_analyze', text: 'ANALYZE' });
}
