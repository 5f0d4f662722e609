import type { Address, ChainId } from '../../../kernel/ids.ts';
import type { BlockRef } from '../chain.ts';
import type { EvmNode, NodeBlock, NodeTx } from './node.ts';
import { coinMovement, type Movement } from './transfers.ts';

/** Calls under way at once: enough to hide the distance to a node, few enough for a public one. */
export const CALLS_AT_ONCE = 8;

/** What these transactions of a block paid of the network's own coin: nothing, where they failed. */
export async function coinMovements(
  node: EvmNode,
  chain: ChainId,
  block: BlockRef,
  transactions: readonly NodeTx[],
): Promise<readonly Movement[]> {
  const movements = await inParallel(transactions, async (tx) => {
    const movement = coinMovement(chain, tx);
    if (!movement) return [];
    const receipt = await receiptIn(node, block, tx);
    return receipt.ok ? [movement] : [];
  });
  return movements.flat();
}

/** What an address gave away in a block by its own transactions, fees included. */
export async function coinsSent(node: EvmNode, block: NodeBlock, address: Address): Promise<bigint> {
  let sum = 0n;
  for (const tx of block.transactions.filter(({ from }) => from === address)) {
    const { cost, ok } = await receiptIn(node, block, tx);
    sum += cost + (ok && tx.to !== address ? tx.value : 0n);
  }
  return sum;
}

async function receiptIn(node: EvmNode, block: BlockRef, { hash }: NodeTx) {
  const receipt = await node.receipt(hash);
  if (receipt?.block.hash !== block.hash) throw node.fault(`the chain moved under ${hash}`);
  return receipt;
}

/** All results in order, a bounded number of them under way at a time. */
export async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += CALLS_AT_ONCE) {
    results.push(...(await Promise.all(items.slice(start, start + CALLS_AT_ONCE).map(work))));
  }
  return results;
}
