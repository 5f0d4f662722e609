import assert from 'node:assert/strict';
import { present } from '../../src/kernel/assert.ts';
import type { Statement } from '../../src/store/db.ts';
import { type Order, swapOf } from './customer.ts';
import type { Desk } from './desk.ts';
import { onArbitrum, providersBook, type Signed } from './sights.ts';

/** What an order had a provider swap: one payment each way, by what the chain and the provider's own books show. */
export interface Swapped {
  readonly depositAddress: string;
  readonly amountIn: bigint;
}

const TAKEN: Statement = {
  name: 'crash_taken',
  text: `SELECT deal, tx_hash, credited AS atoms FROM delivery JOIN sighting USING (chain_id, key)
    WHERE starts_with(deal, $1) ORDER BY deal`,
};
const CREDITED: Statement = {
  name: 'crash_delivered',
  text: `SELECT asset, atoms FROM posting WHERE from_account = 'treasury' AND to_account = $1 AND asset = $2`,
};

/**
 * The provider got exactly what was agreed, once. What it paid came to our account, settled this order's deal and no
 * other, and is all that the order was credited with. undefined for orders that go by no provider.
 */
export async function swappedOnce(
  { world }: Desk,
  { id, direction }: Order,
  signed: readonly Signed[],
): Promise<Swapped | undefined> {
  const swap = swapOf(direction);
  if (!swap) return undefined;
  const [first] = signed.filter(({ name }) => name.startsWith(`${id}:fund:`));
  const { depositAddress, amountIn, delivered, refunds } = providersBook(world, first?.to ?? `${id} paid nobody`);
  const funded = await world.arbitrum.received(swap.from, depositAddress);
  const amounts = funded.transfers.map(({ amount }) => amount);
  assert.deepEqual(amounts, [amountIn], `the provider of ${id} was to be funded with ${amountIn} once`);
  assert.deepEqual(refunds, [], `the provider of ${id} gave something back`);

  const { txHash, atoms } = present(delivered, `what the provider of ${id} delivered`);
  const came = await world.arbitrum.received(swap.to, world.hot.evm);
  const shown = came.transfers.filter((one) => one.txHash === txHash).map(({ amount }) => amount);
  assert.deepEqual(shown, [atoms], `our account was to show what ${id} got from its provider`);
  const taken = await world.db.query(TAKEN, [`${id}:`]);
  const once = [{ deal: `${id}:0`, tx_hash: txHash, atoms: String(atoms) }];
  assert.deepEqual(taken, once, `what came for ${id} was to settle its deal, and no other`);
  const credits = await world.db.query(CREDITED, [`order:${id}`, onArbitrum(swap.to)]);
  const asItCame = [{ asset: onArbitrum(swap.to), atoms: String(atoms) }];
  assert.deepEqual(credits, asItCame, `${id} was to be credited with what came for it, once`);
  return { depositAddress, amountIn };
}
