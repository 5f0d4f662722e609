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
    'zcash/spendWallet/login': ['spender'],
  },
  chains: ({ zcash: settings }: { zcash?: Settings }) => (settings ? [configured(settings)] : []),
};

function configured(settings: Settings): ConfiguredChain {
  const { nodeUrl, nodeLogin, viewWallet, accountUuid, confirmations, scanFrom } = settings;
  const { settledConfirmations = ZCASH_DEFAULTS.settledConfirmations, stuckAfterMs = ZCASH_DEFAULTS.stuckAfterMs } =
    settings;
  const rules = { ...ZCASH_DEFAULTS, confirmations, settledConfirmations, stuckAfterMs };
  const node = { nodeUrl, ...(nodeLogin === undefined ? {} : { nodeLogin: loginOf(nodeLogin) }) };
  return {
    rules: zcashRules(rules),
    scanFrom,
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
