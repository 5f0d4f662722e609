import { present } from '../kernel/assert.ts';
import type { Clock } from '../kernel/clock.ts';
import { type Address, type AssetId, type ChainId, chainOf } from '../kernel/ids.ts';
import type { Secret } from '../kernel/secret.ts';
import type { BitcoinNetwork } from '../world/chains/bitcoin/address-codec.ts';
import { type MoneroKeys, moneroKeysFromSeed } from '../world/chains/monero/codec.ts';
import type { Outbound } from '../world/outbound/http.ts';
import { openCore } from './core.ts';
import { openJournal } from './journal.ts';
import { deriveKeys, type Keys } from './keys.ts';
import { type Limits, meterOf } from './limits.ts';
import { openMemory } from './memory.ts';
import { type MoneroDeviceConfig, openMoneroDevice } from './monero-device.ts';
import type { House } from './policy.ts';
import type { TransferRail, VenueRail } from './rail.ts';
import { bitcoinRail } from './rails/bitcoin.ts';
import { evmRail } from './rails/evm.ts';
import { hyperliquidRail } from './rails/hyperliquid.ts';
import { moneroPurse, moneroRail } from './rails/monero.ts';
import { solanaAddresses, solanaRail } from './rails/solana.ts';
import { tronRail } from './rails/tron.ts';
import { venueTransferRail } from './rails/venue-transfers.ts';
import { zcashRail } from './rails/zcash.ts';
import type { PublicKeys } from './request.ts';
import { openSeedFile } from './seed.ts';
import { expectFree, type SignerLog, type SignerServer, serveSigner } from './server.ts';
import { whenMoneroOpen, whenZcashOpen } from './when-open.ts';
import { openZcashDevice, type ZcashDeviceConfig } from './zcash-device.ts';

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
    /** Its own coin, in which the opening of accounts is paid. */
    readonly usdc: AssetId;
    /** Decimals of every token that may be sent. */
    readonly tokens: Readonly<Record<AssetId, number>>;
  };
  /** Its wallet server holds the spend key and serves this wallet alone. */
  readonly monero: Omit<MoneroDeviceConfig, 'keys' | 'isPromised'> | undefined;
  readonly bitcoin?: { readonly network: BitcoinNetwork } | undefined;
  readonly solana?: true | undefined;
  readonly tron?: true | undefined;
  /** Its wallet server holds the seed of this account alone. */
  readonly zcash?: ZcashDeviceConfig | undefined;
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
 * The whole signer from plain settings. It answers what needs no wallet while the wallets still open, so that the others
 * can start beside it; it is ready once this returns.
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
    const opening = {
      monero: config.monero && openMoneroDevice({ ...config.monero, keys: monero, isPromised }, deps.outbound),
      zcash: config.zcash && openZcashDevice(config.zcash, deps.outbound),
    };
    const opened = Promise.all([opening.monero, opening.zcash]);
    // What fails before it is waited for below must not end the process.
    opened.catch(() => {});
    const device = opening.monero && whenMoneroOpen(opening.monero);
    const zcash = opening.zcash && whenZcashOpen(opening.zcash);
    const rails = railsOf(config, keys, {
      monero: device && moneroRail(device, monero.address),
      zcash: zcash && zcashRail(zcash),
    });
    const all = Object.values(rails).filter((rail) => rail !== undefined);
    const venue = hyperliquidRail({ ...config.venue, baseDecimals: trades.baseDecimals }, keys.evm('hot'));
    const house = houseOf(config, all, venue);
    const { solana } = rails;
    const server = await serveSigner(config.socketPath, {
      core: openCore({ house, rails: all, venue, journal, past: memory, clock: deps.clock }),
      publicKeys: async () => {
        const told = await opening.zcash;
        return { ...publicKeysOf(keys, monero, rails, venue), ...(told ? { zcash: { address: told.address } } : {}) };
      },
      purse: device && moneroPurse(device, monero.address),
      addresses: solana && ((request) => solanaAddresses(solana, request)),
      zcashDeposits: zcash?.depositAddresses,
      log: deps.log,
    });
    const close = once(() => server.close().finally(() => journal.close()));
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

interface Rails {
  readonly evm: TransferRail;
  readonly venue: TransferRail;
  readonly bitcoin: TransferRail | undefined;
  readonly solana: TransferRail | undefined;
  readonly tron: TransferRail | undefined;
  readonly monero: TransferRail | undefined;
  readonly zcash: TransferRail | undefined;
}

/** One for each family that is configured. */
function railsOf(config: SignerConfig, keys: Keys, wallets: Pick<Rails, 'monero' | 'zcash'>): Rails {
  const { evm, venue, bitcoin, solana, tron } = config;
  return {
    evm: evmRail(evm.chains, keys),
    venue: venueTransferRail(venue, keys),
    bitcoin: bitcoin && bitcoinRail(bitcoin.network, keys),
    solana: solana && solanaRail(keys),
    tron: tron && tronRail(keys),
    ...wallets,
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

function publicKeysOf(keys: Keys, monero: MoneroKeys, rails: Rails, venue: VenueRail): PublicKeys {
  const { evm, bitcoin, solana, tron } = rails;
  const hot = (rail: TransferRail): Address => present(rail.addressOf('hot'), 'hot address');
  return {
    evmXpub: keys.evmXpub,
    evmHot: hot(evm),
    moneroAddress: monero.address,
    moneroViewKey: monero.viewKey,
    venueAccount: venue.account,
    venueXpub: keys.venueXpub,
    ...(bitcoin ? { bitcoin: { xpub: keys.bitcoinXpub, hot: hot(bitcoin) } } : {}),
    ...(solana ? { solana: { hot: hot(solana) } } : {}),
    ...(tron ? { tron: { xpub: keys.tronXpub, hot: hot(tron) } } : {}),
  };
}
