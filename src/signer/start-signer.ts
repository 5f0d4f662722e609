import { present } from '../kernel/assert.ts';
import type { Clock } from '../kernel/clock.ts';
import { type Address, type AssetId, type ChainId, chainOf } from '../kernel/ids.ts';
import type { Secret } from '../kernel/secret.ts';
import { type MoneroKeys, moneroKeysFromSeed } from '../world/chains/monero/codec.ts';
import type { Outbound } from '../world/outbound/http.ts';
import { openCore } from './core.ts';
import { openJournal } from './journal.ts';
import { deriveKeys, type Keys } from './keys.ts';
import { type Limits, meterOf } from './limits.ts';
import { openMemory } from './memory.ts';
import { type MoneroDevice, type MoneroDeviceConfig, openMoneroDevice } from './monero-device.ts';
import type { House } from './policy.ts';
import type { TransferRail, VenueRail } from './rail.ts';
import { evmRail } from './rails/evm.ts';
import { hyperliquidRail } from './rails/hyperliquid.ts';
import { moneroPurse, moneroRail } from './rails/monero.ts';
import type { PublicKeys } from './request.ts';
import { openSeedFile } from './seed.ts';
import { expectFree, type SignerLog, type SignerServer, serveSigner } from './server.ts';

export interface SignerConfig {
  readonly seedFile: string;
  readonly passphrase: Secret;
  readonly journalFile: string;
  readonly socketPath: string;
  /** Shared with whoever accepts destinations. */
  readonly bindingKey: Secret<Uint8Array>;
  readonly evm: { readonly chains: readonly ChainId[] };
  readonly venue: {
    readonly chainId: ChainId;
    /** Where the venue takes deposits on its home chain, and the least that it credits. */
    readonly bridge: { readonly asset: AssetId; readonly address: string; readonly minimum: bigint };
    readonly markets: readonly string[] | 'any';
    /** Decimals of every token that may be sent. */
    readonly tokens: Readonly<Record<AssetId, number>>;
  };
  /** Its wallet server holds the spend key and serves this wallet alone. */
  readonly monero: Omit<MoneroDeviceConfig, 'keys' | 'isPromised'> | undefined;
  /** The operator's own addresses elsewhere: stores for what the hot accounts need not hold. */
  readonly treasury: readonly { readonly chainId: ChainId; readonly address: string }[];
  readonly limits: Limits;
}

export interface SignerDeps {
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly log: SignerLog;
}

/**
 * The whole signer from plain settings. It answers what needs no wallet while the Monero wallet still opens, so that the
 * others can start beside it; it is ready once this returns.
 */
export async function startSigner(config: SignerConfig, deps: SignerDeps): Promise<SignerServer> {
  await expectFree(config.socketPath);
  const keys = deriveKeys(await openSeedFile(config.seedFile, config.passphrase));
  const { trades } = config.limits;
  const memory = openMemory(config.venue.chainId, (entry) => meterOf(entry, trades));
  const journal = openJournal(config.journalFile, keys.journal, memory.witness);
  try {
    const monero = moneroKeysFromSeed(keys.moneroSeed.reveal());
    const isPromised = (token: string) => memory.holder(token) !== undefined;
    const opening = config.monero && openMoneroDevice({ ...config.monero, keys: monero, isPromised }, deps.outbound);
    const device = opening && whenOpen(opening);
    const evm = evmRail(config.evm.chains, keys);
    const rails = device ? [evm, moneroRail(device, monero.address)] : [evm];
    const venue = hyperliquidRail({ ...config.venue, baseDecimals: trades.baseDecimals }, keys.evm('hot'));
    const house = houseOf(config, rails, venue);
    const server = await serveSigner(config.socketPath, {
      core: openCore({ house, rails, venue, journal, past: memory, clock: deps.clock }),
      publicKeys: publicKeysOf(keys, monero, evm, venue),
      purse: device && moneroPurse(device, monero.address),
      log: deps.log,
    });
    const close = once(() => server.close().finally(() => journal.close()));
    await opening?.catch(async (error) => {
      await close();
      throw error;
    });
    return { close };
  } catch (error) {
    journal.close();
    throw error;
  }
}

/** A device whose every call waits until it is there. */
function whenOpen(opening: Promise<MoneroDevice>): MoneroDevice {
  return {
    sign: async (request) => (await opening).sign(request),
    ensureOutputs: async (...wanted) => (await opening).ensureOutputs(...wanted),
    release: async (dead) => (await opening).release(dead),
    balance: async () => (await opening).balance(),
    knowDeposits: async (count) => (await opening).knowDeposits(count),
    close: async () => (await opening).close(),
  };
}

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
  const { bridge } = config.venue;
  return {
    bindingKey: config.bindingKey,
    limits: config.limits,
    bridge: { ...bridge, address: canonical(chainOf(bridge.asset), bridge.address) },
    treasury: config.treasury.map(({ chainId, address }) => ({ chainId, address: canonical(chainId, address) })),
  };
}

function publicKeysOf(keys: Keys, monero: MoneroKeys, evm: TransferRail, venue: VenueRail): PublicKeys {
  return {
    evmXpub: keys.evmXpub,
    evmHot: present(evm.addressOf('hot'), 'hot address'),
    moneroAddress: monero.address,
    moneroViewKey: monero.viewKey,
    venueAccount: venue.account,
  };
}
