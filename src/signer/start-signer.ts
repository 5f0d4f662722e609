import type { Atoms } from '../kernel/amount.ts';
import { present } from '../kernel/assert.ts';
import { openChecker } from '../kernel/binding.ts';
import type { Clock } from '../kernel/clock.ts';
import { type Address, type AssetId, type ChainId, chainOf } from '../kernel/ids.ts';
import type { Secret } from '../kernel/secret.ts';
import type { ChainSettings } from '../world/chains/family.ts';
import type { Outbound } from '../world/outbound/http.ts';
import { openCompared } from './compared.ts';
import { openCore } from './core.ts';
import type { OpenRail, RailVenueSettings } from './family.ts';
import { expectBegun, openJournal } from './journal.ts';
import { openKeyTree } from './keys.ts';
import { type Limits, metersOf } from './limits.ts';
import { openMemory } from './memory.ts';
import type { TransferRail, VenueRail } from './rail.ts';
import { RAIL_FAMILIES, RAIL_VENUE } from './rails/index.ts';
import type { PublicKeys } from './request.ts';
import { openSeedFile } from './seed.ts';
import { type Desk, type Door, expectFree, type SignerLog, type SignerServer, serveSigner } from './server.ts';
import type { House } from './verdict.ts';

export interface SignerConfig {
  readonly seedFile: string;
  readonly passphrase: Secret;
  readonly journalFile: string;
  readonly doors: readonly Door[];
  /** Public keys in hex, by who has the private halves; several while one takes another's place. */
  readonly binders: { readonly api: readonly string[]; readonly engine: readonly string[] };
  /** `chains` of the settings: each family finds its own there. */
  readonly chains: ChainSettings;
  readonly venue: RailVenueSettings & {
    /** Where the venue takes deposits on its home chain, and the least that it credits. */
    readonly bridge: { readonly asset: AssetId; readonly address: string; readonly minimum: bigint };
  };
  /** Millionths of a dollar that may be spent on stock in any 24 hours; nothing where it is left out. */
  readonly fills?: Atoms | undefined;
  /** Stores of the operator for what the hot accounts need not hold, by asset. */
  readonly cold: Readonly<Record<AssetId, { readonly address: string; readonly perDay: Atoms }>>;
  readonly limits: Limits;
  /** Payments above this many millionths of a dollar need a signature by one of these keys. */
  readonly approval?: { readonly above: Atoms; readonly approvers: readonly string[] } | undefined;
}

export interface SignerDeps {
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly log: SignerLog;
}

/**
 * The whole signer from plain settings. It answers what needs no wallet while the wallets still open, so that the others
 * can start beside it; it is ready once this returns.
 */
export async function startSigner(config: SignerConfig, deps: SignerDeps): Promise<SignerServer> {
  for (const { path } of config.doors) await expectFree(path);
  const tree = openKeyTree(await openSeedFile(config.seedFile, config.passphrase));
  const { trades } = config.limits;
  const charge = { chainId: config.venue.chainId, withdrawalFee: RAIL_VENUE.withdrawalFee };
  const memory = openMemory(charge.chainId, (entry, before) => metersOf(entry, before, config.limits, charge));
  expectBegun(config.journalFile);
  const journal = openJournal(config.journalFile, tree.journal, memory.witness);
  try {
    const isPromised = (token: string) => memory.holder(token) !== undefined;
    const around = { tree, isPromised, outbound: deps.outbound };
    const { venue, transfers } = RAIL_VENUE.open(config.venue, trades.baseDecimals, around);
    const open = [...RAIL_FAMILIES.flatMap((family) => family.open(config.chains, around)), transfers];
    const opened = Promise.all(open.map(({ opening }) => opening));
    // What fails before it is waited for below must not end the process.
    opened.catch(() => {});
    const rails = open.map(({ rail }) => rail);
    const house = houseOf(config, rails, venue);
    const core = openCore({ house, rails, venue, journal, past: memory, clock: deps.clock });
    const compared = openCompared(core, memory);
    const desk: Desk = {
      core: compared,
      publicKeys: () => publicKeysOf(open),
      wallets: new Map(open.flatMap(({ family, wallet }) => (wallet ? [[family, wallet] as const] : []))),
      log: deps.log,
    };
    // Who may have nothing signed may neither hold nor release it: a mark that is shown there is only answered.
    const publicDesk: Desk = {
      ...{ ...desk, core: { ...compared, since: core.since } },
      publicKeys: async () => accountsOf(await publicKeysOf(open)),
    };
    const servers = await openDoors(config.doors, ({ calls }) => (calls === 'all' ? desk : publicDesk));
    const close = once(() => closeAll(servers).finally(() => journal.close()));
    await opened.catch(async (error) => {
      await close();
      throw error;
    });
    return { close };
  } catch (error) {
    journal.close();
    throw error;
  }
}

async function publicKeysOf(rails: readonly OpenRail[]): Promise<PublicKeys> {
  return Object.fromEntries(
    await Promise.all(rails.map(async ({ family, publicKeys }) => [family, await publicKeys()] as const)),
  );
}

/** Whoever takes orders must know our own addresses, and nothing by which deposits are derived or seen. */
const accountsOf = (keys: PublicKeys): PublicKeys =>
  Object.fromEntries(Object.entries(keys).map(([family, { hot }]) => [family, { hot }]));

/** All of them, or none. */
async function openDoors(doors: readonly Door[], deskOf: (door: Door) => Desk): Promise<readonly SignerServer[]> {
  const open: SignerServer[] = [];
  try {
    for (const door of doors) open.push(await serveSigner(door, deskOf(door)));
    return open;
  } catch (error) {
    await closeAll(open);
    throw error;
  }
}

const closeAll = async (servers: readonly SignerServer[]): Promise<void> => {
  await Promise.all(servers.map((server) => server.close()));
};

/** Closing twice is closing once. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

function houseOf(config: SignerConfig, rails: readonly TransferRail[], venue: VenueRail): House {
  const canonical = (chain: ChainId, address: string): Address => {
    const parser = chain === venue.chainId ? venue : rails.find((rail) => rail.chains.includes(chain));
    return present(parser?.canonical(address), `address ${address} on chain ${chain}`);
  };
  const { approval } = config;
  const { bridge } = config.venue;
  return {
    binders: { api: openChecker(config.binders.api), engine: openChecker(config.binders.engine) },
    limits: config.limits,
    fills: config.fills,
    approval: approval && { above: approval.above, approvers: openChecker(approval.approvers) },
    bridge: { ...bridge, address: canonical(chainOf(bridge.asset), bridge.address) },
    cold: Object.fromEntries(
      Object.entries(config.cold).map(([asset, { address, perDay }]) => [
        asset,
        { address: canonical(chainOf(asset as AssetId), address), perDay },
      ]),
    ),
  };
}
