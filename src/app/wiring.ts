import { type Atoms, atoms, parseUnits } from '../kernel/amount.ts';
import { present } from '../kernel/assert.ts';
import type { Clock } from '../kernel/clock.ts';
import { type Address, type ChainId, chainId } from '../kernel/ids.ts';
import { Secret } from '../kernel/secret.ts';
import type { SignerClient } from '../signer/client.ts';
import type { PublicKeys } from '../signer/request.ts';
import type { SignerConfig } from '../signer/start-signer.ts';
import type { Asset, Chain, ChainRules } from '../world/chains/chain.ts';
import { evmNetwork } from '../world/chains/evm/networks.ts';
import { evmRules } from '../world/chains/evm/rules.ts';
import { MONERO_ID, XMR_ASSET } from '../world/chains/monero/rules.ts';
import type { Outbound } from '../world/outbound/http.ts';
import { openOneClick } from '../world/providers/oneclick/oneclick.ts';
import type { Provider } from '../world/providers/provider.ts';
import { openRelay } from '../world/providers/relay/relay.ts';
import { denyList } from '../world/screening/list/deny-list.ts';
import { openHyperliquid } from '../world/venues/hyperliquid/hyperliquid.ts';
import { VENUE_CHAIN } from '../world/venues/hyperliquid/tokens.ts';
import type { ListAccounts } from '../world/venues/hyperliquid/watch.ts';
import type { Venue } from '../world/venues/venue.ts';
import type { Config } from './config.ts';
import { bitcoinNetworkOf, type ChainBooks, chainsOf, loginOf, WALLETS } from './wiring/chains.ts';
import { type Later, openLater } from './wiring/open-later.ts';
import { bridgedTokenIds, openVenueAsChain, VENUE_DECIMALS, VENUE_USDC, venueTokensOf } from './wiring/venue.ts';

export { WALLETS } from './wiring/chains.ts';

/** The venue's home chain, its USDC there, and the contract that takes deposits. */
const HOME = chainId(42161);
const BRIDGE = '0x2df1c51e09aecf9cacb7bc98cb1742757f163df7';
const BRIDGE_MINIMUM = 5_000_000n;

const homeUsdc = () => {
  const { facts } = evmNetwork(HOME);
  return present(
    facts.assets.find((asset) => asset.symbol === 'USDC'),
    'USDC on the home chain',
  );
};

/** What on-chain assets the book's two sides stand for. */
export const stands = () => ({ base: XMR_ASSET.id, quote: homeUsdc().id });
export const homeDecimals = () => homeUsdc().decimals;
/** Whole USDC of a setting as atoms of the home chain. */
export const homeAtoms = (whole: string): bigint => present(parseUnits(whole, homeDecimals()), whole);

/** The pure half of every chain but the venue, whose own is known once it is open. */
export const rulesOf = (config: Config): readonly ChainRules[] => chainsOf(config).map(({ rules }) => rules);

/** The account that pays out on each chain, the venue included. */
export const hotAddresses = (config: Config, keys: PublicKeys): ReadonlyMap<ChainId, Address> =>
  new Map([
    ...chainsOf(config).map(({ rules, hot }) => [rules.facts.id, hot(keys)] as const),
    [VENUE_CHAIN, keys.venueAccount],
  ]);

export interface OpenChain {
  readonly chain: Chain;
  readonly scanFrom: number | undefined;
}

/** Every configured chain, and the venue as the last of them. Opens ready or not at all. */
export function openChains(
  config: Config,
  keys: PublicKeys,
  signer: SignerClient,
  books: ChainBooks & { readonly venueAccounts: ListAccounts },
  outbound: Outbound,
  clock: Clock,
): Promise<readonly OpenChain[]> {
  const around = { keys, signer, books, outbound };
  const venue = async (): Promise<OpenChain> => ({
    chain: await openVenueAsChain(config, keys, books.venueAccounts, outbound, clock),
    scanFrom: undefined,
  });
  return Promise.all([
    ...chainsOf(config).map(async ({ open, scanFrom }) => ({ chain: await open(around), scanFrom })),
    venue(),
  ]);
}

export function openVenue(config: Config, keys: PublicKeys, outbound: Outbound, clock: Clock): Promise<Venue> {
  const address = present(evmRules(evmNetwork(HOME)).parseAddress(BRIDGE), 'bridge address');
  const funding = { chainId: HOME, asset: homeUsdc().id, address, minimum: BRIDGE_MINIMUM };
  const { url, baseTokenId } = config.venue;
  const otherTokenIds = bridgedTokenIds(config).filter((id) => id !== baseTokenId);
  return openHyperliquid({ url, baseTokenId, otherTokenIds, account: keys.venueAccount, funding }, outbound, clock);
}

export interface Providers {
  readonly providers: readonly Provider[];
  /** Those that are not there yet are asked no more. */
  close(): void;
}

/** Every configured provider, at once; each supports nothing until its list of tokens could be read. */
export function openProviders(config: Config, assets: readonly Asset[], outbound: Outbound, clock: Clock): Providers {
  const { oneclick, relay } = config.providers;
  const rules = rulesOf(config);
  const parseAddress = (chain: ChainId, text: string): Address | undefined =>
    rules.find(({ facts }) => facts.id === chain)?.parseAddress(text);
  const all: Later[] = [];
  if (oneclick) {
    const { url, jwt } = oneclick;
    const settings = { url, parseAddress, ...(jwt === undefined ? {} : { jwt: new Secret(jwt) }) };
    all.push(openLater('oneclick', () => openOneClick(settings, assets, outbound, clock)));
  }
  if (relay) {
    const { url, apiKey } = relay;
    const settings = { url, parseAddress, ...(apiKey === undefined ? {} : { apiKey: new Secret(apiKey) }) };
    all.push(openLater('relay', () => openRelay(settings, assets, outbound, clock)));
  }
  return {
    providers: all.map(({ provider }) => provider),
    close: () => {
      for (const one of all) one.close();
    },
  };
}

/** Outputs of one XMR each suit most payouts; larger ones join several. */
const OUTPUT_EACH = atoms(1_000_000_000_000n);

export const outputPoolOf = (config: Config, chains: readonly Chain[]) => ({
  chain: present(
    chains.find((chain) => chain.facts.id === MONERO_ID),
    'Monero',
  ),
  coin: XMR_ASSET.id,
  count: config.chains.monero.outputPool,
  each: OUTPUT_EACH,
});

export const screenOf = (config: Config) => denyList(config.screening.denyListFile);

const cap = (text: string): Atoms => atoms(BigInt(text));

function mapValues<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

export function signerConfigOf(config: Config): SignerConfig {
  const { signer, chains, keys } = config;
  const { assets, chains: perChain, trades } = signer.limits;
  return {
    seedFile: signer.seedFile,
    passphrase: new Secret(signer.passphrase),
    journalFile: signer.journal,
    socketPath: signer.socket,
    bindingKey: new Secret<Uint8Array>(Buffer.from(keys.binding, 'hex')),
    evm: { chains: chains.evm.map((one) => chainId(one.chainId)) },
    venue: {
      chainId: VENUE_CHAIN,
      usdc: VENUE_USDC,
      bridge: { asset: homeUsdc().id, address: BRIDGE, minimum: BRIDGE_MINIMUM },
      markets: 'any',
      tokens: venueTokensOf(config),
    },
    monero: {
      walletUrl: chains.monero.spendWalletUrl,
      walletName: WALLETS.spend,
      walletPassword: new Secret(chains.monero.walletPassword),
      restoreHeight: chains.monero.restoreHeight,
    },
    bitcoin: chains.bitcoin && { network: bitcoinNetworkOf(chains.bitcoin) },
    solana: chains.solana && true,
    tron: chains.tron && true,
    zcash: chains.zcash && {
      walletUrl: chains.zcash.spendWalletUrl,
      walletLogin: loginOf(chains.zcash.walletLogin),
      accountUuid: chains.zcash.accountUuid,
    },
    treasury: [],
    limits: {
      assets: mapValues(assets, ({ perTransfer, perDay }) => ({ perTransfer: cap(perTransfer), perDay: cap(perDay) })),
      otherAssets: undefined,
      chains: mapValues(perChain, ({ gas, cost }) => ({ gas: cap(gas), cost: cap(cost) })),
      trades: {
        baseDecimals: VENUE_DECIMALS,
        quoteDecimals: VENUE_DECIMALS,
        size: cap(trades.size),
        notional: cap(trades.notional),
        notionalPerDay: cap(trades.notionalPerDay),
        price: undefined,
      },
    },
  };
}
