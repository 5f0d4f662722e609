import type { SkewReports } from '../engine/clock-skew.ts';
import { startHeartbeat } from '../engine/heartbeat.ts';
import type { Leadership } from '../engine/leader.ts';
import { type ReportedRounds, reportedRound } from '../engine/reported-round.ts';
import { type Next, type Rounds, startRounds } from '../engine/rounds.ts';
import type { Running } from '../engine/worker.ts';
import { ownArrivals } from '../life/execution/own-arrivals.ts';
import type { MarketSource } from '../life/quote/market-view.ts';
import type { Db, DbSession } from '../store/db.ts';
import { PRICE_ASKED } from '../store/payout-prices.ts';
import { ADDRESS_TAKEN } from '../store/sightings.ts';
import type { Provider } from '../world/providers/provider.ts';
import type { ServiceClock } from './clock.ts';
import { watchClocks } from './clock-rounds.ts';
import type { EngineParts } from './engine-parts.ts';
import { houseRounds } from './house-rounds.ts';
import { type JournalParts, journalRound } from './journal-gate.ts';
import type { Metrics } from './metrics.ts';
import { leaveMetrics } from './metrics-rounds.ts';
import type { Pace } from './pace.ts';
import { startReconciler } from './reconciler.ts';
import { scanner } from './scanners.ts';
import { type Seat, scannerSeat } from './seats.ts';
import { positionTaker } from './solvency-round.ts';
import type { OpenChain } from './wiring/chains.ts';
import type { ChainLater } from './wiring/open-later.ts';
import { coldAddresses } from './wiring/stock-levels.ts';
import { homeDecimals } from './wiring/venue.ts';
import { worthOf } from './worth.ts';

export interface RoundParts extends EngineParts {
  readonly pace: Pace;
  readonly db: Db;
  readonly session: Pick<DbSession, 'listen' | 'beat'>;
  readonly leadership: Pick<Leadership, 'leads' | 'beat'>;
  readonly reports: ReportedRounds;
  readonly source: MarketSource;
  readonly chains: readonly (OpenChain & Pick<ChainLater, 'onOpen'>)[];
  /** Whom stock is bought from, each behind its breaker. */
  readonly providers: readonly Provider[];
  readonly journal: JournalParts;
  /** Whether anything must stop now. `lookNow` is the same out of turn: it fails nobody who asks. */
  look(): Promise<void>;
  lookNow(): Promise<void>;
  onLost(): void;
  readonly worker: number;
  readonly metrics: Metrics | undefined;
  readonly times: Pick<ServiceClock, 'unmoved' | 'timeOfDay'> | undefined;
}

/** Two months are ready ahead, and each try keeps orders waiting for a moment. */
const MONTHS_LATER_MS = 30 * 60_000;

type Led = (name: string, seat: Seat, everyMs: number, round: () => Promise<Next>) => Rounds;

/** All that an engine does again and again. Most rounds have one leader among all engines; the last few every engine has. */
export async function startEngineRounds(parts: RoundParts): Promise<readonly Running[]> {
  const { config, venue, chains, books, rules, pace, clock, log, reports, metrics, times, dollarsOf } = parts;
  const { leadership, session, journal } = parts;
  const led: Led = (name, seat, everyMs, round) => {
    const reported = reportedRound(name, reports, round);
    return startRounds(name, everyMs, log, async () => ((await leadership.leads(seat)) ? reported() : false));
  };
  const house = houseRounds({
    ...{ ...parts, fullPoolMs: pace.fullPool },
    market: { providers: parts.providers, worth: dollarsOf },
  });
  const addresses = addressRounds(parts, led, house);
  const prices = new Map(
    chains.map((one) => {
      const { id, name } = one.chain.facts;
      const round = led(`prices ${name}`, 'prices', pace.prices, () => house.prices(one.chain));
      return [String(id), wokenBy([one], round)] as const;
    }),
  );
  await session.listen(ADDRESS_TAKEN, () => {
    for (const { wake } of addresses) wake();
  });
  await session.listen(PRICE_ASKED, (chain) => prices.get(chain)?.wake());
  const takePosition = positionTaker({
    ...{ homeDecimals: homeDecimals(config), venue, books, clock, worth: dollarsOf },
  });
  return [
    ...scanRounds(parts, led),
    ...addresses,
    wokenBy(chains, led('readings', 'readings', pace.readings, house.readings)),
    led('deposits', 'deposits', pace.deposits, house.deposits),
    led('treasury', 'treasury', pace.treasury, house.treasury),
    led('levels', 'levels', pace.levels, house.levels),
    ...prices.values(),
    led('months', 'months', pace.months, async () =>
      (await books.months.make(clock.now())) ? false : { pauseMs: MONTHS_LATER_MS },
    ),
    led('outputs', 'outputs', pace.outputs, house.outputs),
    led('solvency', 'solvency', pace.solvency, takePosition),
    led('breakers', 'breakers', pace.breakers, async () => {
      await parts.look();
      return false;
    }),
    startReconciler(books, rules, clock, log),
    startHeartbeat(log, session, leadership),
    startRounds('journal', pace.journal, log, reportedRound('journal', reports, journalRound(journal, parts.onLost))),
    ...(metrics ? [leaveMetrics(metrics, books.metrics, parts)] : []),
    ...(metrics && times ? [clockRound(parts, metrics, times)] : []),
  ];
}

/** What failed because a chain was not open does not wait until it would be tried again. */
function wokenBy(chains: RoundParts['chains'], rounds: Rounds): Rounds {
  for (const { onOpen } of chains) onOpen(rounds.wake);
  return rounds;
}

/** Each family by itself: one whose node hangs keeps nobody waiting who wants an address of another. */
function addressRounds(
  { chains, pace }: RoundParts,
  led: Led,
  house: Pick<ReturnType<typeof houseRounds>, 'addresses'>,
): readonly Rounds[] {
  return [...new Set(chains.map(({ chain }) => chain.facts.family))].map((family) => {
    const its = chains.filter(({ chain }) => chain.facts.family === family);
    const those = { family, chains: its.map(({ chain }) => chain) };
    const round = led(`addresses ${family}`, 'addresses', pace.addresses, () => house.addresses(those));
    return wokenBy(its, round);
  });
}

function scanRounds(parts: RoundParts, led: Led): readonly Rounds[] {
  const { config, venue, chains, chain, books, submit, rules, source, pace, clock } = parts;
  const scanning = {
    ...{ books, submit, rules, clock, everyMs: pace.scan, venueChain: venue.chainId },
    worth: worthOf({ source, chain, ledger: books.ledger }),
    onLeft: parts.lookNow,
    keepOwn: ownArrivals({
      ...{ venue, homeDecimals: homeDecimals(config), books: books.sightings, clock },
      cold: coldAddresses(config, chain),
    }),
  };
  return chains.map((one) => {
    const { id, name } = one.chain.facts;
    return wokenBy([one], led(`scan ${name}`, scannerSeat(id), pace.scan, scanner(one, scanning)));
  });
}

/** Every engine shows its own clock; one of them tells a person. */
function clockRound(parts: RoundParts, metrics: Metrics, times: NonNullable<RoundParts['times']>): Running {
  const { config, db, venue, chains, books, rules, leadership, clock, log } = parts;
  const isTeller = () => leadership.leads('clocks');
  const reports: SkewReports = {
    ...{ clock, unmoved: times.unmoved, caseAfterMs: rules.caseAfterMs },
    raise: async (about) => ((await isTeller()) ? books.cases.raise('treasury', about) : undefined),
    over: async (about) => ((await isTeller()) ? books.cases.over('treasury', about) : undefined),
    show: (against, seconds) =>
      seconds === undefined ? metrics.skew.remove({ against }) : metrics.skew.set({ against }, seconds),
  };
  return watchClocks({
    ...{ db, venue, chains: chains.map(({ chain }) => chain), timeOfDay: times.timeOfDay, reports, log },
    isRehearsal: config.clockOffsetFile !== undefined,
  });
}
