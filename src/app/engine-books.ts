import type { Clock } from '../kernel/clock.ts';
import type { Db } from '../store/db.ts';
import { openDepositBook } from '../store/deposit-book.ts';
import { openIntents } from '../store/intents.ts';
import { openLedger } from '../store/ledger.ts';
import { openMetricsBook } from '../store/metrics.ts';
import { openOrders } from '../store/orders.ts';
import { openOutbox } from '../store/outbox.ts';
import { openBreakers } from '../store/partners.ts';
import { openSightings } from '../store/sightings.ts';
import { openTrades } from '../store/trades.ts';

export type EngineBooks = ReturnType<typeof openEngineBooks>;

/** What an engine reads and writes in the database. */
export const openEngineBooks = (db: Db, clock: Clock) => ({
  orders: openOrders(db),
  outbox: openOutbox(db),
  intents: openIntents(db),
  sightings: openSightings(db),
  trades: openTrades(db),
  ledger: openLedger(db, clock),
  breakers: openBreakers(db, clock),
  metrics: openMetricsBook(db),
  deposits: (family: string) => openDepositBook(db, family),
});
