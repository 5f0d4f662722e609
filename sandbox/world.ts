import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { present } from '../src/kernel/assert.ts';
import { evmContractOf } from '../src/world/chains/evm/codec.ts';
import { EVM_NETWORKS } from '../src/world/chains/evm/networks.ts';
import type { BoxClock } from './clock.ts';
import type { Counterparties } from './config.ts';
import { ChainFaults, type Wire } from './control/faults.ts';
import { startProxy } from './control/proxy.ts';
import { evmWire, MONERO_WIRE } from './control/wires.ts';
import type { Places } from './files.ts';
import { moneroPlace, simulatedMonero } from './monero.ts';
import { type EvmWorld, startEvmWorld } from './nodes/evm-world.ts';
import { haveMonero, startMoneroWorld } from './nodes/monero.ts';
import type { MoneroWorld } from './nodes/monero-world.ts';
import { startPostgres } from './nodes/postgres.ts';
import type { BoxChain, Place } from './place.ts';
import { openScreening, type Screening } from './screening.ts';
import type { HotAddresses } from './seed.ts';
import { BRIDGE, startVenue, type VenuePlace } from './venue.ts';

/** What runs where there is a choice. What was saved by one kind cannot be read by the other. */
export interface Nodes {
  readonly monero: 'real' | 'simulated';
}

export interface World {
  readonly evm: readonly EvmWorld[];
  readonly monero: MoneroWorld;
  readonly venue: VenuePlace;
  readonly chains: readonly BoxChain[];
  /** The chains and the venue. */
  readonly places: readonly Place[];
  readonly faults: ChainFaults;
  readonly screening: Screening;
  readonly counterparties: Counterparties;
  /** Blocks come by themselves from now on. */
  beat(): Promise<void>;
  /** Every part keeps what it knows and ends: the venue first, the database last. */
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly at: Places;
  readonly nodes: Nodes;
  readonly resumes: boolean;
  readonly clock: BoxClock;
  readonly hot: HotAddresses;
}

const BLOCK_TIME_MS = 1_000;
const ARBITRUM = 42_161;
/** The first blocks of Monero take long to find, and are the same in every sandbox of this computer. */
const CACHE = fileURLToPath(new URL('../node_modules/.cache/wherry', import.meta.url));

export function chooseNodes(wanted: 'real' | 'simulated' | undefined): Nodes {
  if (wanted === 'real' && !haveMonero()) {
    throw new Error('--real needs monerod and monero-wallet-rpc on the PATH; without it Monero is simulated.');
  }
  return { monero: wanted !== 'simulated' && haveMonero() ? 'real' : 'simulated' };
}

export async function startWorld(options: WorldOptions): Promise<World> {
  const parts = new Parts();
  try {
    return await assemble(options, parts);
  } catch (error) {
    await parts.close();
    throw error;
  }
}

async function assemble({ at, nodes, resumes, clock, hot }: WorldOptions, parts: Parts): Promise<World> {
  const [postgres, monero, evm] = await Promise.all([
    parts.start(startPostgres({ dir: at.postgres, persistent: true }), (it) => it.stop()),
    parts.start(startMonero(at, nodes, resumes, hot), (it) => it.close()),
    Promise.all(EVM_NETWORKS.map(({ facts }) => parts.start(startEvm(at, facts.id), endEvm))),
  ]);
  const venue = await parts.start(openVenue(at, resumes, clock, evm), (it) => it.close());

  const faults = new ChainFaults();
  const proxied = async (chainId: number, wire: Wire, url: string) => {
    const judge = faults.judge.bind(faults, chainId, wire);
    return (await parts.start(startProxy(url, judge), (it) => it.close())).url;
  };
  const wire = evmWire(hot.evm, [BRIDGE]);
  const counterparties: Counterparties = {
    database: postgres.url,
    evm: await Promise.all(
      evm.map(async ({ chainId, rpcUrl }) => ({ chainId, rpcUrl: await proxied(chainId, wire, rpcUrl) })),
    ),
    monero: {
      daemonUrl: await proxied(0, MONERO_WIRE, monero.daemonUrl),
      viewWalletUrl: await proxied(0, MONERO_WIRE, monero.walletUrl('view')),
      spendWalletUrl: await proxied(0, MONERO_WIRE, monero.walletUrl('spend')),
    },
    venueUrl: venue.simulator.url,
  };
  const chains = [...evm, moneroPlace(monero)];
  return {
    ...{ evm, monero, venue, faults, counterparties, chains },
    places: [...chains, venue],
    screening: openScreening(at.denyList),
    beat: async () => void (await Promise.all(chains.map((chain) => chain.setAutomine(BLOCK_TIME_MS)))),
    close: () => parts.close(),
  };
}

function startMonero(at: Places, nodes: Nodes, resumes: boolean, hot: HotAddresses): Promise<MoneroWorld> {
  const dir = join(at.chains, 'monero');
  return nodes.monero === 'real'
    ? startMoneroWorld({ dir, hotAddress: hot.monero, cacheDir: CACHE })
    : simulatedMonero(`${dir}.json`, resumes, hot.monero);
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
    home.network.facts.assets.map(({ id }) => evmContractOf(id)).find((contract) => contract !== undefined),
    'USDC on Arbitrum',
  );
  const arbitrum = { rpcUrl: home.rpcUrl, usdc: usdc as `0x${string}` };
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
