import { type Static, Type } from '@sinclair/typebox';
import { atoms } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import type { Outbound } from '../../outbound/http.ts';
import { Depths, exact, SettledConfirmations, SpendLogin, StuckAfterMs, Url } from '../../settings-shapes.ts';
import type { Family, FamilyKeys } from '../family.ts';
import { moneroDaemon } from './daemon.ts';
import { openMonero, openMoneroWitness } from './monero.ts';
import { MONERO_DEFAULTS, moneroRules } from './rules.ts';

const Shape = exact({
  daemonUrl: Url,
  /** Another daemon: what is worth much is believed only when both say it. */
  second: Type.Optional(Url),
  /** The signer's alone: other processes neither need it nor may have it. `password` is that of the wallet's file. */
  spendWallet: Type.Optional(exact({ url: Url, login: SpendLogin, password: Type.String() })),
  restoreHeight: Type.Integer({ minimum: 0 }),
  confirmations: Depths,
  settledConfirmations: SettledConfirmations,
  stuckAfterMs: StuckAfterMs,
  /** Spendable outputs kept ready, so that many payouts can run at once. */
  outputPool: Type.Integer({ minimum: 1, maximum: 1000 }),
});

/** Outputs of one XMR each suit most payouts; larger ones join several. */
const OUTPUT_EACH = atoms(1_000_000_000_000n);

export const monero: Family = {
  name: 'monero',
  settings: { monero: Shape },
  secrets: {
    'monero/spendWallet/login': ['spender'],
    'monero/spendWallet/password': ['spender'],
  },
  chains({ monero: settings }: { monero: Static<typeof Shape> }) {
    const { daemonUrl, second, restoreHeight, confirmations, outputPool } = settings;
    const look = (url: string) => async (outbound: Outbound) => void (await moneroDaemon(url, outbound).tip());
    const seenBy = (keys: FamilyKeys) => ({ address: keys.hot, viewKey: present(keys.viewKey, 'the view key') });
    const { settledConfirmations = MONERO_DEFAULTS.settledConfirmations, stuckAfterMs = MONERO_DEFAULTS.stuckAfterMs } =
      settings;
    const rules = { ...MONERO_DEFAULTS, confirmations, settledConfirmations, stuckAfterMs };
    return [
      {
        rules: moneroRules(rules),
        scanFrom: restoreHeight,
        outputPool: { count: outputPool, each: OUTPUT_EACH },
        look: look(daemonUrl),
        second:
          second === undefined
            ? undefined
            : {
                look: look(second),
                open: ({ keys, outbound }) =>
                  openMoneroWitness({ ...rules, daemonUrl: second, ...seenBy(keys) }, outbound),
              },
        open: ({ keys, spendSide, deposits, outbound }) =>
          openMonero({ ...rules, daemonUrl, ...seenBy(keys), spendSide, depositCount: deposits.count }, outbound),
      },
    ];
  },
};
