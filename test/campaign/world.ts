import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { portsFrom, type Secrets, writeConfig } from '../../sandbox/config.ts';
import { bitcoinHot } from '../../sandbox/families/bitcoin.ts';
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
import { VENUE_ID, VENUE_USDC, XMR1 } from '../../sandbox/venue-tokens.ts';
import type { Config } from '../../src/app/config.ts';
import { instant } from '../../src/kernel/clock.ts';
import { type Address, type AssetId, chainOf } from '../../src/kernel/ids.ts';
import { beginJournal } from '../../src/signer/journal.ts';
import { evmKeys } from '../../src/signer/rails/evm.ts';
import { BITCOIN_REGTEST } from '../../src/world/chains/bitcoin/networks.ts';
import { evmDepositAddresses } from '../../src/world/chains/evm/codec.ts';
import { evmNetwork } from '../../src/world/chains/evm/networks.ts';
import { httpOutbound, type OutboundCall, type OutboundReply } from '../../src/world/outbound/http.ts';
import { type Bitcoin, bitcoinSettings, bitcoinStart, openBitcoin } from './bitcoin.ts';
import { BTC } from './elsewhere.ts';
import { EvmChain } from './evm-chain.ts';
import { EvmNode } from './evm-node.ts';
import { addressOf, evmPlace, PROVIDER } from './evm-place.ts';
import { moneroStart } from './monero-start.ts';
import type { Chance } from './random.ts';
import type { Scheduler } from './scheduler.ts';

/** Everything that is not ours: chains, venue, providers. It outlives every process of the desk. */
export interface World {
  readonly config: Config;
  readonly arbitrum: EvmChain;
  readonly node: EvmNode;
  readonly monero: MoneroSimulation;
  /** Only where somebody trades it. */
  readonly bitcoin: Bitcoin | undefined;
  readonly venue: HyperliquidSimulator;
  readonly providers: readonly ProviderSimulator[];
  readonly hot: { readonly evm: Address; readonly monero: Address; readonly bitcoin: Address };
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
const ON_VENUE: readonly string[] = [VENUE_USDC, XMR1].map((token) => `${VENUE_ID}:${token}`);
/** A deposit is final by its own rule long before the chain is. */
export const DEPTH = { small: 2, large: 4 } as const;
export const SETTLED = 5;
export const NODE_URL = 'http://arbitrum.campaign/';
const SEND = 'eth_sendRawTransaction';
const SEND_BITCOIN = 'sendrawtransaction';
/** Of a Monero without blocks the same is said for ever: whatever was said twice is not asked for again. */
const STANDS_STILL: ReadonlySet<string> = new Set([
  ...['get_last_block_header', 'get_height', 'get_info', 'refresh', 'get_transfers', 'get_fee_estimate'],
]);
const NUMBER = /"id":\d+/;
const withoutNumber = (body: string): string => body.replace(NUMBER, '');
const questionOf = ({ label, url, body = '' }: OutboundCall): string => `${label} ${url} ${withoutNumber(body)}`;
const ADDRESSES_READY = 8;
const ETHER = 10n ** 18n;
const VENUE_UNIT = 10n ** 8n;
/** So much of each token that nobody waits for stock, unless a story says so. */
const PLENTY = 1_000_000n;
const PROVIDER_LOOKS_MS = 10_000;
/** Prices of a still market: the venue's own, or nobody would believe what is promised. */
const PRICES = { USDC: '1', USDT: '1', ETH: '3512', WETH: '3512', WBTC: '104250', BTC: '104250', XMR: '320' };

const SECRETS: Secrets = {
  api: 'a1'.repeat(32),
  engine: 'e2'.repeat(32),
  hash: 'b3'.repeat(32),
  passphrase: 'a passphrase of play money',
  operatorToken: 'the operator of this play money',
  walletPassword: 'wallet of play money',
};

export interface WorldOptions {
  readonly database: string;
  /** Whether somebody trades it: else it stands still. */
  readonly hasMonero: boolean;
  /** Whether somebody trades it: else the desk has no such chain. */
  readonly hasBitcoin: boolean;
}

export async function openWorld(
  scheduler: Scheduler,
  chance: Chance,
  { database, hasMonero, hasBitcoin }: WorldOptions,
): Promise<World> {
  const dir = mkdtempSync(join(tmpdir(), 'wherry-campaign-'));
  const at = places(dir);
  makeFolders(at);
  writeFileSync(at.signer.seed, await sealedSeed(), { mode: 0o600 });
  writeFileSync(at.denyList, `${addressOf('sanctioned')}\n`);
  tree ??= knownTree();
  beginJournal(at.signer.journal, tree.journal, instant(scheduler.now));
  const hot = { evm: evmHot(tree), monero: moneroHot(tree), bitcoin: bitcoinHot(tree, BITCOIN_REGTEST) };
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
    startHyperliquid({ now }),
  ]);
  const bitcoin = hasBitcoin ? await openBitcoin(await bitcoinStart()) : undefined;
  venue.credit(hot.evm, VENUE_USDC, 500_000n * VENUE_UNIT);
  venue.credit(hot.evm, XMR1, 5_000n * VENUE_UNIT);
  const place = evmPlace(arbitrum);
  const market = openMarket({ prices: PRICES });
  const options = {
    ...{ places: bitcoin ? [place, bitcoin.purse] : [place], market, freshAddress: freshAddresses() },
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
      ...(bitcoin
        ? { bitcoin: bitcoinSettings(bitcoin.rpcUrl, { confirmations: DEPTH, settledConfirmations: SETTLED }) }
        : {}),
    },
    providers: { oneclick: { url: providers[0].url }, relay: { url: providers[1].url } },
    venueUrl: venue.url,
  });
  const still = new Map<string, OutboundReply>();
  const before = new Map<string, string>();
  return {
    ...{
      config: campaignConfig(config, [0, ARBITRUM, ...(bitcoin ? [BTC.chainId] : [])]),
      arbitrum,
      node,
      monero,
      bitcoin,
      venue,
      providers,
      hot,
      dir,
      sanctioned: addressOf('sanctioned'),
    },
    list: (addresses) => appendFileSync(at.denyList, `${addresses.join('\n')}\n`),
    isOurs: (address) => ours().has(address.toLowerCase()) || address.toLowerCase() === hot.evm.toLowerCase(),
    deposits: () => [...ours()],
    isCustomers: (address) => address !== PROVIDER && address !== hot.evm && !ours().has(address.toLowerCase()),
    answer: (call) => {
      if (call.url.startsWith(NODE_URL))
        return call.label === SEND ? undefined : Promise.resolve().then(() => node.answer(call));
      const said = still.get(questionOf(call));
      const [number = ''] = NUMBER.exec(call.body ?? '') ?? [];
      return said && Promise.resolve({ ...said, body: said.body.replace(NUMBER, number) });
    },
    async route(call) {
      if (call.url.startsWith(NODE_URL)) return node.answer(call);
      if (call.label === SEND_BITCOIN)
        bitcoin?.noteSent((JSON.parse(call.body ?? '') as { params: [string] }).params[0]);
      const reply = await httpOutbound(call);
      if (hasMonero || !STANDS_STILL.has(call.label)) return reply;
      const question = questionOf(call);
      if (before.get(question) === withoutNumber(reply.body)) still.set(question, reply);
      before.set(question, withoutNumber(reply.body));
      return reply;
    },
    async close() {
      await Promise.all([
        monero.close(),
        bitcoin?.close(),
        venue.close(),
        ...providers.map((provider) => provider.close()),
      ]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function settingsOf(monero: MoneroSimulation) {
  const urls = { daemonUrl: monero.daemonUrl, view: monero.walletUrl('view'), spend: monero.walletUrl('spend') };
  const settings = moneroSettings(urls, SECRETS.walletPassword).monero;
  return { ...settings, confirmations: DEPTH, settledConfirmations: SETTLED, outputPool: 1 };
}

let tree: ReturnType<typeof knownTree> | undefined;
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
export async function sealedSeed(): Promise<string> {
  if (seedText !== undefined) return seedText;
  const dir = mkdtempSync(join(tmpdir(), 'wherry-campaign-'));
  const { signer } = places(dir);
  makeFolders(places(dir));
  await writeSeed(signer, SECRETS.passphrase);
  seedText = readFileSync(signer.seed, 'utf8');
  rmSync(dir, { recursive: true, force: true });
  return seedText;
}

/** The house moves nothing between its own places here: all that is seen to move is an order's. */
const WELL_STOCKED = { venueUsdcLow: '0', venueUsdcHigh: '5000000', hotUsdcLow: '0' } as const;

const campaignConfig = ({ clockOffsetFile: _, ...config }: Config, chains: readonly number[]): Config => ({
  ...config,
  addressPool: ADDRESSES_READY,
  treasury: WELL_STOCKED,
  signer: { ...config.signer, limits: ofTheseChains(config.signer.limits, chains) },
});

/** The sandbox names limits for every chain that it plays; a signer refuses those of chains that it does not have. */
const ofTheseChains = (
  { assets, chains, ...limits }: Config['signer']['limits'],
  played: readonly number[],
): Config['signer']['limits'] => ({
  ...limits,
  assets: only(assets, (id) => ON_VENUE.includes(id) || played.includes(chainOf(id as AssetId))),
  chains: only(chains, (id) => [...played, VENUE_ID].some((one) => id === `${one}`)),
});

const only = <T>(all: Readonly<Record<string, T>>, isWanted: (name: string) => boolean): Record<string, T> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => isWanted(name)));
