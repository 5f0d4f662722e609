import { type Static, Type } from '@sinclair/typebox';
import { present } from '../../../kernel/assert.ts';
import { Secret } from '../../../kernel/secret.ts';
import { Atomic, Depths, exact, ScanFrom, SettledConfirmations, StuckAfterMs, Url } from '../../settings-shapes.ts';
import type { ConfiguredChain, Family } from '../family.ts';
import { parseBitcoinAddress } from './address-codec.ts';
import { openBitcoin } from './bitcoin.ts';
import { BITCOIN, BITCOIN_COINS, type BitcoinNetwork } from './networks.ts';
import { BitcoinNode } from './node.ts';
import { BITCOIN_DEFAULTS, bitcoinRules, refusedBy } from './rules.ts';
import { DEFAULT_FEES } from './terms.ts';

const shapeOf = (networks: readonly string[]) =>
  exact({
    network: Type.Union(networks.map((name) => Type.Literal(name))),
    rpcUrl: Url,
    /** `user:password`. */
    rpcLogin: Type.Optional(Type.String()),
    /** Another node of the network: what is worth much is believed only when both say it. */
    second: Type.Optional(exact({ rpcUrl: Url, rpcLogin: Type.Optional(Type.String()) })),
    confirmations: Depths,
    settledConfirmations: SettledConfirmations,
    stuckAfterMs: StuckAfterMs,
    /** Atoms per 1,000 virtual bytes where the node cannot estimate; without it payouts wait until it can. */
    blindFeeRate: Type.Optional(Atomic),
    scanFrom: ScanFrom,
  });

type CoinSettings = Static<ReturnType<typeof shapeOf>>;
/** By coin. */
type Settings = Readonly<Record<string, CoinSettings | undefined>>;

const COINS = Object.entries(BITCOIN_COINS);

/** Every coin of `networks.ts` is one entry in the settings, and all of them are optional. */
export const bitcoin: Family = {
  name: 'bitcoin',
  settings: Object.fromEntries(
    COINS.map(([coin, networks]) => [coin, Type.Optional(shapeOf(Object.keys(networks)))] as const),
  ),
  secrets: Object.fromEntries(
    COINS.flatMap(([coin]) => [`${coin}/rpcLogin`, `${coin}/second/rpcLogin`]).map((path) => [
      path,
      ['watcher'] as const,
    ]),
  ),
  chains: (settings: Settings) =>
    COINS.flatMap(([coin, networks]) => {
      const its = settings[coin];
      return its ? [configured(present(networks[its.network], its.network), its)] : [];
    }),
  feeAddress(settings: Settings) {
    const network = BITCOIN_COINS.bitcoin?.[settings.bitcoin?.network ?? 'mainnet'] ?? BITCOIN;
    return {
      field: 'feeAddressBtc',
      parse: (text) => parseBitcoinAddress(network, text),
      refuses: (address) => refusedBy(network, address),
    };
  },
};

function configured(network: BitcoinNetwork, { second, ...settings }: CoinSettings): ConfiguredChain {
  const { rpcUrl, rpcLogin, confirmations, blindFeeRate, scanFrom } = settings;
  const { settledConfirmations = BITCOIN_DEFAULTS.settledConfirmations, stuckAfterMs = BITCOIN_DEFAULTS.stuckAfterMs } =
    settings;
  const rules = { ...BITCOIN_DEFAULTS, network, confirmations, settledConfirmations, stuckAfterMs };
  const login = rpcLogin === undefined ? {} : { rpcLogin: new Secret(rpcLogin) };
  const blind = blindFeeRate === undefined ? {} : { blind: BigInt(blindFeeRate) };
  const { rpcUrl: _, rpcLogin: __, ...others } = settings;
  return {
    second: second && configured(network, { ...others, ...second }),
    rules: bitcoinRules(rules),
    scanFrom,
    async look(outbound) {
      const node = new BitcoinNode(network, { rpcUrl, ...login }, outbound);
      await node.expectNetwork();
      await node.tip();
    },
    open: ({ keys, deposits, busy, outbound }) =>
      openBitcoin(
        {
          ...rules,
          rpcUrl,
          ...login,
          xpub: present(keys.xpub, `the signer's keys of ${network.coin.family}`),
          hotAddress: keys.hot,
          book: deposits,
          busy,
          fees: { ...DEFAULT_FEES, ...blind },
        },
        outbound,
      ),
  };
}
