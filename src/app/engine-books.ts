import type { Clock } from '../kernel/clock.ts';
import { openCases } from '../store/cases.ts';
import type { Db } from '../store/db.ts';
import { openDepositBook } from '../store/deposit-book.ts';
import { openDepositReadings } from '../store/deposit-readings.ts';
import { openBreakers } from '../store/gates.ts';
import { openJournalBooks } from '../store/journal-books.ts';
import { openLedger } from '../store/ledger.ts';
import { openMetricsBook } from '../store/metrics.ts';
import { openMonths } from '../store/months.ts';
import { openOrders } from '../store/orders.ts';
import { openOutbox } from '../store/outbox.ts';
import { openPayments } from '../store/payments.ts';
import { openPayoutPrices } from '../store/payout-prices.ts';
import { openResults } from '../store/results.ts';
import { openShortDeliveries } from '../store/short-deliveries.ts';
import { openSightings, type SealKeys } from '../store/sightings.ts';
import { openSignerRefusals } from '../store/signer-refusals.ts';
import { openSolvency } from '../store/solvency.ts';
import { openStockFills } from '../store/stock-fills.ts';
import { openStockTrades } from '../store/stock-trades.ts';
import { openTrades } from '../store/trades.ts';

export type EngineBooks = ReturnType<typeof openEngineBooks>;

/** What an engine reads and writes in the database, and seals where a row alone must not be believed. */
export const openEngineBooks = (db: Db, clock: Clock, ...seals: SealKeys) => ({
  orders: openOrders(db),
  outbox: openOutbox(db),
  payments: openPayments(db),
  cases: openCases(db, clock),
  sightings: openSightings(db, ...seals),
  trades: openTrades(db),
  ledger: openLedger(db, clock),
  depositReadings: openDepositReadings(db, clock),
  payoutPrices: openPayoutPrices(db),
  breakers: openBreakers(db, clock),
  journal: openJournalBooks(db, clock),
  shortDeliveries: openShortDeliveries(db, clock),
  solvency: openSolvency(db, clock),
  stockFills: openStockFills(db, clock),
  stockTrades: openStockTrades(db, clock),
  signerRefusals: openSignerRefusals(db, clock),
  results: openResults(db),
  metrics: openMetricsBook(db),
  months: openMonths(db),
  deposits: (family: string) => openDepositBook(db, family),
});
