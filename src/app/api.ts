import { randomBytes } from 'node:crypto';
import type { ApiDeps } from '../api/deps.ts';
import { buildApi } from '../api/server.ts';
import { makeCatalog } from '../catalog/catalog.ts';
import { openFeed } from '../engine/feed.ts';
import { openDesk } from '../engine/open-desk.ts';
import { cacheOrders } from '../engine/order-cache.ts';
import { startRounds } from '../engine/rounds.ts';
import { openSubmit } from '../engine/submit.ts';
import type { Running } from '../engine/worker.ts';
import { present } from '../kernel/assert.ts';
import { type Clock, later } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import { type Address, type AssetId, chainOf } from '../kernel/ids.ts';
import { percent } from '../kernel/ratio.ts';
import { Secret } from '../kernel/secret.ts';
import { RULES } from '../life/order/rules.ts';
import { throttled } from '../life/quote/provider-offers.ts';
import { openQuotes, QUOTE_DEFAULTS } from '../life/quote/quotes.ts';
import { routesOf } from '../life/quote/route.ts';
import { buildOperator } from '../operator/server.ts';
import { feeAddressParsers } from '../partners/fee-address.ts';
import { openKeyAuthentication } from '../partners/key-authentication.ts';
import { openSigner } from '../signer/client.ts';
import { openCases } from '../store/cases.ts';
import { openDb } from '../store/db.ts';
import { openBreakers, openSwitches } from '../store/gates.ts';
import { openLedger } from '../store/ledger.ts';
import { openMetricsBook } from '../store/metrics.ts';
import { openOrders } from '../store/orders.ts';
import { openPartnerRecords } from '../store/partner-records.ts';
import { openPayments } from '../store/payments.ts';
import { openQuota } from '../store/quota.ts';
import { openReads } from '../store/reads.ts';
import { openSightings } from '../store/sightings.ts';
import { openTrades } from '../store/trades.ts';
import { type ChainRules, coinOf } from '../world/chains/chain.ts';
import type { Outbound } from '../world/outbound/http.ts';
import { jsonRpc } from '../world/outbound/json-rpc.ts';
import { type Config, slippageOf } from './config.ts';
import { contractSignaturesOver } from './contract-signatures.ts';
import { guardDesk, guardDestinations, guardProviders, guardQuotes, openBridgeGate } from './gates.ts';
import type { AppLog } from './log.ts';
import { METRICS_AGE_MS, type Metrics, together } from './metrics.ts';
import { openPartnerRoom, openWebhookPost } from './partner-room.ts';
import { startPartnerRounds } from './partner-rounds.ts';
import { patiently } from './patience.ts';
import { bridgeSettingsOf } from './wiring/bridges.ts';
import { hotAddresses, openProviders, openVenue, rulesOf, stands } from './wiring.ts';

export interface ApiProcessDeps {
  readonly clock: Clock;
  readonly log: AppLog;
  readonly metrics: Metrics;
  readonly outbound: Outbound;
  readonly signerOutbound: Outbound;
}

/** A chain that was not scanned for this long is not ready to take deposits. */
const SCAN_AGE_MS = 60_000;
const GAUGES_MS = 5_000;
/** Where contract accounts that sign in are asked. */
const ETHEREUM = 1;

/** Both generations of the interface, and the operator's room on its own port. */
export async function startApi(config: Config, deps: ApiProcessDeps): Promise<Running> {
  const { clock, log, metrics, outbound } = deps;
  const keys = await patiently('signer', log, openSigner(deps.signerOutbound).publicKeys);
  const venue = await patiently('venue', log, () => openVenue(config, keys, outbound, clock));
  const chains = rulesOf(config);
  const hot = hotAddresses(config, keys);
  const ours = new Set(hot.values());
  const swappers = openProviders(
    config,
    chains.flatMap(({ facts }) => facts.assets),
    outbound,
    clock,
  );
  const catalog = makeCatalog(chains, venue.rules, {
    isRouted: routesOf(stands(), swappers.providers),
    isOurs: (address) => ours.has(address),
  });

  const db = openDb(config.database, config.databaseConnections);
  const breakers = openBreakers(db, clock);
  const switches = openSwitches(db, clock);
  const sightings = openSightings(db);
  const orders = openOrders(db);
  const trades = openTrades(db);
  const ledger = openLedger(db, clock);
  const cache = cacheOrders(orders.find);
  const feed = await openFeed(db, (id) => (id ? cache.forget(id) : cache.forgetAll()));
  const reads = openReads(db, orders, (asset) => catalog.asset(asset).symbol);
  const hashKey = new Secret<Uint8Array>(Buffer.from(config.keys.hash, 'hex'));
  const bindingKey = new Secret<Uint8Array>(Buffer.from(config.keys.binding, 'hex'));
  const partners = openPartnerRecords(db);
  const factsOf = (id: number) => present(catalog.chain(id), `chain ${id}`).facts;

  const slippage = slippageOf(config);
  const bridges = bridgeSettingsOf(config, catalog);
  const quotes = openQuotes({
    catalog,
    venue,
    stands: stands(),
    providers: guardProviders(
      swappers.providers.map((provider) => throttled(provider, clock)),
      breakers,
    ),
    hot: (chain) => hot.get(chain),
    networkCost: async (id) => {
      const cost = await ledger.payoutCost(coinOf(factsOf(id)).id);
      if (cost === undefined) throw new Fault('transient', `chain:${id}`, 'the cost of a payout is not known yet');
      return cost;
    },
    settings: {
      ...QUOTE_DEFAULTS,
      serviceFee: percent(config.fees.servicePercent),
      endToEndSlippage: slippage.full,
      perLegSlippage: slippage.perLeg,
      largestOrderUsd: config.largestOrderUsd,
    },
    clock,
  });
  const spaceOf = (asset: AssetId) => factsOf(chainOf(asset)).family;
  const desk = openDesk({
    orders,
    cache,
    fills: trades.fills,
    submit: openSubmit(orders, openPayments(db), RULES, clock),
    feed,
    rules: RULES,
    clock,
    spaceOf,
  });
  const scanned = [...chains, venue.rules];
  const spaces = [...new Set(scanned.map(({ facts }) => facts.family))];
  const chainIds = scanned.map(({ facts }) => facts.id);
  const isDeposit = async (asset: AssetId, address: Address) =>
    (await sightings.watched(spaceOf(asset), [address])).has(address);
  const feeAddresses = feeAddressParsers(feeParsers(chains));
  const post = openWebhookPost(config, clock);
  const ethereum = config.chains.evm.find(({ chainId }) => chainId === ETHEREUM);
  const apiDeps: ApiDeps = {
    desk: guardDesk(guardDestinations(desk, isDeposit), breakers),
    quotes: guardQuotes(quotes, breakers, stands()),
    catalog,
    bridges: {
      settings: bridges,
      money: catalog.asset(stands().quote),
      isOn: openBridgeGate(switches, breakers, bridges),
    },
    partners: openKeyAuthentication(partners, hashKey, clock),
    partnerRoom: openPartnerRoom(config, {
      ...{ db, book: partners, feeAddresses, post },
      contractSignatures:
        ethereum && contractSignaturesOver(jsonRpc({ at: 'ethereum', url: ethereum.rpcUrl }, outbound)),
    }),
    quota: openQuota(db),
    clock,
    randomBytes,
    hashKey,
    bindingKey,
    rules: RULES,
    log,
    observe: metrics.observeRequest,
    ...(config.pages?.publicUrl === undefined ? {} : { publicUrl: config.pages.publicUrl }),
    ready: () => reads.ready(chainIds, spaces, later(clock.now(), -SCAN_AGE_MS)),
  };
  const api = await buildApi(apiDeps);
  const operator = buildOperator({
    token: new Secret(config.operator.token),
    partners,
    feeAddresses,
    hashKey,
    random: randomBytes,
    clock,
    switches,
    breakers,
    reads,
    cases: openCases(db, clock),
    metrics: together(metrics, () => openMetricsBook(db).recent(later(clock.now(), -METRICS_AGE_MS))),
    onTrouble: (error) => log.error({ error }, 'operator call failed'),
  });
  await api.listen({ host: config.api.host, port: config.api.port });
  await operator.listen({ host: config.operator.host, port: config.operator.port });
  const partnerRounds = startPartnerRounds({ db, deps: apiDeps, post, log });
  const gauges = startRounds('gauges', GAUGES_MS, log, async () => {
    metrics.orders.reset();
    for (const { what, name, n } of await reads.counts()) {
      if (what === 'order') metrics.orders.set({ phase: name }, n);
      else metrics[what].set(n);
    }
    return false;
  });
  return {
    stop: async () => {
      await Promise.all([api.close(), operator.close(), gauges.stop(), partnerRounds.stop()]);
      swappers.close();
      await Promise.all([feed.close(), venue.close()]);
      await db.close();
    },
  };
}

/** A chain of ours knows best what is an address on it. */
function feeParsers(chains: readonly ChainRules[]) {
  const parserOf = (family: string) => chains.find(({ facts }) => facts.family === family)?.parseAddress;
  const [solana, bitcoin] = [parserOf('solana'), parserOf('bitcoin')];
  return { evm: present(parserOf('evm'), 'an EVM chain'), ...(solana && { solana }), ...(bitcoin && { bitcoin }) };
}
