import { type Static, Type } from '@sinclair/typebox';
import { present } from '../../../kernel/assert.ts';
import { Secret } from '../../../kernel/secret.ts';
import { Depths, exact, ScanFrom, Url } from '../../settings-shapes.ts';
import type { ConfiguredChain, Family } from '../family.ts';
import { expectStake } from './energy.ts';
import { TronNode } from './node.ts';
import { SOLIDIFIED, tronRules } from './rules.ts';
import { stakeOf } from './stake-codec.ts';
import { expectNetwork, openTron } from './tron.ts';

const Shape = exact({
  nodeUrl: Url,
  /** Another node of the network: what is worth much is believed only when both say it. */
  second: Type.Optional(Url),
  apiKey: Type.Optional(Type.String()),
  confirmations: Type.Optional(Depths),
  scanFrom: ScanFrom,
  /** Whose staked coins give deposit addresses their energy; without it, coins are sent there and burned. */
  stake: Type.Optional(
    exact({
      account: Type.String({ pattern: '^T[1-9A-HJ-NP-Za-km-z]{33}$' }),
      permission: Type.Integer({ minimum: 2, maximum: 9 }),
      perLoan: Type.Optional(Type.Integer({ minimum: 1 })),
    }),
  ),
});
type Settings = Static<typeof Shape>;

export const tron: Family = {
  name: 'tron',
  settings: { tron: Type.Optional(Shape) },
  secrets: { 'tron/apiKey': ['watcher'] },
  chains: ({ tron: settings }: { tron?: Settings }) => (settings ? [configured(settings)] : []),
};

function configured({ second, ...settings }: Settings): ConfiguredChain {
  const { nodeUrl, apiKey, confirmations = SOLIDIFIED, scanFrom } = settings;
  const stake = settings.stake && stakeOf(settings.stake);
  const access: { readonly apiKey?: Secret } = apiKey === undefined ? {} : { apiKey: new Secret(apiKey) };
  return {
    second: second === undefined ? undefined : configured({ ...settings, nodeUrl: second }),
    rules: tronRules(confirmations),
    scanFrom,
    async look(outbound) {
      const node = new TronNode(nodeUrl, access.apiKey, outbound);
      await expectNetwork(node);
      if (stake) await expectStake(node, stake);
    },
    open: ({ keys, outbound }) => {
      const xpub = present(keys.xpub, 'the extended key');
      const lends = stake ? { stake } : {};
      return openTron({ nodeUrl, ...access, xpub, hotAddress: keys.hot, confirmations, ...lends }, outbound);
    },
  };
}
