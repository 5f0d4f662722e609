import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { present } from '../../src/kernel/assert.ts';
import type { Address } from '../../src/kernel/ids.ts';
import type { KeyTree } from '../../src/signer/keys.ts';
import { evmKeys } from '../../src/signer/rails/evm.ts';
import { evmAddressOfKey, evmDepositAddresses, parseEvmAddress } from '../../src/world/chains/evm/codec.ts';
import { EVM_NETWORKS } from '../../src/world/chains/evm/networks.ts';
import { type BoxFamily, depositsOf, type IsOurs, units } from '../family.ts';
import { anvilMissing } from '../nodes/anvil.ts';
import { type EvmWorld, startEvmWorld } from '../nodes/evm-world.ts';
import type { Prices } from '../prices.ts';
import { startOf } from '../start-money.ts';
import { BRIDGE, VENUE_HOME } from '../venue-tokens.ts';
import { evmWire } from './evm-wire.ts';

/** A block comes every second here, so depth is cheap: real reorganisations can be played and orders still end soon. */
const FINALITY = { small: 2, large: 4 } as const;
/** Every dollar on the venue can be withdrawn, so the bridge must hold it. */
const IN_BRIDGE = 100_000_000n * 10n ** 6n;

export const evmHot = (tree: KeyTree): Address => evmAddressOfKey(evmKeys(tree).key('hot').reveal());

export const evmSettings = (nodes: readonly { readonly chainId: number; readonly rpcUrl: string }[]) => ({
  evm: nodes.map((node) => ({ ...node, finality: FINALITY, scanFrom: 0 })),
});

/** Every network that the service knows, each on a node of its own. */
export const evm: BoxFamily = {
  name: 'evm',
  real: { missing: anvilMissing },
  limits: EVM_NETWORKS.map(({ facts }) => ({
    ...{ chainId: facts.id, assets: facts.assets, gas: units(1, 18), cost: units(1, 18) },
  })),
  freshAddress: () => present(parseEvmAddress(`0x${randomBytes(20).toString('hex')}`), 'an EVM address'),
  async start({ at, tree, nodes, evmStates: statesKept }) {
    const hot = evmHot(tree);
    const startOne = async ({ facts }: (typeof EVM_NETWORKS)[number]) => {
      const world = await startEvmWorld({
        chainId: facts.id,
        kind: nodes,
        stateFile: join(at.chains, `evm-${facts.id}.json`),
        statesKept,
      });
      try {
        await world.placeSweeper(hot);
        return world;
      } catch (error) {
        await world.close();
        throw error;
      }
    };
    const worlds = await allOrNone(EVM_NETWORKS.map(startOne), end);
    const isDeposit = depositsOf(() => evmDepositAddresses(evmKeys(tree).xpub));
    return {
      chains: worlds,
      wire: ({ parseAddress }, isOurs: IsOurs) =>
        evmWire({
          hot,
          isOurs: (text) => text === BRIDGE || isOurs(parseAddress(text) ?? text),
          isDeposit: (text) => isDeposit(parseAddress(text) ?? text),
        }),
      settings: async (via) =>
        evmSettings(
          await Promise.all(
            worlds.map(async ({ chainId, rpcUrl }) => ({ chainId, rpcUrl: await via(chainId, rpcUrl) })),
          ),
        ),
      fund: async (prices) => void (await Promise.all(worlds.map((world) => fund(world, hot, prices)))),
      close: async () => void (await Promise.all(worlds.map(end))),
    };
  },
};

/** Where one does not start, the others end: nobody else would know of them. */
async function allOrNone<T>(starting: readonly Promise<T>[], stop: (one: T) => Promise<void>): Promise<readonly T[]> {
  const settled = await Promise.allSettled(starting);
  const failed = settled.find((one) => one.status === 'rejected');
  const started = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (!failed) return started;
  await Promise.allSettled(started.map(stop));
  throw failed.reason;
}

/** What waits to be mined would be forgotten with the node, so it gets its block. */
async function end(world: EvmWorld): Promise<void> {
  try {
    await world.mine(1);
  } finally {
    await world.close();
  }
}

async function fund(world: EvmWorld, hot: Address, prices: Prices): Promise<void> {
  const { assets } = world.network.facts;
  const funding = assets.map((asset) => world.fund(hot, asset.token, startOf(asset, prices)));
  const usdc = assets.find(({ symbol }) => symbol === 'USDC');
  if (world.chainId === VENUE_HOME && usdc) funding.push(world.fund(BRIDGE as Address, usdc.token, IN_BRIDGE));
  await Promise.all(funding);
}
