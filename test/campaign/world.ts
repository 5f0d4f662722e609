import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { portsFrom, type Secrets, writeConfig } from '../../sandbox/config.ts';
import { evmHot, evmSettings } from '../../sandbox/families/evm.ts';
import { moneroHot, moneroSettings } from '../../sandbox/families/monero.ts';
import { makeFolders, places } from '../../sandbox/files.ts';
import { freshAddresses } from '../../sandbox/fresh-addresses.ts';
import { knownTree, writeSeed } from '../../sandbox/seed.ts';
import { type HyperliquidSimulator, startHyperliquid } from '../../sandbox/simulators/hyperliquid/server.ts';
import { type MoneroSimulation, startMoneroSimulator } from '../../sandbox/simulators/monero/simulator.ts';
import { openMarket } from '../../sandbox/simulators/providers/market.ts';
import { startOneClick } from '../../sandbox/simulators/providers/oneclick.ts';
import { startRelay } from '../../sandbox/simulators/providers/relay.ts';
import type { ProviderSimulator } from '../../sandbox/simulators/providers/server.ts';
import type { Config } from '../../src/app/config.ts';
import { present } from '../../src/kernel/assert.ts';
import { instant } from '../../src/kernel/clock.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { beginJournal } from '../../src/signer/journal.ts';
import type { KeyTree } from '../../src/signer/keys.ts';
import { evmKeys } from '../../src/signer/rails/evm.ts';
import type { Asset } from '../../src/world/chains/chain.ts';
import { evmDepositAddresses } from '../../src/world/chains/evm/codec.ts';
import { evmNetwork } from '../../src/world/chains/evm/networks.ts';
import { httpOutbound, type OutboundCall, type OutboundReply } from '../../src/world/outbound/http.ts';
import type { Abroad } from './abroad.ts';
import { bitcoinStart, openBitcoin } from './bitcoin.ts';
import { campaignConfig } from './config.ts';
import { ON_VENUE } from './elsewhere.ts';
import { CHAINS, type ChainName, type Plan, trades } from './events.ts';
import { EvmChain } from './evm-chain.ts';
import { EvmNode } from './evm-node.ts';
import { addressOf, evmPlace, PROVIDER } from './evm-place.ts';
import { homeOf, OWN_PLACES, wantsOf } from './levels.ts';
import { moneroStart } from './monero-start.ts';
import { PRICES } from './prices.ts';
import type { Chance } from './random.ts';
import type { Scheduler } from './scheduler.ts';
import { openSolana, solanaStart } from './solana.ts';
import { openTron } from './tron.ts';
import { openZcash, zcashStart } from './zcash.ts';

/** Everything that is not ours: chains, venue, providers. It outlives every process of the desk. */
export interface World {
  readonly config: Config;
  readonly arbitrum: EvmChain;
  readonly node: EvmNode;
  readonly monero: MoneroSimulation;
  /** Those of which somebody trades something. */
  readonly abroad: ReadonlyMap<ChainName, Abroad>;
  readonly venue: HyperliquidSimulator;
  /** What the desk has there. */
  readonly onVenue: readonly Asset[];
  readonly providers: readonly ProviderSimulator[];
  readonly hot: { readonly evm: Address; readonly monero: Address };
  readonly dir: string;
  /** Nobody may pay there. */
  readonly sanctioned: Address;
  /** From now on nobody may pay there, either. */
  list(addresses: readonly string[]): void;
  /** Whether the desk's keys move what is there. */
  isOurs(address: string): boolean;
  isCustomers(address: string): boolean;
  deposits(): readonly string[];
  /** What a node says that only reads its chain. */
  answer(call: OutboundCall): Promise<OutboundReply> | undefined;
  /** Where a call to any of them ends. */
  route(call: OutboundCall): Promise<OutboundReply>;
  close(): Promise<void>;
}

export const ARBITRUM = 42_161;
/** A deposit is final by its own rule long before the chain is. */
export const DEPTH = { small: 2, large: 4 } as const;
export const SETTLED = 5;
export const NODE_URL = 'http://arbitrum.campaign/';
const SEND = 'eth_sendRawTransaction';
/** Of a Monero without blocks the same is said for ever: whatever was said twice is not asked for again. */
const STANDS_STILL: ReadonlySet<string> = new Set([
  ...['get_last_block_header', 'get_height', 'get_info', 'refresh', 'get_transaction_pool_hashes', 'get_fee_estimate'],
]);
const NUMBER = /"id":\d+/;
const withoutNumber = (body: string): string => body.replace(NUMBER, '');
const questionOf = ({ label, url, body = '' }: OutboundCall): string => `${label} ${url} ${withoutNumber(body)}`;
const ETHER = 10n ** 18n;
const VENUE_UNIT = 10n ** 8n;
const VENUE_STOCK: Readonly<Record<string, bigint>> = {
  ...{ USDC: 500_000n, XMR1: 5_000n, TRX1: 5_000_000n, ZEC1: 5_000n },
};
/** Chains whose own coin the venue has in another form, by that form's symbol. */
const HOME_OF: Readonly<Record<string, ChainName | undefined>> = { TRX1: 'Tron', ZEC1: 'Zcash' };
/** The desk has nothing of a coin whose chain it does not have. */
function isAtHome(symbol: string, abroad: World['abroad']): boolean {
  const home = HOME_OF[symbol];
  return home === undefined || abroad.has(home);
}
/** So much of each token that nobody waits for stock, unless a story says so. */
const PLENTY = 1_000_000n;
const PROVIDER_LOOKS_MS = 10_000;

const SECRETS: Secrets = {
  api: 'a1'.repeat(32),
  engine: 'e2'.repeat(32),
  hash: 'b3'.repeat(32),
  passphrase: 'a passphrase of play money',
  operatorToken: 'the operator of this play money',
  walletPassword: 'wallet of play money',
};

/** Where this asset is, if that is a chain that not every seed has. */
export const placeOf = ({ abroad }: World, { chainId }: Pick<Asset, 'chainId'>): Abroad | undefined =>
  [...abroad.values()].find((chain) => chain.chainId === chainId);

/** What is the same in every seed, and takes long or takes chance, is made before the first. */
export async function prepareWorlds(): Promise<void> {
  tree ??= knownTree();
  moneroStart();
  await bitcoinStart(tree);
  await zcashStart();
  await solanaStart(tree);
  await sealedSeed();
}

type Opening = (tree: KeyTree, chance: Chance, now: () => number) => Promise<Abroad>;
const OPENING: Readonly<Record<ChainName, Opening>> = {
  Bitcoin: (tree) => openBitcoin(tree, { confirmations: DEPTH, settledConfirmations: SETTLED }),
  Tron: openTron,
  Zcash: () => openZcash(DEPTH.small, SETTLED),
  Solana: openSolana,
};

async function openAbroad(plan: Plan, ...[tree, chance, now]: Parameters<Opening>): Promise<World['abroad']> {
  const chains = new Map<ChainName, Abroad>();
  for (const [name, open] of Object.entries(OPENING) as [ChainName, Opening][])
    if (trades(plan, ...CHAINS[name])) chains.set(name, await open(tree, chance.child(name), now));
  return chains;
}

export async function openWorld(plan: Plan, scheduler: Scheduler, chance: Chance, database: string): Promise<World> {
  const [hasMonero, wants] = [trades(plan, 'XMR'), wantsOf(plan)];
  const dir = mkdtempSync(join(tmpdir(), 'wherry-campaign-'));
  const at = places(dir);
  makeFolders(at);
  writeFileSync(at.signer.seed, await sealedSeed(), { mode: 0o600 });
  writeFileSync(at.denyList, `${addressOf('sanctioned')}\n`);
  tree ??= knownTree();
  beginJournal(at.signer.journal, tree.journal, instant(scheduler.now));
  const hot = { evm: evmHot(tree), monero: moneroHot(tree) };
  const now = () => scheduler.now;
  const arbitrum = new EvmChain(evmNetwork(ARBITRUM), chance.child('arbitrum'), now);
  const node = new EvmNode(arbitrum);
  for (const { token, native, decimals } of arbitrum.network.facts.assets)
    await evmPlace(arbitrum).pay({
      token,
      to: hot.evm,
      atoms: native ? 100n * ETHER : PLENTY * 10n ** BigInt(decimals),
    });
  for (let left = SETTLED; left > 0; left -= 1) arbitrum.mine();
  const [monero, venue] = await Promise.all([
    startMoneroSimulator({ hotAddress: hot.monero, snapshot: moneroStart() }),
    startHyperliquid({
      ...{ now, forgetsEmpty: chance.child('venue').once(2) },
      ...(wants ? { home: homeOf(arbitrum, SETTLED) } : {}),
    }),
  ]);
  const abroad = await openAbroad(plan, tree, chance, now);
  const others = [...abroad.values()];
  const onVenue = ON_VENUE.filter(({ symbol }) => isAtHome(symbol, abroad));
  for (const { token, symbol } of onVenue)
    venue.credit(hot.evm, token, present(VENUE_STOCK[symbol], symbol) * VENUE_UNIT);
  const place = evmPlace(arbitrum);
  const market = openMarket({ prices: PRICES });
  const options = {
    ...{ places: [place, ...others.map(({ purse }) => purse)], market, freshAddress: freshAddresses() },
    ...{ now, pollMs: PROVIDER_LOOKS_MS },
  };
  const providers = await Promise.all([
    startOneClick({ ...options, feeBps: 10 }),
    startRelay({ ...options, feeBps: 20 }),
  ]);
  const { evm } = evmSettings([{ chainId: ARBITRUM, rpcUrl: NODE_URL }]);
  const config = writeConfig(at, portsFrom(1), SECRETS, {
    database,
    chains: {
      evm: evm.map((chain) => ({ ...chain, finality: DEPTH, settled: SETTLED })),
      monero: settingsOf(monero),
      ...Object.assign({}, ...others.map(({ settings }) => settings)),
    },
    providers: { oneclick: { url: providers[0].url }, relay: { url: providers[1].url } },
    venueUrl: venue.url,
  });
  const still = new Map<string, OutboundReply>();
  const before = new Map<string, string>();
  return {
    ...{
      config: campaignConfig(config, [0, ARBITRUM, ...others.map(({ chainId }) => chainId)], onVenue, wants),
      arbitrum,
      node,
      monero,
      abroad,
      venue,
      onVenue,
      providers,
      hot,
      dir,
      sanctioned: addressOf('sanctioned'),
    },
    list: (addresses) => appendFileSync(at.denyList, `${addresses.join('\n')}\n`),
    isOurs: (address) => ours().has(address.toLowerCase()) || address.toLowerCase() === hot.evm.toLowerCase(),
    deposits: () => [...ours()],
    isCustomers: (address) =>
      ![PROVIDER, hot.evm, ...OWN_PLACES].includes(address) && !ours().has(address.toLowerCase()),
    answer: (call) => {
      if (call.url.startsWith(NODE_URL))
        return call.label === SEND ? undefined : Promise.resolve().then(() => node.answer(call));
      const said = still.get(questionOf(call));
      const [number = ''] = NUMBER.exec(call.body ?? '') ?? [];
      return said && Promise.resolve({ ...said, body: said.body.replace(NUMBER, number) });
    },
    async route(call) {
      if (call.url.startsWith(NODE_URL)) return node.answer(call);
      const place = others.find(({ chainId }) => call.at === `chain:${chainId}`);
      const reply = place?.pass?.(call) ?? (await httpOutbound(call));
      if (hasMonero || !STANDS_STILL.has(call.label)) return reply;
      const question = questionOf(call);
      if (before.get(question) === withoutNumber(reply.body)) still.set(question, reply);
      before.set(question, withoutNumber(reply.body));
      return reply;
    },
    async close() {
      await Promise.all([
        monero.close(),
        ...others.map((chain) => chain.close()),
        venue.close(),
        ...providers.map((provider) => provider.close()),
      ]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function settingsOf(monero: MoneroSimulation) {
  const urls = { daemonUrl: monero.daemonUrl, spend: monero.walletUrl('spend') };
  const settings = moneroSettings(urls, SECRETS.walletPassword).monero;
  return { ...settings, confirmations: DEPTH, settledConfirmations: SETTLED, outputPool: 1 };
}

let tree: KeyTree | undefined;
let deposits: ReadonlySet<string> | undefined;
/** More deposit addresses than one seed gives out. */
const DEPOSITS = 60;

function ours(): ReadonlySet<string> {
  deposits ??= new Set(depositAddresses().map((address) => address.toLowerCase()));
  return deposits;
}

function depositAddresses(): readonly string[] {
  tree ??= knownTree();
  const addressOfIndex = evmDepositAddresses(evmKeys(tree).xpub);
  return Array.from({ length: DEPOSITS }, (_, index) => addressOfIndex(index));
}

let seedText: string | undefined;

/** Sealing a seed takes long on purpose, and takes chance: it is done once, outside of every world, and each gets a copy. */
async function sealedSeed(): Promise<string> {
  if (seedText !== undefined) return seedText;
  const dir = mkdtempSync(join(tmpdir(), 'wherry-campaign-'));
  const { signer } = places(dir);
  makeFolders(places(dir));
  await writeSeed(signer, SECRETS.passphrase);
  seedText = readFileSync(signer.seed, 'utf8');
  rmSync(dir, { recursive: true, force: true });
  return seedText;
}
