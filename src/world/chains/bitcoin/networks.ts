import type { FeeField } from '../../../kernel/fee-field.ts';
import { assetId, chainId, type TokenId } from '../../../kernel/ids.ts';
import type { Asset } from '../chain.ts';

/** A coin whose chain is Bitcoin's under other constants. */
export interface BitcoinCoin {
  /** Its name in the settings; deposit addresses are pooled under it, since each coin spells them in its own way. */
  readonly family: string;
  readonly asset: Asset;
  /** SLIP-44: where its keys lie in the tree. */
  readonly coinType: number;
  readonly blockSeconds: number;
  readonly minSwapUsd: number;
  /** How links to its wallets begin (BIP-21). */
  readonly uriScheme: string;
  /** Where integrators are paid for its deposits; nowhere if the interface has no such address. */
  readonly feeField: FeeField | undefined;
}

/** What tells one network of this kind from another. */
export interface BitcoinNetwork {
  readonly coin: BitcoinCoin;
  /** Hash of the first block: a node with another one is of another network. */
  readonly genesis: string;
  /** How its segwit addresses begin. */
  readonly hrp: string;
  /** First byte of its base-58 addresses. */
  readonly pubKeyHash: number;
  readonly scriptHash: number;
  /** First four bytes of an extended public key, as its nodes read it. */
  readonly xpubVersion: number;
  /** Atoms for 1,000 virtual bytes: nodes pass on no output that would cost more than its worth to spend at this rate. */
  readonly dustRate: bigint;
  /** Atoms for 1,000 virtual bytes: how much more nodes want for what takes the place of another (BIP-125, rule 4). */
  readonly relayRate: bigint;
}

interface CoinLine extends Omit<BitcoinCoin, 'family' | 'asset'> {
  readonly chainId: number;
  readonly symbol: string;
  readonly name: string;
  /** By the name in the settings. */
  readonly networks: Readonly<Record<string, Omit<BitcoinNetwork, 'coin'>>>;
}

/** Both test networks keep the constants of the first test network. */
const REGTEST = { pubKeyHash: 0x6f, xpubVersion: 0x043587cf };

/** The constants of Litecoin's nodes, for where bitcoind cannot be had. */
const LITECOIND_REGTEST = {
  ...REGTEST,
  genesis: '530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9',
  hrp: 'rltc',
  scriptHash: 0x3a,
  dustRate: 30_000n,
  relayRate: 10_000n,
};

/** By the name in the settings. A new coin is one more entry, with the constants that `chainparams.cpp` and `policy.h` of its node have. */
const LINES = {
  bitcoin: {
    chainId: 20_000_000_000_001,
    symbol: 'BTC',
    name: 'Bitcoin',
    coinType: 0,
    blockSeconds: 600,
    minSwapUsd: 40,
    uriScheme: 'bitcoin',
    feeField: 'feeAddressBtc',
    networks: {
      mainnet: {
        genesis: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
        hrp: 'bc',
        pubKeyHash: 0x00,
        scriptHash: 0x05,
        xpubVersion: 0x0488b21e,
        dustRate: 3_000n,
        relayRate: 1_000n,
      },
      regtest: {
        ...REGTEST,
        genesis: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
        hrp: 'bcrt',
        scriptHash: 0xc4,
        dustRate: 3_000n,
        relayRate: 1_000n,
      },
      'litecoin-regtest': LITECOIND_REGTEST,
    },
  },
  /**
   * Addresses begin with ltc1, L or M (github.com/litecoin-project/litecoin, `src/chainparams.cpp`). The node also reads the
   * old script addresses that begin with 3; we do not, because the same text is an address of Bitcoin, and money that was
   * meant for the other chain is lost. Every wallet shows the same address with M, too.
   */
  litecoin: {
    chainId: 20_000_000_000_003,
    symbol: 'LTC',
    name: 'Litecoin',
    coinType: 2,
    blockSeconds: 150,
    minSwapUsd: 20,
    uriScheme: 'litecoin',
    feeField: undefined,
    networks: {
      mainnet: {
        genesis: '12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2',
        hrp: 'ltc',
        pubKeyHash: 0x30,
        scriptHash: 0x32,
        xpubVersion: 0x0488b21e,
        dustRate: 30_000n,
        relayRate: 10_000n,
      },
      regtest: LITECOIND_REGTEST,
    },
  },
} as const satisfies Record<string, CoinLine>;

const DECIMALS = 8;

function networksOf(family: string, { chainId: number, symbol, name, networks, ...line }: CoinLine) {
  const [id, token] = [chainId(number), symbol as TokenId];
  const asset = { id: assetId(id, token), chainId: id, token, symbol, name, decimals: DECIMALS, native: true };
  const coin: BitcoinCoin = { ...line, family, asset };
  return Object.fromEntries(Object.entries(networks).map(([known, network]) => [known, { ...network, coin }]));
}

type Coins = {
  readonly [C in keyof typeof LINES]: Readonly<Record<keyof (typeof LINES)[C]['networks'], BitcoinNetwork>>;
};

const COINS = Object.fromEntries(
  Object.entries(LINES).map(([family, line]) => [family, networksOf(family, line)]),
) as Coins;

/** Every coin, by its name in the settings, with its networks by theirs. */
export const BITCOIN_COINS: Readonly<Record<string, Readonly<Record<string, BitcoinNetwork>>>> = COINS;

export const BITCOIN = COINS.bitcoin.mainnet;
export const BITCOIN_REGTEST = COINS.bitcoin.regtest;
/** Bitcoin, played by Litecoin's node. */
export const BITCOIN_ON_LITECOIND = COINS.bitcoin['litecoin-regtest'];
export const LITECOIN = COINS.litecoin.mainnet;
export const LITECOIN_REGTEST = COINS.litecoin.regtest;
