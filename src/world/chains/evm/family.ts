import { type Static, Type } from '@sinclair/typebox';
import { present } from '../../../kernel/assert.ts';
import { type Address, chainId } from '../../../kernel/ids.ts';
import { exact, ScanFrom, StuckAfterMs, Url } from '../../settings-shapes.ts';
import type { ConfiguredChain, Family } from '../family.ts';
import { parseEvmAddress } from './codec.ts';
import { openEvm, openEvmNode } from './evm.ts';
import {
  EVM_NETWORKS,
  type EvmNetwork,
  evmNetwork,
  type Finality,
  withAhead,
  withFinality,
  withoutDelegation,
  withPatience,
} from './networks.ts';
import { evmRules } from './rules.ts';
import { DEPLOYER, placingCall, sweeperAddress } from './sweeper-codec.ts';

/** A depth in blocks, or the node's own tag. */
const FinalityShape = Type.Union([Type.Integer({ minimum: 1 }), Type.Literal('safe'), Type.Literal('finalized')]);

const NetworkShape = exact({
  chainId: Type.Integer(),
  rpcUrl: Url,
  /** Another node of the network: what is worth much is believed only when both say it. */
  second: Type.Optional(Url),
  finality: Type.Optional(exact({ small: FinalityShape, large: FinalityShape })),
  /** What makes a payout settled; `finalized` where it is absent. */
  settled: Type.Optional(FinalityShape),
  stuckAfterMs: StuckAfterMs,
  /** By how much gas may become dearer between sending it ahead and using it; by the network where it is absent. */
  aheadPercent: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  /** False: tokens are collected by gas that is sent ahead, even where the sweeper is placed. */
  delegates: Type.Optional(Type.Boolean()),
  scanFrom: ScanFrom,
});

type NetworkSettings = Static<typeof NetworkShape>;

export const evm: Family = {
  name: 'evm',
  settings: { evm: Type.Array(NetworkShape) },
  chains: ({ evm: networks }: { evm: readonly NetworkSettings[] }) => networks.map(configured),
  feeAddress: () => ({ field: 'feeAddress', parse: parseEvmAddress, refuses }),
  placing(text) {
    const hot = parseEvmAddress(text);
    return hot && { sweeper: sweeperAddress(hot), sendTo: DEPLOYER, data: placingCall(hot) };
  },
  rpcUrl: ({ evm: networks }: { evm: readonly NetworkSettings[] }, chainId) =>
    networks.find((network) => network.chainId === chainId)?.rpcUrl,
};

const RULES = EVM_NETWORKS.map(evmRules);
const refuses = (address: Address): string | undefined =>
  RULES.map(({ refusesDestination }) => refusesDestination(address)).find((reason) => reason !== undefined);

function configured({ second, ...settings }: NetworkSettings): ConfiguredChain {
  const network = networkOf(settings);
  const { rpcUrl, scanFrom, settled } = settings;
  return {
    second: second === undefined ? undefined : configured({ ...settings, rpcUrl: second }),
    rules: evmRules(network),
    scanFrom,
    look: async (outbound) => void (await openEvmNode(network.facts.id, rpcUrl, outbound)),
    open: ({ keys, outbound }) =>
      openEvm(
        {
          network,
          rpcUrl,
          xpub: present(keys.xpub, 'the extended key'),
          hotAddress: keys.hot,
          ...(settled === undefined ? {} : { settled: finality(settled) }),
        },
        outbound,
      ),
  };
}

function networkOf(settings: NetworkSettings): EvmNetwork {
  const { stuckAfterMs, aheadPercent } = settings;
  const known = evmNetwork(chainId(settings.chainId));
  const patient = stuckAfterMs === undefined ? known : withPatience(known, stuckAfterMs);
  const ahead = aheadPercent === undefined ? patient : withAhead(patient, aheadPercent);
  const network = settings.delegates === false ? withoutDelegation(ahead) : ahead;
  if (!settings.finality) return network;
  const { small, large } = settings.finality;
  return withFinality(network, { small: finality(small), large: finality(large) });
}

/** Tags come with the depth they usually have, for display. */
function finality(setting: Static<typeof FinalityShape>): Finality {
  return typeof setting === 'number' ? { depth: setting } : { tag: setting, about: setting === 'safe' ? 32 : 64 };
}
