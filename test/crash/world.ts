import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Counterparties, portsFrom, secretsOf, writeConfig } from '../../sandbox/config.ts';
import { evmHot, evmSettings } from '../../sandbox/families/evm.ts';
import { moneroHot, moneroSettings } from '../../sandbox/families/monero.ts';
import { makeFolders, places } from '../../sandbox/files.ts';
import { freshAddresses } from '../../sandbox/fresh-addresses.ts';
import { type EvmWorld, startEvmWorld } from '../../sandbox/nodes/evm-world.ts';
import type { MoneroWorld } from '../../sandbox/nodes/monero-world.ts';
import { type TestDatabase, testDatabase } from '../../sandbox/nodes/postgres.ts';
import { venuePrices } from '../../sandbox/prices.ts';
import { knownTree, writeSeed } from '../../sandbox/seed.ts';
import { type HyperliquidSimulator, startHyperliquid } from '../../sandbox/simulators/hyperliquid/server.ts';
import { startMoneroSimulator } from '../../sandbox/simulators/monero/simulator.ts';
import { openMarket } from '../../sandbox/simulators/providers/market.ts';
import { startOneClick } from '../../sandbox/simulators/providers/oneclick.ts';
import { startRelay } from '../../sandbox/simulators/providers/relay.ts';
import type { ProviderSimulator } from '../../sandbox/simulators/providers/server.ts';
import { VENUE_ID, VENUE_USDC, XMR1 } from '../../sandbox/venue-tokens.ts';
import type { Config } from '../../src/app/config.ts';
import { type Clock, instant } from '../../src/kernel/clock.ts';
import { type Address, type AssetId, chainOf } from '../../src/kernel/ids.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { migrate } from '../../src/store/migrate.ts';
import { threeFreePorts } from '../e2e/box.ts';

/** Everything that is not ours: the chains, the venue, the providers and the database server. It outlives every process of the desk. */
export interface World {
  readonly config: Config;
  readonly clock: Clock;
  /** Our own way to the database, past every door of the desk. */
  readonly db: Db;
  readonly arbitrum: EvmWorld;
  readonly monero: MoneroWorld;
  readonly venue: HyperliquidSimulator;
  readonly providers: readonly ProviderSimulator[];
  /** The desk's own accounts. */
  readonly hot: { readonly evm: Address; readonly monero: Address };
  /** With it the hot account collects tokens; without it gas goes ahead. */
  readonly sweeper: { place(): Promise<void>; isPlaced(): boolean };
  readonly operatorToken: string;
  readonly dir: string;
  close(): Promise<void>;
}

/** Waits of seconds take milliseconds, for the desk and the venue alike. */
const SPEED = 40;
/** Deposits are seen first and final one block later, so that both are looked at. */
const DEPTH = { small: 2, large: 2 } as const;
/** Where the partner's fees go. */
export const PARTNER = `0x${'fe'.repeat(20)}`;
const ARBITRUM = 42_161;
/** Monero and Arbitrum; of the venue only what stands for them, since the others' own chains are not here. */
const CHAINS: readonly number[] = [0, ARBITRUM];
const ON_VENUE: readonly string[] = [VENUE_USDC, XMR1].map((token) => `1337:${token}`);
/** Deriving them takes time; every engine fills up what the orders before it took. */
const ADDRESSES_READY = 24;
/** The house never moves its own money between its places here: all that is seen to move is an order's. */
const WELL_STOCKED = { venueUsdcLow: '0', venueUsdcHigh: '5000000', hotUsdcLow: '0' } as const;
/** Longer than any run. */
const NEVER_MS = 3_600_000;
const ETHER = 10n ** 18n;
const USDC = 10n ** 6n;
const VENUE_UNIT = 10n ** 8n;

export async function openWorld(
  speed = SPEED,
  openDatabase: () => Promise<TestDatabase> = () => testDatabase(prepare),
): Promise<World> {
  const dir = mkdtempSync(join(tmpdir(), 'wherry-crash-'));
  const at = places(dir);
  makeFolders(at);
  writeFileSync(at.denyList, '');
  const clock = fastClock(speed);
  const tree = knownTree();
  const hot = { evm: evmHot(tree), monero: moneroHot(tree) };
  const secrets = secretsOf(at);
  const [database, arbitrum, monero, venue, ports] = await Promise.all([
    openDatabase(),
    startEvmWorld({ chainId: ARBITRUM }),
    startMoneroSimulator({ hotAddress: hot.monero }),
    startHyperliquid({ now: clock.now }),
    threeFreePorts(),
    writeSeed(at.signer, secrets.passphrase),
  ]);
  const providers = await startProviders(arbitrum, venue, clock);
  venue.credit(hot.evm, VENUE_USDC, 500_000n * VENUE_UNIT);
  venue.credit(hot.evm, XMR1, 5_000n * VENUE_UNIT);
  for (const { token, native } of arbitrum.network.facts.assets)
    await arbitrum.fund(hot.evm, token, native ? 100n * ETHER : 1_000_000n * USDC);
  await arbitrum.mine(DEPTH.large);

  const found: Counterparties = {
    database: database.url,
    chains: quickChains(
      evmSettings([{ chainId: ARBITRUM, rpcUrl: arbitrum.rpcUrl }]),
      moneroSettings({ daemonUrl: monero.daemonUrl, spend: monero.walletUrl('spend') }, secrets.walletPassword),
    ),
    providers: { oneclick: { url: providers[0].url }, relay: { url: providers[1].url } },
    venueUrl: venue.url,
  };
  const config = quick(writeConfig(at, portsFrom(ports), secrets, found));
  const db = openDb(database.url, 2);
  return {
    ...{ config, clock, db, arbitrum, monero, venue, providers, hot, dir, operatorToken: secrets.operatorToken },
    sweeper: sweeperOf(arbitrum, hot.evm),
    async close() {
      await Promise.all([db.close(), ...providers.map((provider) => provider.close())]);
      await Promise.all([database.drop(), arbitrum.close(), monero.close(), venue.close()]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function sweeperOf(arbitrum: EvmWorld, hot: Address): World['sweeper'] {
  let isPlaced = false;
  return {
    isPlaced: () => isPlaced,
    async place() {
      await arbitrum.placeSweeper(hot);
      isPlaced = true;
    },
  };
}

/** Prices keep still and one of them is cheaper, so that every order goes the same way. They look only when asked. */
async function startProviders(arbitrum: EvmWorld, venue: HyperliquidSimulator, { now }: Clock) {
  const market = openMarket({ prices: await venuePrices(venue.url) });
  const options = { places: [arbitrum], market, freshAddress: freshAddresses(), now, pollMs: NEVER_MS };
  return Promise.all([startOneClick({ ...options, feeBps: 10 }), startRelay({ ...options, feeBps: 20 })]);
}

/** One function for all worlds: the migrated database is made once and copied. */
async function prepare(url: string): Promise<void> {
  await migrate(url);
}

function fastClock(speed: number): Clock {
  const [real, began] = [Date.now(), performance.now()];
  return { now: () => instant(real + Math.floor((performance.now() - began) * speed)) };
}

const quick = ({ clockOffsetFile: _, ...config }: Config): Config => ({
  ...config,
  addressPool: ADDRESSES_READY,
  treasury: WELL_STOCKED,
  signer: { ...config.signer, limits: ofTheseChains(config.signer.limits) },
});

/** The sandbox names limits for every chain that it plays; a signer refuses those of chains that it does not have. */
const ofTheseChains = ({ assets, chains, ...limits }: Config['signer']['limits']): Config['signer']['limits'] => ({
  ...limits,
  assets: only(assets, (id) => ON_VENUE.includes(id) || CHAINS.includes(chainOf(id as AssetId))),
  chains: only(chains, (id) => [...CHAINS, VENUE_ID].some((one) => id === `${one}`)),
});

const only = <T>(all: Readonly<Record<string, T>>, isWanted: (name: string) => boolean): Record<string, T> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => isWanted(name)));

const quickChains = ({ evm }: ReturnType<typeof evmSettings>, { monero }: ReturnType<typeof moneroSettings>) => ({
  evm: evm.map((chain) => ({ ...chain, finality: DEPTH, settled: DEPTH.large })),
  monero: { ...monero, confirmations: DEPTH, settledConfirmations: DEPTH.large, outputPool: 1 },
});
