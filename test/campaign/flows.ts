import type { Address, AssetId, ChainId, OrderId } from '../../src/kernel/ids.ts';
import { evmAsset } from '../../src/world/chains/evm/codec.ts';
import type { Books } from './books.ts';
import { ELSEWHERE, MONEY } from './elsewhere.ts';
import type { MinedTx } from './evm-chain.ts';
import { millionths } from './prices.ts';
import type { Scene } from './scene.ts';
import { ARBITRUM, type World } from './world.ts';

export const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
export const assetOf = ({ tx }: MinedTx): AssetId => evmAsset(ARBITRUM as ChainId, tx.token as Address | undefined);
/** What the desk's keys moved on the chain as it stands. */
export const ours = ({ arbitrum, isOurs }: World) => arbitrum.movements().filter(({ tx }) => isOurs(tx.from));
export const outflows = (world: World) => ours(world).filter(({ ok, tx }) => ok && !world.isOurs(tx.payee));
export const paidTo = (world: World, address: string) => outflows(world).filter(({ tx }) => same(tx.payee, address));

/** Millionths of a dollar, at the prices that everybody has. */
export function worth({ arbitrum }: World, asset: AssetId, atoms: bigint): bigint {
  const known = [...arbitrum.network.facts.assets, ...ELSEWHERE.values(), MONEY].find(({ id }) => id === asset);
  const price = known && millionths(known.symbol);
  return price ? (atoms * price) / 10n ** BigInt(known.decimals) : 0n;
}

/** What others moved there on the chain as it stands. */
export const broughtTo = ({ arbitrum, isOurs }: World, address: string) =>
  arbitrum.movements().filter(({ ok, tx }) => ok && same(tx.payee, address) && !isOurs(tx.from));

/** What stands elsewhere at an address, in millionths of a dollar. */
export function worthElsewhere({ world, elsewhere }: Scene, address: string): bigint {
  return (elsewhere?.get(address) ?? []).reduce((sum, { asset, amount }) => sum + worth(world, asset, amount), 0n);
}

/** What went back to the purses that all customers share, of one order. */
export function backToSender({ world, back }: Scene, { attempts, payments }: Books, id: OrderId | undefined): bigint {
  const its = new Set(payments.flatMap((payment) => (payment.owner === id ? [payment.id as string] : [])));
  const sent = new Set(attempts.flatMap(({ payment, txHash }) => (its.has(payment) ? [txHash] : [])));
  return (back ?? [])
    .filter(({ txHash }) => sent.has(txHash))
    .reduce((sum, { asset, amount }) => sum + worth(world, asset, amount), 0n);
}

/** What really came to the deposit address of a customer, on the chain as it stands. */
export function broughtBy(scene: Scene, depositAddress: string): bigint {
  const { world } = scene;
  const onArbitrum = broughtTo(world, depositAddress).reduce(
    (sum, one) => sum + worth(world, assetOf(one), one.tx.atoms),
    0n,
  );
  return onArbitrum + worthElsewhere(scene, depositAddress);
}
