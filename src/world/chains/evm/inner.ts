import { atoms } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import { type Address, type ChainId, type TxHash, txHash } from '../../../kernel/ids.ts';
import type { BlockRef, Sighting } from '../chain.ts';
import { evmAsset } from './codec.ts';
import { coinsSent, inParallel } from './coins.ts';
import type { EvmNode, NodeBlock } from './node.ts';
import { isNetworkContract } from './rules.ts';
import type { Movement } from './transfers.ts';

/** A block with what its transactions openly paid of the network's own coin to addresses of ours. */
export interface CountedBlock {
  readonly block: NodeBlock;
  readonly coins: readonly Movement[];
}

/** Of all that came to an address in one block by no transaction of its own: the block names it, so it is one for ever. */
export const innerKey = ({ hash }: BlockRef, address: Address): string => `inner:${hash}:${address}`;

/**
 * Coins that a contract sent within another call leave no trace in blocks and logs, only in the balance: whatever it rose
 * by, over the blocks after `start`, and no transaction explains. An account falls by its own transactions alone, so what
 * is unexplained never falls, and halving the blocks finds each one in which it rose.
 */
export async function innerSightings(
  node: EvmNode,
  { id, hotAddress }: { readonly id: ChainId; readonly hotAddress: Address },
  start: BlockRef,
  blocks: readonly CountedBlock[],
  addresses: readonly Address[],
): Promise<readonly Sighting[]> {
  if (blocks.length === 0 || addresses.length === 0) return [];
  const told = await inParallel(blocks, (counted) => toldChanges(node, counted, new Set(addresses)));
  const refs = [start, ...blocks.map(({ block }) => block)];
  const span: Span = { node, refs, told };
  const [first, last] = await Promise.all([pointAt(span, 0, addresses), pointAt(span, blocks.length, addresses)]);
  const rises = await risesBetween(span, first, last, addresses);
  return rises.map(({ at, address, by }): Sighting => {
    const { block } = present(blocks[at - 1], 'a block of the page');
    const { height, hash } = block;
    return {
      key: innerKey(block, address),
      address,
      asset: evmAsset(id, undefined),
      atoms: atoms(by),
      txHash: likelySource(block, [...addresses, hotAddress]),
      block: { height, hash },
      sender: undefined,
    };
  });
}

interface Span {
  readonly node: EvmNode;
  /** The block before the first, and the blocks. */
  readonly refs: readonly BlockRef[];
  /** By how much the transactions of each block say that they changed a balance. */
  readonly told: readonly ReadonlyMap<Address, bigint>[];
}

interface Point {
  /** An index into `refs`. */
  readonly at: number;
  readonly balances: ReadonlyMap<Address, bigint>;
}

interface Rise {
  readonly at: number;
  readonly address: Address;
  readonly by: bigint;
}

async function pointAt({ node, refs }: Span, at: number, addresses: readonly Address[]): Promise<Point> {
  return { at, balances: await node.coinBalances(addresses, present(refs[at], 'a block of the page').hash) };
}

const balanceIn = ({ balances }: Point, address: Address): bigint =>
  present(balances.get(address), `balance of ${address}`);

async function risesBetween(
  span: Span,
  low: Point,
  high: Point,
  addresses: readonly Address[],
): Promise<readonly Rise[]> {
  const told = span.told.slice(low.at, high.at);
  const risen = addresses.flatMap((address): Rise[] => {
    const explained = told.reduce((sum, changes) => sum + (changes.get(address) ?? 0n), 0n);
    const by = balanceIn(high, address) - balanceIn(low, address) - explained;
    return by > 0n ? [{ at: high.at, address, by }] : [];
  });
  if (risen.length === 0 || high.at - low.at === 1) return risen;
  const some = risen.map(({ address }) => address);
  const middle = await pointAt(span, Math.floor((low.at + high.at) / 2), some);
  return [...(await risesBetween(span, low, middle, some)), ...(await risesBetween(span, middle, high, some))];
}

async function toldChanges(
  node: EvmNode,
  { block, coins }: CountedBlock,
  addresses: ReadonlySet<Address>,
): Promise<ReadonlyMap<Address, bigint>> {
  const changes = new Map<Address, bigint>();
  for (const { to, atoms: paid } of coins) changes.set(to, (changes.get(to) ?? 0n) + paid);
  const senders = new Set(block.transactions.map(({ from }) => from).filter((from) => addresses.has(from)));
  for (const from of senders) changes.set(from, (changes.get(from) ?? 0n) - (await coinsSent(node, block, from)));
  return changes;
}

/**
 * The only transaction of the block that can have sent it, else the block itself: telling which takes a trace, and few
 * nodes give one. What we sent ourselves is never named, or what came would be taken for our own doing.
 */
function likelySource({ hash, transactions }: NodeBlock, ours: readonly Address[]): TxHash {
  const [only, ...others] = transactions.filter(({ from, to }) => from !== to && !(to && isNetworkContract(to)));
  return only && others.length === 0 && !ours.includes(only.from) ? only.hash : txHash(hash);
}
