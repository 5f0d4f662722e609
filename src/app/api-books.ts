import { openFeed } from '../engine/feed.ts';
import { startHeartbeat } from '../engine/heartbeat.ts';
import { cacheOrders } from '../engine/order-cache.ts';
import { takesInTurns } from '../engine/takes.ts';
import { givenUpInto, together } from '../engine/together.ts';
import type { Clock } from '../kernel/clock.ts';
import type { AssetId } from '../kernel/ids.ts';
import { openCases } from '../store/cases.ts';
import { openDb } from '../store/db.ts';
import { openExposure } from '../store/exposure.ts';
import { openBreakers, openSwitches } from '../store/gates.ts';
import { openJournalBooks } from '../store/journal-books.ts';
import { openLedger } from '../store/ledger.ts';
import { openMetricsBook } from '../store/metrics.ts';
import { openMonths } from '../store/months.ts';
import { openOperatorActs } from '../store/operator-acts.ts';
import { openOrders, type Placed } from '../store/orders.ts';
import { openOutbox } from '../store/outbox.ts';
import { openPartnerRecords } from '../store/partner-records.ts';
import { openPayments } from '../store/payments.ts';
import { openPayoutPrices } from '../store/payout-prices.ts';
import { openQuota } from '../store/quota.ts';
import { openReads } from '../store/reads.ts';
import { openSolvency } from '../store/solvency.ts';
import { openTrades } from '../store/trades.ts';
import { openIssued } from '../store/watched.ts';
import type { Config } from './config.ts';
import type { AppLog } from './log.ts';
import type { Metrics } from './metrics.ts';
import { openReplica } from './replica.ts';

export type ApiBooks = Awaited<ReturnType<typeof openApiBooks>>;

export interface ApiBooksParts {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly log: AppLog;
}

/** What the API reads and writes in the database, and the news that come from it. */
export async function openApiBooks(
  config: Config,
  { clock, metrics, log }: ApiBooksParts,
  symbolOf: (asset: AssetId) => string,
) {
  const db = openDb(config.database, config.databaseConnections, config.databaseSession);
  const orders = openOrders(db, 'api');
  const replica = openReplica(config, { db, orders, metrics, log });
  const findAll = replica?.reads.findAll ?? orders.findAll;
  const cache = cacheOrders(together(findAll, ({ order }: Placed) => order.id, { givenUp: givenUpInto(log, 'reads') }));
  const feed = await openFeed(db, (id, version) => {
    replica?.reads.heard(id, version);
    if (id) cache.forget(id);
    else cache.forgetAll();
  });
  const beating = startHeartbeat(log, feed);
  const watching = replica?.watch();
  return {
    ...{ db, orders, cache, feed },
    breakers: openBreakers(db, clock),
    switches: openSwitches(db, clock),
    isIssued: openIssued(db),
    trades: openTrades(db),
    payments: openPayments(db),
    outbox: openOutbox(db),
    cases: openCases(db, clock),
    acts: openOperatorActs(db),
    ledger: openLedger(db, clock),
    solvency: openSolvency(db, clock),
    exposure: openExposure(db),
    payoutPrices: openPayoutPrices(db),
    reads: openReads(db, orders, symbolOf),
    partners: openPartnerRecords(db),
    quota: takesInTurns(openQuota(db), log),
    journal: openJournalBooks(db, clock),
    metrics: openMetricsBook(db),
    months: openMonths(db),
    close: async () => {
      await Promise.all([watching?.stop(), beating.stop()]);
      await feed.close();
      await db.close();
    },
  };
}
