import { type Atoms, atoms, parseUnits } from '../kernel/amount.ts';
import { present } from '../kernel/assert.ts';
import type { Clock } from '../kernel/clock.ts';
import { assetId, chainId, type TokenId } from '../kernel/ids.ts';
import { Secret } from '../kernel/secret.ts';
import type { SignerClient } from '../signer/client.ts';
import type { PublicKeys } from '../signer/request.ts';
import type { SignerConfig } from '../signer/start-signer.ts';
import type { Chain, ChainRules } from '../world/chains/chain.ts';
import { openEvm } from '../world/chains/evm/evm.ts';
import { type EvmNetwork, evmNetwork, type Finality, withFinality } from '../world/chains/evm/networks.ts';
import { evmRules } from '../world/chains/evm/rules.ts';
import { openMonero } from '../world/chains/monero/monero.ts';
import { MONERO_ID, moneroRules, XMR_ASSET } from '../world/chains/monero/rules.ts';
import type { Outbound } from '../world/outbound/http.ts';
import { denyList } from '../world/screening/list/deny-list.ts';
import { openHyperliquid } from '../world/venues/hyperliquid/hyperliquid.ts';
import type { Venue } from '../world/venues/venue.ts';
import type { Config } from './config.ts';

/** The venue's home chain, its USDC there, and the contract that takes deposits. */
const HOME = chainId(42161);
const BRIDGE = '0x2df1c51e09aecf9cacb7bc98cb1742757f163df7';
const BRIDGE_MINIMUM = 5_000_000n;
const VENUE = chainId(1337);
const VENUE_DECIMALS = 8;
const MONERO_PAYOUT_CONFIRMATIONS = 1;
export const WALLETS = { view: 'wherry-view', spend: 'wherry-spend' } as const;

type EvmSettings = Config['chains']['evm'][number];

function networkOf(settings: EvmSettings): EvmNetwork {
  const network = evmNetwork(chainId(settings.chainId));
  if (!settings.finality) return network;
  const { small, large } = settings.finality;
  return withFinality(network, { small: finality(small), large: finality(large) });
}

/** Tags come with the depth they usually have, for display. */
function finality(setting: number | 'safe' | 'finalized'): Finality {
  return typeof setting === 'number' ? { depth: setting } : { tag: setting, about: setting === 'safe' ? 32 : 64 };
}

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

/** The pure half of every chain: all that the API needs. */
export function rulesOf(config: Config): readonly ChainRules[] {
  const { confirmations } = config.chains.monero;
  return [
    moneroRules({ confirmations, payoutConfirmations: MONERO_PAYOUT_CONFIRMATIONS }),
    ...config.chains.evm.map((settings) => evmRules(networkOf(settings))),
  ];
}

export async function openChains(
  config: Config,
  keys: PublicKeys,
  signer: SignerClient,
  outbound: Outbound,
): Promise<readonly { readonly chain: Chain; readonly scanFrom: number | undefined }[]> {
  const { monero } = config.chains;
  const evm = config.chains.evm.map(async (settings) => ({
    chain: await openEvm(
      { network: networkOf(settings), rpcUrl: settings.rpcUrl, xpub: keys.evmXpub, hotAddress: keys.evmHot },
      outbound,
    ),
    scanFrom: settings.scanFrom,
  }));
  const xmr = openMonero(
    {
      daemonUrl: monero.daemonUrl,
      walletUrl: monero.viewWalletUrl,
      walletName: WALLETS.view,
      walletPassword: new Secret(monero.walletPassword),
      address: keys.moneroAddress,
      viewKey: keys.moneroViewKey,
      restoreHeight: monero.restoreHeight,
      confirmations: monero.confirmations,
      payoutConfirmations: MONERO_PAYOUT_CONFIRMATIONS,
      spendSide: { balance: signer.moneroBalance, knowDeposits: signer.moneroKnowDeposits },
    },
    outbound,
  ).then((chain) => ({ chain, scanFrom: monero.restoreHeight }));
  return Promise.all([xmr, ...evm]);
}

export function openVenue(config: Config, keys: PublicKeys, outbound: Outbound, clock: Clock): Promise<Venue> {
  const address = present(evmRules(evmNetwork(HOME)).parseAddress(BRIDGE), 'bridge address');
  const funding = { chainId: HOME, asset: homeUsdc().id, address, minimum: BRIDGE_MINIMUM };
  const { url, baseTokenId } = config.venue;
  return openHyperliquid({ url, baseTokenId, account: keys.venueAccount, funding }, outbound, clock);
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
  const { signer, chains, venue, keys } = config;
  const { assets, chains: perChain, trades } = signer.limits;
  return {
    seedFile: signer.seedFile,
    passphrase: new Secret(signer.passphrase),
    journalFile: signer.journal,
    socketPath: signer.socket,
    bindingKey: new Secret<Uint8Array>(Buffer.from(keys.binding, 'hex')),
    evm: { chains: chains.evm.map((one) => chainId(one.chainId)) },
    venue: {
      chainId: VENUE,
      bridge: { asset: homeUsdc().id, address: BRIDGE, minimum: BRIDGE_MINIMUM },
      markets: 'any',
      tokens: { [assetId(VENUE, venue.baseTokenId as TokenId)]: VENUE_DECIMALS },
    },
    monero: {
      walletUrl: chains.monero.spendWalletUrl,
      walletName: WALLETS.spend,
      walletPassword: new Secret(chains.monero.walletPassword),
      restoreHeight: chains.monero.restoreHeight,
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
