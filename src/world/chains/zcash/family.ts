import { type Static, Type } from '@sinclair/typebox';
import { loginOf } from '../../outbound/login.ts';
import { exact, Login, ScanFrom, SettledConfirmations, SpendLogin, StuckAfterMs, Url } from '../../settings-shapes.ts';
import type { ConfiguredChain, Family } from '../family.ts';
import { zcashNode } from './node.ts';
import { ZCASH_DEFAULTS, zcashRules } from './rules.ts';
import { openZcash } from './zcash.ts';

const Shape = exact({
  nodeUrl: Url,
  /** `user:password`, as are the wallets'. */
  nodeLogin: Type.Optional(Login),
  viewWallet: exact({ url: Url, login: Login }),
  /** The signer's alone: other processes neither need it nor may have it. */
  spendWallet: Type.Optional(exact({ url: Url, login: SpendLogin })),
  accountUuid: Type.String(),
  /** Another node with a wallet that sees: what is worth much is believed only when both say it. */
  second: Type.Optional(
    exact({
      ...{ nodeUrl: Url, nodeLogin: Type.Optional(Login), viewWallet: exact({ url: Url, login: Login }) },
      /** Where that wallet has another name for the account. */
      accountUuid: Type.Optional(Type.String()),
    }),
  ),
  confirmations: Type.Integer({ minimum: 1 }),
  settledConfirmations: SettledConfirmations,
  stuckAfterMs: StuckAfterMs,
  scanFrom: ScanFrom,
});
type Settings = Static<typeof Shape>;

export const zcash: Family = {
  name: 'zcash',
  settings: { zcash: Type.Optional(Shape) },
  secrets: {
    'zcash/nodeLogin': ['watcher'],
    'zcash/viewWallet/login': ['watcher', 'spender'],
    'zcash/second/nodeLogin': ['watcher'],
    'zcash/second/viewWallet/login': ['watcher'],
    'zcash/spendWallet/login': ['spender'],
  },
  chains: ({ zcash: settings }: { zcash?: Settings }) => (settings ? [configured(settings)] : []),
};

/** What a shielded payment holds only a wallet can tell, and one is asked on each side. */
function witness({ second, nodeLogin: _, ...settings }: Settings): ConfiguredChain['second'] {
  if (!second) return undefined;
  const { look, open } = configured({ ...settings, ...second });
  return {
    look,
    async open(around) {
      const chain = await open(around);
      return { ...chain, know: async (first, count) => void (await chain.depositAddresses(first, count)) };
    },
  };
}

function configured(settings: Settings): ConfiguredChain {
  const { nodeUrl, nodeLogin, viewWallet, accountUuid, confirmations, scanFrom } = settings;
  const { settledConfirmations = ZCASH_DEFAULTS.settledConfirmations, stuckAfterMs = ZCASH_DEFAULTS.stuckAfterMs } =
    settings;
  const rules = { ...ZCASH_DEFAULTS, confirmations, settledConfirmations, stuckAfterMs };
  const node = { nodeUrl, ...(nodeLogin === undefined ? {} : { nodeLogin: loginOf(nodeLogin) }) };
  return {
    rules: zcashRules(rules),
    scanFrom,
    second: witness(settings),
    look: async (outbound) => void (await zcashNode(node, outbound).tip()),
    open: ({ keys, spendSide, outbound }) =>
      openZcash(
        {
          ...rules,
          ...node,
          walletUrl: viewWallet.url,
          walletLogin: loginOf(viewWallet.login),
          accountUuid,
          address: keys.hot,
          spendSide,
        },
        outbound,
      ),
  };
}
