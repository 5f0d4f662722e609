import { join } from 'node:path';
import { present } from '../src/kernel/assert.ts';
import { evmContractOf } from '../src/world/chains/evm/codec.ts';
import { EVM_NETWORKS } from '../src/world/chains/evm/networks.ts';
import type { BoxClock } from './clock.ts';
import type { Counterparties } from './config.ts';
import { ChainFaults, type Wire } from './control/faults.ts';
import type { Places } from './files.ts';
import { moneroPlace } from './monero.ts';
import type { Nodes } from './node-choice.ts';
import { startBitcoinWorld } from './nodes/bitcoin.ts';
import type { BitcoinWorld } from './nodes/bitcoin-world.ts';
import { type EvmWorld, startEvmWorld } from './nodes/evm-world.ts';
import { startMoneroWorld } from './nodes/monero.ts';
import type { MoneroWorld } from './nodes/monero-world.ts';
import { startPostgres } from './nodes/postgres.ts';
import { startSimulatedSolana, startSolanaWorld } from './nodes/solana.ts';
import type { SolanaWorld } from './nodes/solana-world.ts';
import type { BoxChain, Place } from './place.ts';
import { type Prices, venuePrices } from './prices.ts';
import { type Providers, startProviders } from './providers.ts';
import { connect, wiresOf } from './proxies.ts';
import { ROOT } from './root.ts';
import { openScreening, type Screening } from './screening.ts';
import type { HotAddresses } from './seed.ts';
import { type BitcoinSnapshot, startBitcoinSimulator } from './simulators/bitcoin/simulator.ts';
import { type MoneroSnapshot, startMoneroSimulator } from './simulators/monero/simulator.ts';
import { startTronSimulator, type TronSnapshot, type TronWorld } from './simulators/tron/simulator.ts';
import { startZcashSimulator, type ZcashSnapshot, type ZcashWorld } from './simulators/zcash/simulator.ts';
import { keptIn } from './snapshots.ts';
import { startVenue, type VenuePlace } from './venue.ts';
import { openWallets } from './wallets.ts';

/** Every chain as its own kind of thing. */
export interface Chains {
  readonly evm: readonly EvmWorld[];
  readonly bitcoin: BitcoinWorld;
  readonly solana: SolanaWorld;
  readonly tron: TronWorld;
  readonly zcash: ZcashWorld;
  readonly monero: MoneroWorld;
}

export interface World extends Chains {
  readonly venue: VenuePlace;
  readonly providers: Providers;
  /** Dollars for one whole unit, by symbol. */
  readonly prices: Prices;
  readonly chains: readonly BoxChain[];
  /** The chains and the venue. */
  readonly places: readonly Place[];
  readonly faults: ChainFaults;
  wireOf(chainId: number): Wire;
  readonly screening: Screening;
  readonly counterparties: Counterparties;
  /** Blocks come by themselves from now on. */
  beat(): Promise<void>;
  /** Every part keeps what it knows and ends: providers and the venue first, the database last. */
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly at: Places;
  readonly nodes: Nodes;
  readonly resumes: boolean;
  readonly clock: BoxClock;
  readonly hot: HotAddresses;
  /** Of the desk's own wallets of Monero. */
  readonly walletPassword: string;
}

const BLOCK_TIME_MS = 1_000;
const ARBITRUM = 42_161;
/** A small network of Tron: seven producers, of whom five have built on a block this far below the tip. */
const TRON_PACE = { slotMs: BLOCK_TIME_MS, solidBelowTip: 4 };
/** The first blocks of Monero take long to find, and are the same in every sandbox of this computer. */
const CACHE = join(ROOT, 'node_modules/.cache/wherry');

export async function startWorld(options: WorldOptions): Promise<World> {
  const parts = new Parts();
  try {
    return await assemble(options, parts);
  } catch (error) {
    await parts.close();
    throw error;
  }
}

async function assemble(options: WorldOptions, parts: Parts): Promise<World> {
  const { at, resumes, clock, hot } = options;
  const database = parts.start(startPostgres({ dir: at.postgres, persistent: true }), (it) => it.stop());
  const all = await startChains(options, parts);
  const venue = await parts.start(openVenue(at, resumes, clock, all.evm), (it) => it.close());
  const prices = await venuePrices(venue.simulator.url);
  const chains = [...all.evm, all.bitcoin, all.solana, all.tron, all.zcash, moneroPlace(all.monero)];
  const { hrp: bitcoinHrp } = all.bitcoin.network;
  const providers = await parts.start(
    startProviders({ dir: at.chains, resumes, now: clock.now, places: chains, bitcoinHrp, prices }),
    (it) => it.close(),
  );

  const faults = new ChainFaults();
  const wires = wiresOf(all, hot, providers);
  const wireOf = (chainId: number) => present(wires.get(chainId), `chain ${chainId}`);
  const proxies = await parts.start(connect(all, faults, wireOf), (it) => it.close());
  const { oneclick, relay } = providers.simulators;
  const counterparties: Counterparties = {
    ...proxies.addresses,
    database: (await database).url,
    providers: { oneclick: { url: oneclick.url }, relay: { url: relay.url } },
    venueUrl: venue.simulator.url,
  };
  return {
    ...{ ...all, venue, providers, prices, faults, wireOf, counterparties, chains },
    places: [...chains, venue],
    screening: openScreening(at.denyList),
    beat: async () => void (await Promise.all(chains.map((chain) => chain.setAutomine(BLOCK_TIME_MS)))),
    close: () => parts.close(),
  };
}

async function startChains(options: WorldOptions, parts: Parts): Promise<Chains> {
  const { at, resumes, clock } = options;
  const file = (name: string) => join(at.chains, `${name}.json`);
  const end = (part: { close(): Promise<void> }) => part.close();
  const [monero, bitcoin, solana, tron, zcash, evm] = await Promise.all([
    parts.start(startMonero(options), end),
    parts.start(startBitcoin(options), end),
    parts.start(startSolana(options), end),
    parts.start(
      keptIn<TronSnapshot, TronWorld>(file('tron'), resumes, (snapshot) =>
        startTronSimulator({ ...TRON_PACE, now: clock.now, ...(snapshot ? { snapshot } : {}) }),
      ),
      end,
    ),
    parts.start(keptIn<ZcashSnapshot, ZcashWorld>(file('zcash'), resumes, startZcashSimulator), end),
    Promise.all(EVM_NETWORKS.map(({ facts }) => parts.start(startEvm(at, facts.id), endEvm))),
  ]);
  return { monero, bitcoin, solana, tron, zcash, evm };
}

async function startMonero({ at, nodes, resumes, hot, walletPassword }: WorldOptions): Promise<MoneroWorld> {
  const dir = join(at.chains, 'monero');
  const hotAddress = hot.monero;
  if (nodes.monero === 'real') {
    const world = await startMoneroWorld({ dir, hotAddress, cacheDir: CACHE });
    openWallets(world, walletPassword);
    return world;
  }
  return keptIn(`${dir}.json`, resumes, (snapshot: MoneroSnapshot | undefined) =>
    startMoneroSimulator({ hotAddress, ...(snapshot ? { snapshot } : {}) }),
  );
}

function startBitcoin({ at, nodes, resumes }: WorldOptions): Promise<BitcoinWorld> {
  const dir = join(at.chains, 'bitcoin');
  if (nodes.bitcoin === 'real') return startBitcoinWorld({ dir });
  return keptIn(`${dir}.json`, resumes, (snapshot: BitcoinSnapshot | undefined) =>
    startBitcoinSimulator(snapshot ? { snapshot } : {}),
  );
}

function startSolana({ at, nodes, resumes }: WorldOptions): Promise<SolanaWorld> {
  if (nodes.solana === 'real') return startSolanaWorld('real');
  return keptIn(join(at.chains, 'solana.json'), resumes, startSimulatedSolana);
}

const startEvm = (at: Places, chainId: number): Promise<EvmWorld> =>
  startEvmWorld({ chainId, stateFile: join(at.chains, `evm-${chainId}.json`) });

/** What waits to be mined would be forgotten with the node, so it gets its block. */
async function endEvm(chain: EvmWorld): Promise<void> {
  try {
    await chain.mine(1);
  } finally {
    await chain.close();
  }
}

function openVenue(at: Places, resumes: boolean, clock: BoxClock, evm: readonly EvmWorld[]): Promise<VenuePlace> {
  const home = present(
    evm.find(({ chainId }) => chainId === ARBITRUM),
    'Arbitrum',
  );
  const usdc = present(
    home.network.facts.assets.find(({ symbol }) => symbol === 'USDC'),
    'USDC on Arbitrum',
  );
  const arbitrum = { rpcUrl: home.rpcUrl, usdc: present(evmContractOf(usdc.id), 'its contract') as `0x${string}` };
  return startVenue({ dir: at.chains, resumes, now: clock.now, arbitrum, customer: home.customerAddress });
}

/** Parts start side by side and end one after the other, the last one first, also when another one never started. */
class Parts {
  readonly #ends: (() => Promise<void>)[] = [];

  start<T>(starting: Promise<T>, end: (part: T) => Promise<void>): Promise<T> {
    this.#ends.unshift(async () => {
      const part = await starting.catch(() => undefined);
      if (part !== undefined) await end(part);
    });
    return starting;
  }

  /** Ends all that can be ended, and then says what could not. */
  async close(): Promise<void> {
    const problems: unknown[] = [];
    for (const end of this.#ends) await end().catch((error) => problems.push(error));
    if (problems.length > 0) throw new AggregateError(problems, 'not everything ended well');
  }
}
