import { randomBytes } from 'node:crypto';
import type { ApiDeps } from '../api/deps.ts';
import { openOnionDoor } from '../api/proxy-line.ts';
import { buildApi } from '../api/server.ts';
import { type Catalog, makeCatalog } from '../catalog/catalog.ts';
import { openCaseDesk } from '../engine/case-desk.ts';
import { coldCounter } from '../engine/cold-desk.ts';
import { openDesk } from '../engine/open-desk.ts';
import { openSubmit } from '../engine/submit.ts';
import type { Running } from '../engine/worker.ts';
import { present } from '../kernel/assert.ts';
import { type Clock, later } from '../kernel/clock.ts';
import { type AssetId, type ChainId, chainOf } from '../kernel/ids.ts';
import { routesOf } from '../life/quote/route.ts';
import type { Stock } from '../life/quote/stock-bound.ts';
import { buildOperator, type OperatorDeps } from '../operator/server.ts';
import type { FeeAddressParsers } from '../partners/fee-address.ts';
import { openKeyAuthentication } from '../partners/key-authentication.ts';
import { openSigner } from '../signer/client.ts';
import type { GuardedPost } from '../world/outbound/guarded-post.ts';
import type { Outbound } from '../world/outbound/http.ts';
import { jsonRpc } from '../world/outbound/json-rpc.ts';
import { pastTheSilent } from '../world/outbound/silence.ts';
import type { Venue } from '../world/venues/venue.ts';
import { type ApiBooks, openApiBooks } from './api-books.ts';
import type { Config } from './config.ts';
import { contractSignaturesOver } from './contract-signatures.ts';
import {
  depositsOf,
  guardDesk,
  guardDestinations,
  guardFeeAddresses,
  guardJournal,
  guardPast,
  openBridgeGate,
  screenDestinations,
} from './gates.ts';
import { type JournalWatch, watchJournal } from './journal-gate.ts';
import type { AppLog } from './log.ts';
import { METRICS_AGE_MS, type Metrics, together } from './metrics.ts';
import { countOrders } from './metrics-rounds.ts';
import { operatorsOf } from './operators.ts';
import { orderRules } from './order-rules.ts';
import { openPages, readPageFiles } from './pages.ts';
import { openPartnerRoom, openWebhookPost } from './partner-room.ts';
import { startPartnerRounds } from './partner-rounds.ts';
import { patiently } from './patience.ts';
import { hashKeysOf, ownBinder } from './process-keys.ts';
import { openQuoting } from './quoting.ts';
import { readiness } from './readiness.ts';
import { stockOf } from './stock.ts';
import { bridgeSettingsOf } from './wiring/bridges.ts';
import { ethereumUrl, feeAddressParsers, hotAddresses, rulesOf } from './wiring/chains.ts';
import { firstTries } from './wiring/open-later.ts';
import { openProviders } from './wiring/providers.ts';
import { screenOf } from './wiring/screening.ts';
import { stockLevelsOf } from './wiring/stock-levels.ts';
import { openVenueSoon, standsOf } from './wiring/venue.ts';

export interface ApiProcessDeps {
  readonly clock: Clock;
  readonly log: AppLog;
  readonly metrics: Metrics;
  readonly outbound: Outbound;
  readonly signerOutbound: Outbound;
}

/** Whatever is asked here, a person waits for: others are asked as well, or he is told to come again. */
const PERSON_WAITS_MS = 8_000;

/** Both generations of the interface, and the operator's room on its own port. */
export async function startApi(config: Config, deps: ApiProcessDeps): Promise<Running> {
  const { clock, log, metrics } = deps;
  const quickly: Outbound = (call) => deps.outbound({ deadlineMs: PERSON_WAITS_MS, ...call });
  // Not for what a stranger may choose (a contract that is asked for its signature): he could make it slow, and shut the line to others.
  const outbound = pastTheSilent(quickly, clock);
  const signer = openSigner(deps.signerOutbound);
  const publicKeys = await patiently('signer', log, signer.publicKeys);
  const { venue, tried } = openVenueSoon(config, publicKeys, outbound, clock);
  await firstTries([{ tried }]);
  const hotOf = hotAddresses(config, publicKeys);
  const hot = new Set(hotOf.values());
  const swappers = openProviders(config, outbound, clock);
  const catalog = makeCatalog(rulesOf(config), venue.rules, {
    isRouted: routesOf(standsOf(config), swappers.providers),
    isOurs: (address) => hot.has(address),
  });
  const books = await openApiBooks(config, deps, catalog.symbol);
  const { providers } = swappers;
  const stock = stockOf(config, books.ledger, clock);
  const quotes = openQuoting(config, { ...books, catalog, venue, providers, hot: hotOf, stock, clock });
  const post = openWebhookPost(config, clock);
  const journal = await patiently('journal', log, () => watchJournal(books.journal, signer, clock));
  const feeAddresses = guardFeeAddresses(feeAddressParsers(config, venue.rules), {
    ...{ hot, chains: [...catalog.chains(), venue.rules], isIssued: books.isIssued },
  });
  const apiDeps = publicApi(config, deps, { books, catalog, venue, quotes, stock, post, journal, feeAddresses });
  const api = await buildApi(apiDeps);
  await openPages(api, config, {
    ...{ desk: apiDeps.desk, clock, rules: orderRules(config), files: readPageFiles(), breakers: books.breakers },
  });
  const places = [
    ...[...catalog.chains(), venue.rules].map(({ facts }) => `chain:${facts.id}` as const),
    ...providers.map(({ name }) => `provider:${name}` as const),
  ];
  const assets = [...rulesOf(config), venue.rules].flatMap(({ facts }) => facts.assets);
  const operator = operatorRoom(config, deps, books, catalog, { places, assets, feeAddresses });
  await api.listen({ host: config.api.host, port: config.api.port });
  const onion = config.api.onion && (await openOnionDoor(api.server, config.api.onion));
  await operator.listen({ host: config.operator.host, port: config.operator.port });
  const partnerRounds = startPartnerRounds({ db: books.db, deps: apiDeps, post, log });
  const gauges = countOrders(metrics, { ...books, levels: stockLevelsOf(config) }, assets, deps);
  return {
    stop: async () => {
      await Promise.all([onion?.close(), api.close(), operator.close(), gauges.stop(), partnerRounds.stop()]);
      swappers.close();
      await venue.close();
      await books.close();
    },
  };
}

interface PublicParts {
  readonly books: ApiBooks;
  readonly catalog: Catalog;
  readonly venue: Venue;
  readonly quotes: ReturnType<typeof openQuoting>;
  readonly stock: Stock;
  readonly post: GuardedPost;
  readonly journal: JournalWatch;
  readonly feeAddresses: FeeAddressParsers;
}

function publicApi(config: Config, { clock, log, metrics, outbound }: ApiProcessDeps, parts: PublicParts): ApiDeps {
  const { books, catalog, venue, quotes, stock, post, journal, feeAddresses } = parts;
  const { orders, cache, feed, trades, breakers, switches, isIssued } = books;
  const keys = hashKeysOf(config);
  const bridges = bridgeSettingsOf(config, catalog);
  const spaceOf = (asset: AssetId) => present(catalog.chain(chainOf(asset)), `the chain of ${asset}`).facts.family;
  const desk = openDesk({
    orders,
    cache,
    fills: trades.fills,
    submit: openSubmit(orders, books.payments, orderRules(config), clock, log),
    feed,
    rules: orderRules(config),
    clock,
    spaceOf,
    log,
  });
  const url = ethereumUrl(config);
  return {
    desk: guardJournal(
      guardPast(
        guardDesk(
          screenDestinations(guardDestinations(desk, depositsOf(catalog, isIssued)), screenOf(config)),
          breakers,
        ),
        journal,
      ),
      journal,
    ),
    quotes,
    catalog,
    bridges: {
      settings: bridges,
      money: catalog.asset(standsOf(config).quote),
      isOn: openBridgeGate(switches, breakers, bridges, stock),
    },
    partners: openKeyAuthentication(books.partners, [keys.hash, ...keys.oldHashes], clock),
    partnerRoom: openPartnerRoom(config, {
      ...{ db: books.db, book: books.partners, feeAddresses, post },
      contractSignatures:
        url === undefined ? undefined : contractSignaturesOver(jsonRpc({ at: 'ethereum', url }, outbound)),
    }),
    quota: books.quota,
    clock,
    randomBytes,
    hashKey: keys.hash,
    oldHashKeys: keys.oldHashes,
    binder: ownBinder(config, 'api'),
    rules: orderRules(config),
    log,
    observe: metrics.observeRequest,
    ...(config.api.trustedProxies && { trustedProxies: config.api.trustedProxies }),
    ...(config.pages?.publicUrl === undefined ? {} : { publicUrl: config.pages.publicUrl }),
    unready: readiness(books, journal, [...rulesOf(config), venue.rules], clock),
  };
}

function operatorRoom(
  config: Config,
  { clock, log, metrics }: ApiProcessDeps,
  books: ApiBooks,
  catalog: Catalog,
  known: Pick<OperatorDeps, 'places' | 'assets' | 'feeAddresses'>,
) {
  const { partners, switches, breakers, reads, cases, acts, outbox, payments, orders } = books;
  const submit = openSubmit(orders, payments, orderRules(config), clock, log);
  const remedyOf = (id: ChainId) => present(catalog.chain(id), `chain ${id}`).facts.stuck.remedy;
  return buildOperator({
    operators: operatorsOf(config),
    acts,
    partners,
    hashKey: hashKeysOf(config).hash,
    random: randomBytes,
    clock,
    switches,
    breakers,
    ...known,
    reads,
    solvency: books.solvency,
    symbolOf: catalog.symbol,
    countCold: coldCounter(outbox, clock),
    cases,
    caseDesk: openCaseDesk({ outbox, payments, submit, clock, remedyOf }),
    // An order may be of a chain that the settings do not name any more.
    chainName: (id) => catalog.chain(id)?.facts.name ?? `${id}`,
    metrics: together(metrics, () => books.metrics.recent(later(clock.now(), -METRICS_AGE_MS))),
    onTrouble: (error) => log.error({ error }, 'operator call failed'),
  });
}
