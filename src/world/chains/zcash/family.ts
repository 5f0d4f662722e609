import { type Static, Type } from '@sinclair/typebox';
import { exact, ScanFrom, SettledConfirmations, StuckAfterMs, Url } from '../../settings-shapes.ts';
import type { ConfiguredChain, Family } from '../family.ts';
import { zcashNode } from './node.ts';
import { loginOf } from './reply-codec.ts';
import { ZCASH_DEFAULTS, zcashRules } from './rules.ts';
import { openZcash } from './zcash.ts';

const Shape = exact({
  nodeUrl: Url,
  /** `user:password`, as are the wallets'. */
  nodeLogin: Type.Optional(Type.String()),
  viewWalletUrl: Url,
  spendWalletUrl: Url,
  walletLogin: Type.String(),
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
  secrets: { 'zcash/nodeLogin': ['watcher'], 'zcash/walletLogin': ['watcher', 'spender'] },
  chains: ({ zcash: settings }: { zcash?: Settings }) => (settings ? [configured(settings)] : []),
};

function configured(settings: Settings): ConfiguredChain {
  const { nodeUrl, nodeLogin, viewWalletUrl, accountUuid, confirmations, scanFrom } = settings;
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
          walletUrl: viewWalletUrl,
          walletLogin: loginOf(settings.walletLogin),
          accountUuid,
          address: keys.hot,
          spendSide,
        },
        outbound,
      ),
  };
}
