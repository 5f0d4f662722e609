import type { Submit } from '../engine/submit.ts';
import { together } from '../engine/together.ts';
import { type Atoms, atoms } from '../kernel/amount.ts';
import { present } from '../kernel/assert.ts';
import { bindFill } from '../kernel/binding.ts';
import { type Clock, type Instant, later } from '../kernel/clock.ts';
import { eachByItself, oneByOne } from '../kernel/each-by-itself.ts';
import { type Address, type AssetId, type ChainId, chainOf, type IntentId } from '../kernel/ids.ts';
import { type Case, type CaseRef, driftSubject } from '../life/case/case.ts';
import { type Family, fillPool, spellOlder } from '../life/deposit/addresses.ts';
import { type FillParts, stockFiller } from '../life/execution/stock-fill.ts';
import { levelKeeper } from '../life/execution/stock-levels.ts';
import { stockTrader } from '../life/execution/stock-trade.ts';
import { treasurer } from '../life/execution/treasury.ts';
import type { Rules } from '../life/order/rules.ts';
import type { Advanced } from '../life/payment/advance.ts';
import { paymentId } from '../life/payment/payment.ts';
import { depositReader } from '../life/transfer/deposit-readings.ts';
import { watchDrift } from '../life/transfer/drift.ts';
import { keepOutputs } from '../life/transfer/output-pool.ts';
import { answerPrices, pricePayouts } from '../life/transfer/payout-prices.ts';
import { hotReader, type ReadingBooks } from '../life/transfer/readings.ts';
import type { SignerClient } from '../signer/client.ts';
import { type Chain, coinOf, type SignedTransfer } from '../world/chains/chain.ts';
import type { Venue } from '../world/venues/venue.ts';
import type { Config } from './config.ts';
import type { EngineBooks } from './engine-books.ts';
import { levelBooks } from './level-books.ts';
import { ownBinder } from './process-keys.ts';
import { untilHeld } from './signing-gate.ts';
import type { OpenChain } from './wiring/chains.ts';
import { type ColdStores, coldStoresOf, stockLevelsOf } from './wiring/stock-levels.ts';
import { homeAtoms, homeDecimals } from './wiring/venue.ts';

export interface House {
  readonly config: Config;
  readonly venue: Venue;
  readonly chains: readonly OpenChain[];
  readonly signer: SignerClient;
  readonly books: EngineBooks;
  readonly submit: Pick<Submit, 'commitHouse' | 'openHouse'>;
  /** Whom stock is bought from, and at what price it counts. */
  readonly market: Pick<FillParts, 'providers' | 'worth'>;
  /** Told of whoever brought another amount than was agreed. */
  readonly fellShort: FillParts['books']['fellShort'];
  readonly rules: Rules;
  /** Whoever takes addresses tells of it; a pool that is full is looked at this often all the same. */
  readonly fullPoolMs: number;
  readonly clock: Clock;
}

/** What does not seem to move is read this often, and payouts are priced: each asset is tried with its node. */
const ALL_EVERY_MS = 20_000;
/** So many readings of an account must differ, over the time that `watchDrift` allows, before a person is told. */
const LASTING_READINGS = 60;

/** What is done for the house rather than for an order. */
export function houseRounds(house: House) {
  const { config, venue, chains: open, signer, books, submit, market, fellShort, rules, fullPoolMs, clock } = house;
  const { trades, ledger, payments, cases, sightings, payoutPrices } = books;
  const chains = open.map(({ chain }) => chain);
  const byId = (id: ChainId) =>
    present(
      chains.find(({ facts }) => facts.id === id),
      `chain ${id}`,
    );
  const parsed = (asset: AssetId, address: string): Address =>
    present(byId(chainOf(asset)).parseAddress(address), `cold address of ${asset}`);
  const { venueUsdcLow, venueUsdcHigh, hotUsdcLow } = config.treasury;
  const settings = {
    venueLow: homeAtoms(config, venueUsdcLow),
    venueHigh: homeAtoms(config, venueUsdcHigh),
    hotLow: homeAtoms(config, hotUsdcLow),
    least: homeAtoms(config, '100'),
  };
  const raise = (about: Case) => cases.raise('treasury', about);
  const over = (about: CaseRef) => cases.over('treasury', about);
  const treasuryBooks = {
    ...ledger,
    commit: submit.commitHouse,
    open: async (payment: Advanced) => void (await submit.openHouse(payment)),
    nextNonce: trades.nextNonce,
    ours: (addresses: readonly Address[]) => sightings.watched(venue.rules.facts.family, addresses),
    raiseCase: raise,
    caseOver: over,
    isClosedByHand: (about: CaseRef) => cases.isClosedByHand('treasury', about),
    openRebalances: () => payments.countUnpaid('treasury', 'rebalance'),
    lastRebalance: () => payments.lastNumber('treasury', 'rebalance'),
  };
  const tend = treasurer({ venue, signer, books: treasuryBooks, homeDecimals: homeDecimals(config), settings, clock });
  const stores = Object.entries(coldStoresOf(config)) as [AssetId, ColdStores[AssetId]][];
  const levels = stockLevelsOf(config);
  const tradeStock = stockTrader({
    ...{ levels, worth: market.worth, trades: books.stockTrades, venue, signer, clock },
    books: { ...ledger, nextNonce: trades.nextNonce, commit: submit.commitHouse },
    ticketLifeMs: rules.ticketLifeMs,
  });
  const fillStock = stockFiller({
    ...{ levels, ...market, fills: books.stockFills, chain: byId, rules, clock },
    bind: (asset, address) => bindFill(ownBinder(config, 'engine'), asset, address),
    books: {
      ...{ ...treasuryBooks, raise, fellShort, takeDelivery: sightings.takeDelivery },
      payment: (number) => payments.find(paymentId('treasury', { for: 'stock_fill', number })),
    },
  });
  const keepLevels = levelKeeper({
    ...{ levels, clock },
    cold: new Map(stores.map(([asset, { address, perDay }]) => [asset, { address: parsed(asset, address), perDay }])),
    books: levelBooks(books, submit),
  });
  const noteDrift = watchDrift<AssetId>({
    ...{ clock, lastingReadings: LASTING_READINGS },
    keyOf: (asset) => asset,
    raise: (asset, difference) => raise({ case: 'drift', asset, atoms: difference }),
    over: (asset) => over({ case: 'drift', subject: driftSubject(asset) }),
  });
  const told = async () => (await cases.list()).flatMap(({ about }) => (about.case === 'drift' ? [about] : []));
  const depositReaders = chains
    .filter(({ facts }) => facts.collectsTokens)
    .map((chain) => depositReader({ chain, books: books.depositReadings, clock, raise, over, told }));
  /** All accounts are compared at the same time. */
  const expectedOnHot = together(ledger.allExpectedOnHot, ({ asset }) => asset);
  const readingBooks: ReadingBooks = {
    expectedOnHot: async (asset) => (await expectedOnHot(asset))?.atoms ?? atoms(0n),
    unfinal: (asset) => {
      const { facts, hotAddress } = byId(chainOf(asset));
      return sightings.unfinal(asset, facts.collectsTokens ? hotAddress : undefined);
    },
    saveReading: async (asset, reading) => {
      await ledger.saveReading(asset, reading);
      await noteDrift(asset, reading.spendable + reading.locked - reading.expected - reading.unfinal);
    },
  };
  const readers = chains.map((chain) => {
    const readHot = chain.facts.id === venue.chainId ? undefined : hotReader(chain, readingBooks);
    let allAt: Instant | undefined;
    return async () => {
      const isAll = allAt === undefined || clock.now() >= later(allAt, ALL_EVERY_MS);
      await readHot?.(isAll);
      if (!isAll) return;
      await pricePayouts(chain, { books: payoutPrices, clock });
      allAt = clock.now();
    };
  });
  /** By family; undefined where all are spelled. */
  const spelledBelow = new Map<string, number | undefined>();
  return {
    addresses: async (family: Family) => {
      const isFull = !(await fillPool(family, sightings, config.addressPool));
      // What is issued from now on is written with its spellings: older ones are looked through once.
      const from = spelledBelow.has(family.family) ? spelledBelow.get(family.family) : 0;
      if (from !== undefined) spelledBelow.set(family.family, await spellOlder(family, sightings, from));
      return isFull && spelledBelow.get(family.family) === undefined ? { pauseMs: fullPoolMs } : true;
    },
    readings: async () => {
      await ledger.foldSums();
      await eachByItself([...readers, () => takeVenueReadings(venue, readingBooks)], (read) => read());
      return false;
    },
    deposits: async () => {
      await eachByItself(depositReaders, (look) => look());
      return false;
    },
    levels: async () => {
      await oneByOne([keepLevels, fillStock, () => untilHeld(tradeStock)], (work) => work());
      return false;
    },
    prices: (chain: Chain) => answerPrices(chain, { books: payoutPrices, clock }),
    treasury: async () => {
      await untilHeld(tend);
      return false;
    },
    outputs: async () => {
      const poolBooks = {
        openSplits: () => payments.countUnpaid('treasury', 'output_split'),
        lastSplit: () => payments.lastNumber('treasury', 'output_split'),
        open: async (payment: Advanced, attempt: SignedTransfer) => void (await submit.openHouse(payment, { attempt })),
      };
      // One after the other, because all of them share the count of open splits.
      await oneByOne(open, async ({ chain, outputPool }) => {
        if (!outputPool) return;
        const { family } = chain.facts;
        const split = (intent: IntentId, count: number, atomsEach: Atoms) =>
          signer.split({ family, intent, count, atomsEach });
        const pool = { ...outputPool, chain, coin: coinOf(chain.facts).id, books: poolBooks, split };
        await untilHeld(() => keepOutputs(pool));
      });
      return false;
    },
  };
}

/** The venue's own, since part of its coin may wait beside the balances. Sending is free there but for opening accounts. */
async function takeVenueReadings(venue: Venue, books: ReadingBooks): Promise<void> {
  const unmoved = await venue.unmovedDeposit();
  for (const { asset, atoms: held } of await venue.balances()) {
    const isCoin = asset === venue.market.quote;
    const spendable = atoms(isCoin ? held + unmoved : held);
    const cost = isCoin ? atoms(0n) : undefined;
    await books.saveReading(asset, {
      spendable,
      locked: atoms(0n),
      expected: await books.expectedOnHot(asset),
      // What is sent there is final at once.
      unfinal: atoms(0n),
      cost,
    });
  }
}
