import { present } from '../src/kernel/assert.ts';
import type { Address } from '../src/kernel/ids.ts';
import type { KeyTree } from '../src/signer/keys.ts';
import { hyperliquidKeys } from '../src/signer/rails/hyperliquid.ts';
import { addressOf } from '../src/world/venues/hyperliquid/codec.ts';
import type { BoxClock } from './clock.ts';
import type { Counterparties } from './config.ts';
import { ChainFaults, type Wire } from './control/faults.ts';
import { BOX_FAMILIES } from './families.ts';
import type { StartedFamily } from './family.ts';
import type { Places } from './files.ts';
import type { Nodes } from './node-choice.ts';
import { startPostgres } from './nodes/postgres.ts';
import { Parts } from './parts.ts';
import type { BoxChain, Place } from './place.ts';
import { type Prices, venuePrices } from './prices.ts';
import { type Providers, startProviders } from './providers.ts';
import { connect } from './proxies.ts';
import { openScreening, type Screening } from './screening.ts';
import { startVenue, type VenuePlace } from './venue.ts';
import { VENUE_HOME } from './venue-tokens.ts';

export interface World {
  readonly families: readonly StartedFamily[];
  readonly venue: VenuePlace;
  /** The desk's own there, which is its hot account on the home chain, too. */
  readonly venueAccount: Address;
  readonly providers: Providers;
  /** Dollars for one whole unit, by symbol. */
  readonly prices: Prices;
  readonly chains: readonly BoxChain[];
  /** The chains and the venue. */
  readonly places: readonly Place[];
  readonly faults: ChainFaults;
  wireOf(chainId: number): Wire;
  readonly screening: Screening;
  readonly counterparties: Omit<Counterparties, 'database'>;
  /** Its address, once it answers: it takes longer to begin than all the others. */
  readonly database: Promise<string>;
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
  readonly tree: KeyTree;
  /** Of the desk's own wallets. */
  readonly walletPassword: string;
  readonly evmStates: number;
}

const BLOCK_TIME_MS = 1_000;

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
  const { at, resumes, clock, tree } = options;
  const postgres = parts.start(startPostgres({ dir: at.postgres, persistent: true }), (it) => it.stop());
  const families = await startFamilies(options, parts);
  const chains = families.flatMap((family) => family.chains);
  const venue = await parts.start(openVenue(options, chains), (it) => it.close());
  const prices = await venuePrices(venue.simulator.url);
  const providers = await parts.start(
    startProviders({ dir: at.chains, resumes, now: clock.now, places: chains, venue, prices }),
    (it) => it.close(),
  );

  const faults = new ChainFaults();
  const wires = wiresOf(families, providers);
  const wireOf = (chainId: number) => present(wires.get(chainId), `chain ${chainId}`);
  const proxies = await parts.start(connect(families, faults, wireOf), (it) => it.close());
  const { oneclick, relay, bridge } = providers.simulators;
  const counterparties = {
    chains: proxies.settings,
    providers: { oneclick: { url: oneclick.url }, relay: { url: relay.url }, bridge: { url: bridge.url } },
    venueUrl: venue.simulator.url,
  };
  return {
    ...{ families, venue, providers, prices, faults, wireOf, counterparties, chains },
    database: postgres.then(({ url }) => url),
    venueAccount: addressOf(hyperliquidKeys(tree).key('hot').reveal()),
    places: [...chains, venue],
    screening: openScreening(at.denyList),
    beat: async () => void (await Promise.all(chains.map((chain) => chain.setAutomine(BLOCK_TIME_MS)))),
    close: () => parts.close(),
  };
}

function startFamilies({ nodes, ...ground }: WorldOptions, parts: Parts): Promise<readonly StartedFamily[]> {
  return Promise.all(
    BOX_FAMILIES.map((family) =>
      parts.start(family.start({ ...ground, nodes: nodes[family.name] ?? 'simulated' }), (it) => it.close()),
    ),
  );
}

/** By chain: how the service's questions are read on their way to it. */
const wiresOf = (families: readonly StartedFamily[], { takesDeposits }: Providers): ReadonlyMap<number, Wire> =>
  new Map(
    families.flatMap(({ chains, wire }) => chains.map((chain) => [chain.chainId, wire(chain, takesDeposits)] as const)),
  );

function openVenue({ at, resumes, clock }: WorldOptions, chains: readonly BoxChain[]): Promise<VenuePlace> {
  const home = present(
    chains.find(({ chainId }) => chainId === VENUE_HOME),
    "the venue's home chain",
  );
  const usdc = present(
    home.tokens.find(({ symbol }) => symbol === 'USDC'),
    'USDC there',
  );
  const arbitrum = { rpcUrl: home.rpcUrl, usdc: usdc.token as `0x${string}` };
  return startVenue({ dir: at.chains, resumes, now: clock.now, arbitrum, customer: home.customerAddress });
}
