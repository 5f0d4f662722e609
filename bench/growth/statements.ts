import { randomBytes } from 'node:crypto';
import { openEngineBooks } from '../../src/app/engine-books.ts';
import { reconcile } from '../../src/engine/reconcile.ts';
import { openSubmit } from '../../src/engine/submit.ts';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { type Instant, instant, later } from '../../src/kernel/clock.ts';
import type { Address, AssetId, IntentId, OrderId, TxHash } from '../../src/kernel/ids.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { firstEffects } from '../../src/life/order/create.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { reportWindow } from '../../src/partners/report.ts';
import type { Db } from '../../src/store/db.ts';
import { openExposure } from '../../src/store/exposure.ts';
import { type OpenLimit, openOrders } from '../../src/store/orders.ts';
import { openPartnerRecords } from '../../src/store/partner-records.ts';
import { openPartnerSessions } from '../../src/store/partner-sessions.ts';
import { openQuota } from '../../src/store/quota.ts';
import { openReads } from '../../src/store/reads.ts';
import { openReports } from '../../src/store/reports.ts';
import { openIssued } from '../../src/store/watched.ts';
import { openWebhookBook } from '../../src/store/webhooks.ts';
import { USDC, usdc, XMR } from '../../test/life/market.ts';
import { paymentOf } from '../../test/life/payment-facts.ts';
import { buyOrder } from '../../test/life/world.ts';
import { CHAIN, HOT, INTEGRATION, SPACE } from './templates.ts';

const WORKER = 7;
const HOUR_MS = 3_600_000;
/** Few: what thousands cost is measured beside, against a set in memory. */
const PAYEES = 4;
/** Fewer than there are of anything in the smallest database that is compared. */
const PAGE = 25;

const idOf = (kind: string): OrderId => `sw_${kind.padEnd(26, 'q')}` as OrderId;

/** Asks everything that engines, services and operators ask again and again, through the store and in the store's own words. */
export async function askEverything(db: Db, nowMs: number): Promise<void> {
  const now = instant(nowMs);
  const clock = { now: () => now };
  const books = openEngineBooks(db, clock, new Secret<Uint8Array>(randomBytes(32)));
  await scans(books, now);
  await looks(books, now);
  await serves(db, now);
  await shows(db, books.orders, now);
  // Last: of every tenth order the reconciler finds the work missing, and what it adds stays in indexes though it is undone.
  await works(books, now);
}

type Books = ReturnType<typeof openEngineBooks>;

/** A worker and the reconciler. */
async function works(books: Books, now: Instant): Promise<void> {
  const { orders, outbox, payments, cases, trades } = books;
  const clock = { now: () => now };
  const submit = openSubmit(orders, payments, RULES, clock);
  await outbox.claim(WORKER, now, 32);
  await outbox.freeLost(WORKER, ['a', 'b']);
  await outbox.putBack('a', WORKER, now);
  await outbox.complete('a', WORKER);
  await outbox.wakeTroubledOf(idOf('awaiting'), now);
  await reconcile(books, RULES, clock);
  await submit.submit(idOf('awaiting'), 'deadline', { fact: 'deadline_passed', at: later(now, 2 * HOUR_MS) });
  const paying = present(await submit.find(idOf('paying')), 'an order that is paid');
  const payout = paymentOf(paying, 'payout');
  await payments.find(payout.id);
  const [bytes] = await payments.attempts(payout.id);
  const txHash = present(bytes, 'bytes').txHash;
  const mined = { payment: payout.id, part: 'main', at: now, txHash, cost: amount(XMR.id, 2n) } as const;
  await submit.submit(paying.id, 'settled', { fact: 'transfer_settled', worked: true, ...mined });
  await payments.lastDead(payout.id);
  await payments.busy(['a']);
  await payments.ours(CHAIN, [txHash]);
  await payments.unplanned(paying.id);
  await payments.hasNonce(payout.id);
  await payments.between(CHAIN, 'hot', 0, 5);
  await payments.gasOf(paying.id, USDC.id);
  await payments.approval(payout.id);
  await payments.countUnpaid('treasury', 'rebalance', USDC.id);
  await payments.lastNumber('treasury', 'rebalance');
  await payments.houseSpent('rebalance', USDC.id, later(now, -24 * HOUR_MS));
  await cases.over(paying.id, { case: 'inventory_short' });
  await trades.ticket(paying.id, 0, 0);
  await trades.fills(paying.id, 50);
}

async function scans({ sightings, deposits }: Books, now: Instant): Promise<void> {
  const address = present([...(await deposits(SPACE).taken(10, 1))][0], 'an address').address;
  const cursor = present(await sightings.cursor(CHAIN), 'a cursor');
  const block = { height: 1_011, hash: 'a block' };
  const seen = {
    ...{ key: 'new', address, asset: USDC.id, atoms: usdc('1').atoms, sender: undefined },
    ...{ txHash: 'new' as TxHash, block },
  };
  const page = { cursor, heads: { tip: 1_011, safe: 1_006, finalized: 1_001 }, pool: ['pooled'], more: false };
  await sightings.savePage(CHAIN, SPACE, cursor, { ...page, rewoundTo: undefined, sightings: [seen] }, now);
  await sightings.savePage(CHAIN, SPACE, cursor, { ...page, rewoundTo: 1_009, sightings: [seen] }, now);
  const strangers = Array.from({ length: PAYEES }, (_, n) => `0x${n.toString(16).padStart(40, '0')}` as Address);
  await sightings.watched(SPACE, [...strangers, address]);
  await sightings.unspelled(SPACE, 0, PAGE);
  await sightings.expecting(USDC.id, HOT, later(now, -HOUR_MS), PAGE);
  const live = await sightings.live(CHAIN, PAGE, undefined);
  const one = present(live[0], 'a sighting in motion');
  await sightings.keptAt([one.address], PAGE);
  await sightings.known(CHAIN, [one.key]);
  await sightings.settle(CHAIN, [one]);
  await sightings.reported(CHAIN, [{ ...one, state: 'final' }]);
  await sightings.value(CHAIN, new Map([[one.key, 1n as never]]));
  await sightings.isUntold(SPACE, one.address);
  await sightings.proven(CHAIN, SPACE, one.address, USDC.id);
  await sightings.stake(CHAIN, 1_005);
  await sightings.pool(SPACE);
  await deposits(SPACE).count();
  await deposits(SPACE).indexes([address]);
  await deposits(SPACE).taken(1_000_000_000, PAGE);
  const told = amount(USDC.id, 7n);
  await sightings.takeDelivery({
    ...{ deal: 'a deal', chain: CHAIN, account: HOT, told, txHash: undefined, since: later(now, -HOUR_MS) },
  });
}

/** Readings, breakers, prices, levels and what the desk holds and owes. */
async function looks(books: Books, now: Instant): Promise<void> {
  const { ledger, depositReadings, payoutPrices, breakers, cases, journal, solvency, results, months } = books;
  await ledger.foldSums();
  await ledger.expectedOnHot(USDC.id);
  await ledger.demand(XMR.id);
  await ledger.balance('treasury', USDC.id);
  await ledger.onWayHome(USDC.id, later(now, -HOUR_MS), instant(0));
  await ledger.onWayToVenue(USDC.id, later(now, -HOUR_MS), instant(0));
  await ledger.keepDeposited('a row', amount(USDC.id, 1_000_000n), later(now, -24 * HOUR_MS), now);
  const nothing = atoms(0n);
  await ledger.saveReading(USDC.id, {
    spendable: nothing,
    locked: nothing,
    expected: nothing,
    unfinal: nothing,
    cost: undefined,
  });
  await ledger.drift(USDC.id);
  await books.sightings.unfinal(USDC.id, HOT);
  await ledger.payoutCost(USDC.id);
  await ledger.creditedAt('stock');
  await ledger.openMoves();
  await ledger.lastMove();
  const places = await depositReadings.places(USDC.id, '', PAGE);
  await depositReadings.lying(USDC.id, 'evm', places);
  await payoutPrices.asked([USDC.id], later(now, -HOUR_MS));
  await payoutPrices.find(USDC.id, HOT);
  await payoutPrices.forget(later(now, -HOUR_MS));
  await breakers.all();
  await breakers.tripped();
  await cases.list();
  await results.since(later(now, -HOUR_MS), now);
  await books.shortDeliveries.counts();
  await books.signerRefusals.since(later(now, -HOUR_MS));
  await books.stockFills.open(USDC.id);
  await books.stockFills.last();
  await books.stockFills.since(USDC.id, later(now, -HOUR_MS));
  await books.stockTrades.open();
  await books.stockTrades.last();
  await books.stockTrades.since(USDC.id, later(now, -HOUR_MS));
  await journal.mark();
  await journal.newest();
  await journal.attempts([{ chainId: CHAIN, txHash: 'a' as TxHash }]);
  await journal.payments(['a' as IntentId]);
  await solvency.keep((await solvency.positions()).map((one) => ({ ...one, surplusUsd: 0n })));
  await solvency.newest();
  await months.make(now);
  await months.ready(now);
  await books.metrics.save(WORKER, {}, now);
  await books.metrics.recent(later(now, -HOUR_MS));
  await books.metrics.forget(later(now, -HOUR_MS));
}

/** What callers, partners and the service's own timers ask. */
async function serves(db: Db, now: Instant): Promise<void> {
  const orders = openOrders(db, 'api');
  const { depositAddress: _, depositIndex: __, ...draft } = buyOrder();
  const owner = { sessionHash: 's', integrationId: INTEGRATION, keyId: 'key', clientHash: 'c' };
  const since = later(now, -HOUR_MS);
  const limits: readonly OpenLimit[] = [
    { of: 'integration', whose: INTEGRATION, since, most: 100_000_000 },
    { of: 'client', whose: `client ${idOf('awaiting')}`, since, most: 20 },
  ];
  const creation = (kind: string) => ({
    ...{ draft: { ...draft, id: idOf(kind) }, owner, space: SPACE, effects: firstEffects(draft), limits },
  });
  const { draft: first, effects } = creation('one');
  await orders.create(first, owner, SPACE, effects, limits);
  await orders.createAll(['two', 'three'].map(creation));
  const kinds = ['awaiting', 'paying', 'completed'].map(idOf);
  await orders.findAll([idOf('completed')]);
  await orders.findAll(kinds);
  await orders.byIds(kinds, INTEGRATION, 'v2');
  await orders.bySession([`session ${idOf('completed')}`], 'v2', 50);
  await orders.countOpen({ clientHash: `client ${idOf('awaiting')}` }, later(now, -HOUR_MS), 20);
  await orders.countOpen({ integrationId: INTEGRATION }, later(now, -HOUR_MS), 100);
  await openIssued(db)(SPACE, [HOT]);
  const quota = openQuota(db);
  const buckets = [
    { name: 'a', limit: 60 },
    { name: 'b', limit: 600 },
  ];
  await quota.take(buckets, now);
  await quota.giveBack(buckets, now);
  await quota.takeAll([
    { buckets, now },
    { buckets, now },
  ]);
  await quota.sweep(now);
  await openExposure(db).unfinished();
  const [reports, records, webhooks] = [openReports(db), openPartnerRecords(db), openWebhookBook(db)];
  await reports.count(...reportWindow(now));
  await reports.figures(INTEGRATION, ...reportWindow(now));
  await reports.orders(INTEGRATION, {} as never, 50, undefined);
  await reports.orders(INTEGRATION, { status: 'completed' } as never, 50, undefined);
  await records.settle(now);
  await records.find(INTEGRATION);
  await records.findKey('key');
  await records.touchKey('key', now);
  await openPartnerSessions(db).sweep(now);
  await webhooks.due(now, { perWebhook: 8, perIntegration: 16, most: 64 }, []);
  await webhooks.forget(later(now, -30 * 24 * HOUR_MS));
  await webhooks.deliveries('wh_growth', undefined, PAGE, undefined);
  await webhooks.deliveries('wh_growth', 'failed', PAGE, undefined);
}

/** What operators look at, and the gauges. */
async function shows(db: Db, orders: Books['orders'], now: Instant): Promise<void> {
  const reads = openReads(db, orders, (asset: AssetId) => asset);
  await reads.counts(now);
  await reads.ledger();
  await reads.unready([CHAIN], [SPACE], later(now, -HOUR_MS));
  await reads.order(idOf('completed'));
  const asked = { phases: undefined, unmovedSince: now, stuckSince: undefined, limit: PAGE };
  await reads.orders(asked);
  await reads.orders({ ...asked, phases: ['paying', 'payout_due'] });
  await reads.orders({ ...asked, phases: ['completed'] });
  await reads.orders({ ...asked, stuckSince: later(now, -HOUR_MS) });
}
