import { present } from '../../kernel/assert.ts';
import { type Address, chainId } from '../../kernel/ids.ts';
import { Secret } from '../../kernel/secret.ts';
import type { SignerClient } from '../../signer/client.ts';
import type { PublicKeys } from '../../signer/request.ts';
import {
  BITCOIN,
  BITCOIN_REGTEST,
  type BitcoinNetwork,
  LITECOIN_REGTEST,
} from '../../world/chains/bitcoin/address-codec.ts';
import { openBitcoin } from '../../world/chains/bitcoin/bitcoin.ts';
import type { Busy, DepositBook } from '../../world/chains/bitcoin/purse.ts';
import { BITCOIN_DEFAULTS, bitcoinRules } from '../../world/chains/bitcoin/rules.ts';
import { DEFAULT_FEES } from '../../world/chains/bitcoin/terms.ts';
import type { Chain, ChainRules } from '../../world/chains/chain.ts';
import { openEvm } from '../../world/chains/evm/evm.ts';
import { type EvmNetwork, evmNetwork, type Finality, withFinality } from '../../world/chains/evm/networks.ts';
import { evmRules } from '../../world/chains/evm/rules.ts';
import { openMonero } from '../../world/chains/monero/monero.ts';
import { MONERO_DEFAULTS, moneroRules } from '../../world/chains/monero/rules.ts';
import { solanaRules } from '../../world/chains/solana/rules.ts';
import { openSolana } from '../../world/chains/solana/solana.ts';
import { SOLIDIFIED, tronRules } from '../../world/chains/tron/rules.ts';
import { openTron } from '../../world/chains/tron/tron.ts';
import type { RpcLogin } from '../../world/chains/zcash/reply-codec.ts';
import { ZCASH_DEFAULTS, zcashRules } from '../../world/chains/zcash/rules.ts';
import { openZcash } from '../../world/chains/zcash/zcash.ts';
import type { Outbound } from '../../world/outbound/http.ts';
import type { Config } from '../config.ts';

export const WALLETS = { view: 'wherry-view', spend: 'wherry-spend' } as const;

/** What chains must know of our own books. */
export interface ChainBooks {
  readonly bitcoinDeposits: DepositBook;
  readonly busy: Busy;
}

/** Whom an open chain talks to. */
export interface Surroundings {
  readonly keys: PublicKeys;
  readonly signer: SignerClient;
  readonly books: ChainBooks;
  readonly outbound: Outbound;
}

/** A chain as the settings describe it. */
export interface ConfiguredChain {
  readonly rules: ChainRules;
  /** Where the first scan begins; from the newest block where it is undefined. */
  readonly scanFrom: number | undefined;
  /** The account that pays out. */
  hot(keys: PublicKeys): Address;
  open(around: Surroundings): Promise<Chain>;
}

type Settings = Config['chains'];
type Of<K extends keyof Settings> = NonNullable<Settings[K]>;

export function chainsOf({ chains }: Config): readonly ConfiguredChain[] {
  const { monero, evm, bitcoin, solana, tron, zcash } = chains;
  return [
    moneroOf(monero),
    ...evm.map(evmOf),
    ...(bitcoin ? [bitcoinOf(bitcoin)] : []),
    ...(solana ? [solanaOf(solana)] : []),
    ...(tron ? [tronOf(tron)] : []),
    ...(zcash ? [zcashOf(zcash)] : []),
  ];
}

function moneroOf(settings: Of<'monero'>): ConfiguredChain {
  const { daemonUrl, viewWalletUrl, walletPassword, restoreHeight, confirmations } = settings;
  const rules = { ...MONERO_DEFAULTS, confirmations };
  return {
    rules: moneroRules(rules),
    scanFrom: restoreHeight,
    hot: (keys) => keys.moneroAddress,
    open: ({ keys, signer, outbound }) =>
      openMonero(
        {
          ...rules,
          daemonUrl,
          walletUrl: viewWalletUrl,
          walletName: WALLETS.view,
          walletPassword: new Secret(walletPassword),
          address: keys.moneroAddress,
          viewKey: keys.moneroViewKey,
          restoreHeight,
          spendSide: { balance: signer.moneroBalance, knowDeposits: signer.moneroKnowDeposits },
        },
        outbound,
      ),
  };
}

function evmOf(settings: Settings['evm'][number]): ConfiguredChain {
  const network = networkOf(settings);
  const { rpcUrl, scanFrom } = settings;
  return {
    rules: evmRules(network),
    scanFrom,
    hot: (keys) => keys.evmHot,
    open: ({ keys, outbound }) => openEvm({ network, rpcUrl, xpub: keys.evmXpub, hotAddress: keys.evmHot }, outbound),
  };
}

function networkOf(settings: Settings['evm'][number]): EvmNetwork {
  const network = evmNetwork(chainId(settings.chainId));
  if (!settings.finality) return network;
  const { small, large } = settings.finality;
  return withFinality(network, { small: finality(small), large: finality(large) });
}

/** Tags come with the depth they usually have, for display. */
function finality(setting: number | 'safe' | 'finalized'): Finality {
  return typeof setting === 'number' ? { depth: setting } : { tag: setting, about: setting === 'safe' ? 32 : 64 };
}

const BITCOIN_NETWORKS: Readonly<Record<Of<'bitcoin'>['network'], BitcoinNetwork>> = {
  mainnet: BITCOIN,
  regtest: BITCOIN_REGTEST,
  'litecoin-regtest': LITECOIN_REGTEST,
};

export const bitcoinNetworkOf = ({ network }: Of<'bitcoin'>): BitcoinNetwork => BITCOIN_NETWORKS[network];

function bitcoinOf(settings: Of<'bitcoin'>): ConfiguredChain {
  const { rpcUrl, rpcLogin, confirmations, blindFeeRate, scanFrom } = settings;
  const rules = { ...BITCOIN_DEFAULTS, network: bitcoinNetworkOf(settings), confirmations };
  const blind = blindFeeRate === undefined ? {} : { blind: BigInt(blindFeeRate) };
  return {
    rules: bitcoinRules(rules),
    scanFrom,
    hot: (keys) => present(keys.bitcoin, 'Bitcoin keys of the signer').hot,
    open: ({ keys, books, outbound }) =>
      openBitcoin(
        {
          ...rules,
          rpcUrl,
          ...(rpcLogin === undefined ? {} : { rpcLogin: new Secret(rpcLogin) }),
          xpub: present(keys.bitcoin, 'Bitcoin keys of the signer').xpub,
          hotAddress: present(keys.bitcoin, 'Bitcoin keys of the signer').hot,
          book: books.bitcoinDeposits,
          busy: books.busy,
          fees: { ...DEFAULT_FEES, ...blind },
        },
        outbound,
      ),
  };
}

function solanaOf({ rpcUrl, genesisHash, scanFrom }: Of<'solana'>): ConfiguredChain {
  const network = genesisHash === undefined ? {} : { genesisHash };
  return {
    rules: solanaRules,
    scanFrom,
    hot: (keys) => present(keys.solana, 'Solana keys of the signer').hot,
    open: ({ keys, signer, outbound }) => {
      const addresses = async (first: number, count: number) =>
        (await signer.deriveAddresses('solana', first, count)).deposits;
      return openSolana(
        { rpcUrl, hotAddress: present(keys.solana, 'Solana keys of the signer').hot, addresses, ...network },
        outbound,
      );
    },
  };
}

function tronOf({ nodeUrl, apiKey, confirmations = SOLIDIFIED, scanFrom }: Of<'tron'>): ConfiguredChain {
  const access = apiKey === undefined ? {} : { apiKey: new Secret(apiKey) };
  return {
    rules: tronRules(confirmations),
    scanFrom,
    hot: (keys) => present(keys.tron, 'Tron keys of the signer').hot,
    open: ({ keys, outbound }) => {
      const { xpub, hot: hotAddress } = present(keys.tron, 'Tron keys of the signer');
      return openTron({ nodeUrl, ...access, xpub, hotAddress, confirmations }, outbound);
    },
  };
}

function zcashOf(settings: Of<'zcash'>): ConfiguredChain {
  const { nodeUrl, nodeLogin, viewWalletUrl, walletLogin, accountUuid, confirmations, scanFrom } = settings;
  const rules = { ...ZCASH_DEFAULTS, confirmations };
  return {
    rules: zcashRules(rules),
    scanFrom,
    hot: (keys) => present(keys.zcash, 'Zcash keys of the signer').address,
    open: ({ keys, signer, outbound }) =>
      openZcash(
        {
          ...rules,
          nodeUrl,
          ...(nodeLogin === undefined ? {} : { nodeLogin: loginOf(nodeLogin) }),
          walletUrl: viewWalletUrl,
          walletLogin: loginOf(walletLogin),
          accountUuid,
          address: present(keys.zcash, 'Zcash keys of the signer').address,
          spendSide: { depositAddresses: signer.zcashDeposits },
        },
        outbound,
      ),
  };
}

/** `user:password`, where the password may hold colons and the name may not. */
export function loginOf(text: string): Secret<RpcLogin> {
  const [user = '', ...rest] = text.split(':');
  return new Secret({ user, password: rest.join(':') });
}
