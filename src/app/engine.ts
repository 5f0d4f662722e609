import { openLeadership } from '../engine/leader.ts';
import { RECONCILE_MS, reconcile } from '../engine/reconcile.ts';
import { type Next, startRounds } from '../engine/rounds.ts';
import { openSubmit } from '../engine/submit.ts';
import { type Running, startWorker } from '../engine/worker.ts';
import type { Amount } from '../kernel/amount.ts';
import { present } from '../kernel/assert.ts';
import { bindDestination } from '../kernel/binding.ts';
import { type Clock, later } from '../kernel/clock.ts';
import type { Address, AssetId, ChainId, OrderId } from '../kernel/ids.ts';
import { Secret } from '../kernel/secret.ts';
import { depositHandlers } from '../life/deposit/handlers.ts';
import { scanOnce } from '../life/deposit/scan.ts';
import { executionHandlers } from '../life/execution/handlers.ts';
import { providerHandlers } from '../life/execution/provider-handlers.ts';
import type { Destination } from '../life/order/order.ts';
import { RULES, type Rules } from '../life/order/rules.ts';
import { move } from '../life/payment/posting.ts';
import { transferHandlers } from '../life/transfer/handlers.ts';
import { openSigner } from '../signer/client.ts';
import { openCases } from '../store/cases.ts';
import { openDb } from '../store/db.ts';
import { openDepositBook } from '../store/deposit-book.ts';
import { openBreakers } from '../store/gates.ts';
import { openLedger } from '../store/ledger.ts';
import { openMetricsBook } from '../store/metrics.ts';
import { openOrders } from '../store/orders.ts';
import { openOutbox } from '../store/outbox.ts';
import { openPayments } from '../store/payments.ts';
import { openSightings } from '../store/sightings.ts';
import { openTrades } from '../store/trades.ts';
import type { Chain } from '../world/chains/chain.ts';
import type { Outbound } from '../world/outbound/http.ts';
import { type Config, slippageOf } from './config.ts';
import { guardHandlers, guardProviders } from './gates.ts';
import { houseRounds } from './house-rounds.ts';
import type { AppLog } from './log.ts';
import { METRICS_AGE_MS, type Metrics } from './metrics.ts';
import { patiently } from './patience.ts';
import { openChains, openProviders, openVenue, rulesOf, screenOf } from './wiring.ts';

export interface EngineDeps {
  readonly clock: Clock;
  readonly log: AppLog;
  readonly outbound: Outbound;
  readonly signerOutbound: Outbound;
  /** Numbers of this process, left in the database for the operator's port. */
  readonly metrics?: Metrics;
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
  readonly treasury: number;
  readonly addresses: number;
  readonly outputs: number;
  readonly work: number;
}

const PACE: Pace = { scan: 500, readings: 2_000, treasury: 1_000, addresses: 500, outputs: 15_000, work: 250 };
/** A chain on which nothing is in motion is looked at more seldom: most chains, most of the time. */
const QUIET_PAUSES = 3;
/** Seats of the one leader each round has; scanners use their chain's place in the list. */
export const SEATS = { treasury: 1, readings: 2, addresses: 3, outputs: 4, reconciler: 5, firstChain: 100 };

/** Everything that moves orders: workers, scanners, the treasury and the reconciler. Opens ready or not at all. */
export async function startEngine(config: Config, deps: EngineDeps): Promise<Running> {
  const { clock, log, outbound, rules = RULES, pace = PACE } = deps;
  const signer = openSigner(deps.signerOutbound);
  const keys = await patiently('signer', log, signer.publicKeys);
  const db = (deps.openDb ?? openDb)(config.database, config.databaseConnections);
  const payments = openPayments(db);
  const chainBooks = {
    bitcoinDeposits: openDepositBook(db, 'bitcoin'),
    venueAccounts: openDepositBook(db, 'venue').taken,
    busy: payments.busy,
  };
  const [chains, venue] = await patiently('counterparties', log, () =>
    Promise.all([
      openChains(config, keys, signer, chainBooks, outbound, clock),
      openVenue(config, keys, outbound, clock),
    ]),
  );
  const assets = rulesOf(config).flatMap(({ facts }) => facts.assets);
  const swappers = openProviders(config, assets, outbound, clock);
  const byId = new Map<ChainId, Chain>(chains.map(({ chain }) => [chain.facts.id, chain]));
  const chain = (id: ChainId): Chain => present(byId.get(id), `chain ${id}`);

  const orders = openOrders(db);
  const outbox = openOutbox(db);
  const sightings = openSightings(db);
  const trades = openTrades(db);
  const ledger = openLedger(db, clock);
  const cases = openCases(db, clock);
  const submit = openSubmit(orders, payments, rules, clock);
  const breakers = openBreakers(db, clock);
  const bind = binder(new Secret<Uint8Array>(Buffer.from(config.keys.binding, 'hex')));

  const handlers = {
    ...depositHandlers({
      chain,
      clock,
      screen: screenOf(config),
      bindRefund: (order, asset, address) => bind('refund', order, asset, address),
    }),
    ...transferHandlers({ chain, signer, books: payments, clock }),
    ...executionHandlers({ venue, signer, books: trades, rules, clock }),
    ...providerHandlers({
      ...{ chain, books: sightings, bind, rules, clock },
      providers: guardProviders(swappers.providers, breakers),
      slippage: slippageOf(config),
    }),
  };
  const session = await db.session();
  const leadership = await openLeadership(db, deps.onLost);
  const parts = {
    outbox,
    cases,
    submit,
    handlers: guardHandlers(handlers, breakers),
    clock,
    log,
    session,
    onLost: deps.onLost,
    id: deps.worker,
    lookAgainMs: pace.work,
  };
  const worker = await startWorker(parts);
  const led = (name: string, seat: number, everyMs: number, round: () => Promise<Next>) =>
    startRounds(name, everyMs, log, async () => ((await leadership.leads(seat)) ? round() : false));

  const scanners = chains.map(({ chain: one, scanFrom }, index) =>
    led(`scan ${one.facts.name}`, SEATS.firstChain + index, pace.scan, async () => {
      const books = { ...sightings, ours: payments.ours };
      const telling = {
        order: submit.find,
        tell: async (...told: Parameters<typeof submit.submit>) => {
          await submit.submit(...told);
        },
        inflow: async (key: string, received: Amount) => {
          // What comes to the venue's account is taken over from its own ledger, with all else that happens there.
          if (one.facts.id === venue.chainId) return;
          await submit.commitHouse({ key, postings: [move('world', 'treasury', received)] });
        },
      };
      const { more, isQuiet } = await scanOnce({ chain: one, books, telling, rules, from: scanFrom }, clock.now());
      return !more && isQuiet ? { pauseMs: QUIET_PAUSES * pace.scan } : more;
    }),
  );
  const house = houseRounds({
    config,
    venue,
    chains: chains.map((one) => one.chain),
    signer,
    trades,
    ledger,
    payments,
    cases,
    sightings,
    submit,
    clock,
  });
  const rounds = [
    ...scanners,
    led('addresses', SEATS.addresses, pace.addresses, house.addresses),
    led('readings', SEATS.readings, pace.readings, house.readings),
    led('treasury', SEATS.treasury, pace.treasury, house.treasury),
    led('outputs', SEATS.outputs, pace.outputs, house.outputs),
    startReconciler(orders, payments, outbox, clock, log),
    ...(deps.metrics ? [leaveMetrics(deps.metrics, openMetricsBook(db), deps)] : []),
  ];
  return {
    stop: async () => {
      await Promise.all([worker.stop(), ...rounds.map((round) => round.stop())]);
      swappers.close();
      await Promise.all([session.close(), leadership.close()]);
      await Promise.all(chains.map((one) => one.chain.close()));
      await Promise.all([venue.close(), db.close()]);
    },
  };
}

/** Who holds the key says where money may go; the signer checks it. */
const binder =
  (key: Secret<Uint8Array>) =>
  (purpose: 'payout' | 'refund' | 'fund', order: OrderId, asset: AssetId, address: Address): Destination => ({
    asset,
    address,
    binding: bindDestination(key, order, purpose, asset, address),
  });

/** Due by our own clock, so that it can be rehearsed by moving it. */
function startReconciler(
  orders: Parameters<typeof reconcile>[0],
  payments: Parameters<typeof reconcile>[1],
  outbox: Parameters<typeof reconcile>[2],
  clock: Clock,
  log: AppLog,
): Running {
  let last = clock.now();
  return startRounds('reconciler', 1_000, log, async () => {
    if (clock.now() - last < RECONCILE_MS) return false;
    last = clock.now();
    const resumed = await reconcile(orders, payments, outbox, clock);
    if (resumed > 0) log.warn({ resumed }, 'orders without work were taken up again');
    return false;
  });
}

const METRICS_MS = 5_000;

function leaveMetrics(
  { registry }: Metrics,
  book: ReturnType<typeof openMetricsBook>,
  { clock, log, worker }: EngineDeps,
): Running {
  return startRounds('metrics', METRICS_MS, log, async () => {
    await book.save(worker, await registry.getMetricsAsJSON(), clock.now());
    await book.forget(later(clock.now(), -METRICS_AGE_MS));
    return false;
  });
}
