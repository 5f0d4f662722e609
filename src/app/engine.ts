import { openLeadership } from '../engine/leader.ts';
import { openRoundReports } from '../engine/reported-round.ts';
import { openSubmit } from '../engine/submit.ts';
import { type Running, startWorker } from '../engine/worker.ts';
import { present } from '../kernel/assert.ts';
import type { Clock } from '../kernel/clock.ts';
import type { AssetId, ChainId } from '../kernel/ids.ts';
import type { Rules } from '../life/order/rules.ts';
import { openMarketSource } from '../life/quote/market-view.ts';
import { QUOTE_DEFAULTS } from '../life/quote/quotes.ts';
import { openSigner } from '../signer/client.ts';
import { openDb } from '../store/db.ts';
import type { Chain } from '../world/chains/chain.ts';
import type { Outbound } from '../world/outbound/http.ts';
import { pastTheSilent } from '../world/outbound/silence.ts';
import type { ServiceClock } from './clock.ts';
import type { Config } from './config.ts';
import { openEngineBooks } from './engine-books.ts';
import { engineHandlers } from './engine-handlers.ts';
import { startEngineRounds } from './engine-rounds.ts';
import { guardProviders } from './gates.ts';
import { comparing, type JournalParts, untilJournalAgrees } from './journal-gate.ts';
import type { AppLog } from './log.ts';
import type { Metrics } from './metrics.ts';
import { orderRules } from './order-rules.ts';
import { PACE, type Pace } from './pace.ts';
import { patiently } from './patience.ts';
import { sealKeysOf } from './process-keys.ts';
import { openOpinions, secondAbove } from './second-nodes.ts';
import { guardSigner, tellRefusals } from './signing-gate.ts';
import { lastKnown, openTrips, rateIn, tripBoundsOf, worthIn } from './trips.ts';
import { assetsOf, hotAddresses, openChainsLater, rulesOf } from './wiring/chains.ts';
import { firstTries } from './wiring/open-later.ts';
import { openBridges, openProviders } from './wiring/providers.ts';
import { openVenueChainSoon, openVenueSoon, standsOf, venueCoin } from './wiring/venue.ts';

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

/** Everything that moves orders: workers, scanners, the treasury and the reconciler. A chain whose node is away joins later. */
export async function startEngine(config: Config, deps: EngineDeps): Promise<Running> {
  const { clock, log, rules = orderRules(config), pace = PACE } = deps;
  const outbound = pastTheSilent(deps.outbound, clock);
  const ungated = openSigner(deps.signerOutbound);
  const keys = await patiently('signer', log, ungated.publicKeys);
  const db = (deps.openDb ?? openDb)(config.database, config.databaseConnections, config.databaseSession);
  const books = openEngineBooks(db, clock, ...sealKeysOf(config));
  const submit = openSubmit(books.orders, books.payments, rules, clock, log);
  const reports = openRoundReports({ cases: books.cases, clock, caseAfterMs: rules.caseAfterMs });

  const { venue, tried } = openVenueSoon(config, keys, outbound, clock);
  const swappers = openProviders(config, outbound, clock);
  const bridges = openBridges(config, outbound, clock);
  const providers = guardProviders(swappers.providers, books.breakers);
  const source = openMarketSource(venue, standsOf(config), QUOTE_DEFAULTS.priceAgeMs, clock);
  const market = lastKnown(source);
  const allRules = [...rulesOf(config), venue.rules];
  const dollarsOf = worthIn(market, allRules);

  const hot = hotAddresses(config, keys);
  const look = openTrips({
    ...{ books, market, dollarsOf, chains: allRules, venueChain: venue.chainId, providers, clock },
    bounds: tripBoundsOf(config),
    stands: tradedAssets(config),
    hot: (id) => hot.get(id),
  });
  /** Whoever looks out of turn goes on with what it was doing; the next round looks again, and is reported. */
  const lookNow = () => look().catch((error) => log.warn({ error }, 'breakers could not be looked at'));
  const fellShort = async (provider: string, deal: string) => {
    await books.shortDeliveries.note(provider, deal);
    await lookNow();
  };

  const told = tellRefusals(ungated, async (intent, refused) => {
    await books.signerRefusals.note(intent, refused);
    await lookNow();
  });
  const gated = guardSigner(told, books.breakers, (family) =>
    rulesOf(config).flatMap(({ facts }) => (facts.family === family ? [facts.id] : [])),
  );
  const journal: JournalParts = { books, submit, signer: gated, venueCoin };
  const signer = comparing(gated, journal);

  const opinions = (id: ChainId) => openOpinions(id, { above: secondAbove(config), worth: dollarsOf, reports });
  const chainBooks = { deposits: books.deposits, busy: books.payments.busy };
  const chains = [
    ...openChainsLater(config, { keys, signer, books: chainBooks, outbound, opinions }),
    openVenueChainSoon(config, keys, books.deposits, outbound, clock),
  ];
  await firstTries([...chains, { tried }]);
  const byId = new Map<ChainId, Chain>(chains.map(({ chain }) => [chain.facts.id, chain]));
  const chain = (id: ChainId): Chain => present(byId.get(id), `chain ${id}`);
  await untilJournalAgrees(journal, log);

  const session = await db.session();
  const leadership = await openLeadership(db, deps.onLost);
  const parts = { config, books, submit, rules, clock, log, chain, venue, signer, dollarsOf, fellShort };
  const worker = await startWorker({
    ...{ outbox: books.outbox, cases: books.cases, submit, clock, log, session },
    handlers: engineHandlers({ ...parts, providers, marketRate: rateIn(market, allRules) }),
    onLost: deps.onLost,
    id: deps.worker,
    lookAgainMs: pace.work,
    caseAfterMs: rules.caseAfterMs,
    stockPatienceMs: rules.stockPatienceMs,
  });
  const rounds = await startEngineRounds({
    ...{ ...parts, pace, db, session, leadership, reports, source, chains, journal, look, lookNow },
    providers: [...providers, ...guardProviders(bridges.providers, books.breakers)],
    ...{ onLost: deps.onLost, worker: deps.worker, metrics: deps.metrics, times: deps.times },
  });
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

/** Off the venue, the coin that is traded there and the money that it is traded for. */
function tradedAssets(config: Config) {
  const { base, quote } = standsOf(config);
  const asset = (id: AssetId) =>
    present(
      assetsOf(config).find((one) => one.id === id),
      `asset ${id}`,
    );
  return { base: asset(base), money: asset(quote) };
}
