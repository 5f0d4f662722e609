import type { SkewReports } from '../engine/clock-skew.ts';
import { startHeartbeat } from '../engine/heartbeat.ts';
import { openLeadership } from '../engine/leader.ts';
import { reportedRound } from '../engine/reported-round.ts';
import { type Next, startRounds } from '../engine/rounds.ts';
import { openSubmit } from '../engine/submit.ts';
import { type Running, startWorker } from '../engine/worker.ts';
import { present } from '../kernel/assert.ts';
import type { Clock } from '../kernel/clock.ts';
import type { AssetId, ChainId } from '../kernel/ids.ts';
import { ownArrivals } from '../life/execution/own-arrivals.ts';
import type { Rules } from '../life/order/rules.ts';
import { openMarketSource } from '../life/quote/market-view.ts';
import { QUOTE_DEFAULTS } from '../life/quote/quotes.ts';
import { openSigner } from '../signer/client.ts';
import { openDb } from '../store/db.ts';
import { PRICE_ASKED } from '../store/payout-prices.ts';
import { ADDRESS_TAKEN } from '../store/sightings.ts';
import type { Chain } from '../world/chains/chain.ts';
import type { Outbound } from '../world/outbound/http.ts';
import { pastTheSilent } from '../world/outbound/silence.ts';
import type { ServiceClock } from './clock.ts';
import { watchClocks } from './clock-rounds.ts';
import type { Config } from './config.ts';
import { openEngineBooks } from './engine-books.ts';
import { engineHandlers } from './engine-handlers.ts';
import { guardProviders } from './gates.ts';
import { houseRounds } from './house-rounds.ts';
import { comparing, type JournalParts, journalRound, untilJournalAgrees } from './journal-gate.ts';
import type { AppLog } from './log.ts';
import type { Metrics } from './metrics.ts';
import { leaveMetrics } from './metrics-rounds.ts';
import { orderRules } from './order-rules.ts';
import { patiently } from './patience.ts';
import { sealKeysOf } from './process-keys.ts';
import { startReconciler } from './reconciler.ts';
import { scanner } from './scanners.ts';
import { type Seat, scannerSeat } from './seats.ts';
import { openOpinions, secondAbove } from './second-nodes.ts';
import { guardSigner, tellRefusals } from './signing-gate.ts';
import { positionTaker } from './solvency-round.ts';
import { lastKnown, openTrips, tripBoundsOf, worthIn } from './trips.ts';
import { assetsOf, hotAddresses, openChainsLater, rulesOf } from './wiring/chains.ts';
import { firstTries } from './wiring/open-later.ts';
import { openBridges, openProviders } from './wiring/providers.ts';
import { coldAddresses } from './wiring/stock-levels.ts';
import { homeDecimals, openVenueChainSoon, openVenueSoon, standsOf, venueCoin } from './wiring/venue.ts';
import { worthOf } from './worth.ts';

export interface EngineDeps {
  readonly clock: Clock;
  readonly log: AppLog;
  readonly outbound: Outbound;
  readonly signerOutbound: Outbound;
  /** Numbers of this process, left in the database for the operator's port. */
  readonly metrics?: Metrics;
  /** More about the clock; where it is absent, it is compared with nobody's. */
  readonly times?: Pick<ServiceClock, 'unmoved' | 'timeOfDay'>;
  /** Names this worker among all that run; random. */
  readonly worker: number;
  /** The database connection that marks this process as living is gone: others take over, and it must end. */
  onLost(): void;
  readonly rules?: Rules;
  readonly pace?: Pace;
  /** Where the database is reached; rehearsals put a door of their own in between. */
  readonly openDb?: typeof openDb;
}

/** Milliseconds between two rounds of each kind, and between two looks for work that fell due. */
export interface Pace {
  readonly scan: number;
  readonly readings: number;
  readonly deposits: number;
  readonly treasury: number;
  readonly addresses: number;
  readonly fullPool: number;
  readonly outputs: number;
  readonly journal: number;
  readonly prices: number;
  readonly breakers: number;
  readonly solvency: number;
  readonly levels: number;
  readonly months: number;
  readonly work: number;
}

const PACE: Pace = {
  scan: 500,
  readings: 2_000,
  deposits: 5_000,
  treasury: 1_000,
  addresses: 500,
  fullPool: 5_000,
  outputs: 15_000,
  journal: 2_000,
  prices: 10_000,
  breakers: 1_000,
  solvency: 60_000,
  levels: 2_000,
  months: 60_000,
  work: 500,
};

/** Two months are ready ahead, and each try keeps orders waiting for a moment. */
const MONTHS_LATER_MS = 30 * 60_000;

/** Everything that moves orders: workers, scanners, the treasury and the reconciler. A chain whose node is away joins later. */
export async function startEngine(config: Config, deps: EngineDeps): Promise<Running> {
  const { clock, log, rules = orderRules(config), pace = PACE } = deps;
  const outbound = pastTheSilent(deps.outbound, clock);
  const ungated = tellRefusals(openSigner(deps.signerOutbound), async (intent, refused) => {
    await books.signerRefusals.note(intent, refused);
    await lookNow();
  });
  const keys = await patiently('signer', log, ungated.publicKeys);
  const db = (deps.openDb ?? openDb)(config.database, config.databaseConnections, config.databaseSession);
  const books = openEngineBooks(db, clock, ...sealKeysOf(config));
  const gated = guardSigner(ungated, books.breakers, (family) =>
    rulesOf(config).flatMap(({ facts }) => (facts.family === family ? [facts.id] : [])),
  );
  const signer = comparing(gated, () => journal);
  const reports = { cases: books.cases, clock, caseAfterMs: rules.caseAfterMs };
  const opinions = (id: ChainId) =>
    openOpinions(id, { above: secondAbove(config), worth: (of) => worthIn(market, [chain(id)])(of), reports });
  const chainBooks = { deposits: books.deposits, busy: books.payments.busy };
  const chains = [
    ...openChainsLater(config, { keys, signer, books: chainBooks, outbound, opinions }),
    openVenueChainSoon(config, keys, books.deposits, outbound, clock),
  ];
  const { venue, tried } = openVenueSoon(config, keys, outbound, clock);
  await firstTries([...chains, { tried }]);
  const swappers = openProviders(config, outbound, clock);
  const providers = guardProviders(swappers.providers, books.breakers);
  const bridges = openBridges(config, outbound, clock);
  const byId = new Map<ChainId, Chain>(chains.map(({ chain }) => [chain.facts.id, chain]));
  const chain = (id: ChainId): Chain => present(byId.get(id), `chain ${id}`);
  const submit = openSubmit(books.orders, books.payments, rules, clock, log);
  const stands = standsOf(config);
  const source = openMarketSource(venue, stands, QUOTE_DEFAULTS.priceAgeMs, clock);
  const asset = (id: AssetId) =>
    present(
      assetsOf(config).find((one) => one.id === id),
      `asset ${id}`,
    );
  const hot = hotAddresses(config, keys);
  const market = lastKnown(source);
  const look = openTrips({
    ...{ books, market, chains: [...byId.values()], venueChain: venue.chainId, clock },
    bounds: tripBoundsOf(config),
    stands: { base: asset(stands.base), money: asset(stands.quote) },
    providers,
    hot: (id) => hot.get(id),
  });
  /** Whoever looks out of turn goes on with what it was doing; the next round looks again, and is reported. */
  const lookNow = () => look().catch((error) => log.warn({ error }, 'breakers could not be looked at'));

  const journal: JournalParts = { books, submit, signer: gated, venueCoin };
  await untilJournalAgrees(journal, log);

  const session = await db.session();
  const leadership = await openLeadership(db, deps.onLost);
  const worker = await startWorker({
    ...{ outbox: books.outbox, cases: books.cases, submit, clock, log, session },
    handlers: engineHandlers(config, {
      chain,
      venue,
      providers: swappers.providers,
      signer,
      books,
      submit,
      rules,
      worth: worthIn(market, [...byId.values()]),
      look: lookNow,
      clock,
    }),
    onLost: deps.onLost,
    id: deps.worker,
    lookAgainMs: pace.work,
    caseAfterMs: rules.caseAfterMs,
    stockPatienceMs: rules.stockPatienceMs,
  });
  const led = (name: string, seat: Seat, everyMs: number, round: () => Promise<Next>) => {
    const reported = reportedRound(name, reports, round);
    return startRounds(name, everyMs, log, async () => ((await leadership.leads(seat)) ? reported() : false));
  };
  const worth = worthOf({ source, chain, ledger: books.ledger });
  const scanning = {
    books,
    submit,
    rules,
    worth,
    onLeft: lookNow,
    clock,
    everyMs: pace.scan,
    keepOwn: ownArrivals({
      ...{ venue, homeDecimals: homeDecimals(config), books: books.sightings, clock },
      cold: coldAddresses(config, chain),
    }),
    venueChain: venue.chainId,
  };
  /** Every engine shows its own clock; one of them tells a person. */
  const clockParts = (metrics: Metrics, { unmoved, timeOfDay }: NonNullable<EngineDeps['times']>) => {
    const isTeller = () => leadership.leads('clocks');
    const reports: SkewReports = {
      ...{ clock, unmoved, caseAfterMs: rules.caseAfterMs },
      raise: async (about) => ((await isTeller()) ? books.cases.raise('treasury', about) : undefined),
      over: async (about) => ((await isTeller()) ? books.cases.over('treasury', about) : undefined),
      show: (against, seconds) =>
        seconds === undefined ? metrics.skew.remove({ against }) : metrics.skew.set({ against }, seconds),
    };
    const isRehearsal = config.clockOffsetFile !== undefined;
    return { db, venue, chains: chains.map((one) => one.chain), isRehearsal, timeOfDay, reports, log };
  };
  const house = houseRounds({
    ...{ config, venue, chains, signer, books, submit, rules, clock, fullPoolMs: pace.fullPool },
    market: {
      providers: [...providers, ...guardProviders(bridges.providers, books.breakers)],
      worth: worthIn(market, [...byId.values()]),
    },
    fellShort: async (provider, deal) => {
      await books.shortDeliveries.note(provider, deal);
      await lookNow();
    },
  });
  // Each family and each chain by itself: one whose node hangs keeps nobody waiting who wants something of another.
  const addresses = [...new Set(chains.map(({ chain }) => chain.facts.family))].map((family) => {
    const its = chains.map(({ chain }) => chain).filter(({ facts }) => facts.family === family);
    return led(`addresses ${family}`, 'addresses', pace.addresses, () => house.addresses({ family, chains: its }));
  });
  const prices = new Map(
    chains.map((one) => {
      const { id, name } = one.chain.facts;
      return [String(id), led(`prices ${name}`, 'prices', pace.prices, () => house.prices(one.chain))] as const;
    }),
  );
  await session.listen(ADDRESS_TAKEN, () => {
    for (const { wake } of addresses) wake();
  });
  await session.listen(PRICE_ASKED, (chain) => prices.get(chain)?.wake());
  const rounds = [
    ...chains.map((one) => {
      const { id, name } = one.chain.facts;
      return led(`scan ${name}`, scannerSeat(id), pace.scan, scanner(one, scanning));
    }),
    ...addresses,
    led('readings', 'readings', pace.readings, house.readings),
    led('deposits', 'deposits', pace.deposits, house.deposits),
    led('treasury', 'treasury', pace.treasury, house.treasury),
    led('levels', 'levels', pace.levels, house.levels),
    ...prices.values(),
    led('months', 'months', pace.months, async () =>
      (await books.months.make(clock.now())) ? false : { pauseMs: MONTHS_LATER_MS },
    ),
    led('outputs', 'outputs', pace.outputs, house.outputs),
    led(
      'solvency',
      'solvency',
      pace.solvency,
      positionTaker({
        homeDecimals: homeDecimals(config),
        venue,
        books,
        clock,
        worth: worthIn(market, [...byId.values()]),
      }),
    ),
    led('breakers', 'breakers', pace.breakers, async () => {
      await look();
      return false;
    }),
    startReconciler(books, rules, clock, log),
    startHeartbeat(log, session, leadership),
    startRounds('journal', pace.journal, log, reportedRound('journal', reports, journalRound(journal, deps.onLost))),
    ...(deps.metrics ? [leaveMetrics(deps.metrics, books.metrics, deps)] : []),
    ...(deps.metrics && deps.times ? [watchClocks(clockParts(deps.metrics, deps.times))] : []),
  ];
  return {
    stop: async () => {
      await Promise.all([worker.stop(), ...rounds.map((round) => round.stop())]);
      for (const one of [swappers, bridges]) one.close();
      await Promise.all([session.close(), leadership.close()]);
      await Promise.all(chains.map((one) => one.chain.close()));
      await Promise.all([venue.close(), db.close()]);
    },
  };
}
