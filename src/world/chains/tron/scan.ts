import { ReplyTooLarge } from '../../../kernel/fault.ts';
import type { Address } from '../../../kernel/ids.ts';
import { SCAN_BLOCKS_PER_PAGE } from '../../../kernel/limits.ts';
import { bundled } from '../bundled.ts';
import type { BlockRef, ScanCursor, ScanPage, Sighting, Watched } from '../chain.ts';
import { follow, type ReadBlock } from '../following.ts';
import type { TronNode } from './node.ts';
import type { NodeBlock, NodeInfo } from './node-shapes.ts';
import { tronFault } from './reply.ts';
import { type Movement, movementsOf, sightingOf } from './transfers.ts';

/** A usual block is half a megabyte of JSON; where ten of them are too much, fewer are asked for. */
const BLOCKS_PER_CALL = 10;

interface Moved {
  readonly block: BlockRef;
  readonly movement: Movement;
}

export async function scanBlocks(
  node: TronNode,
  contracts: ReadonlySet<Address>,
  cursor: ScanCursor | undefined,
  watched: Watched,
): Promise<ScanPage> {
  const heads = await node.heads();
  const { first, last, after } = await follow(node, heads.tip, cursor, SCAN_BLOCKS_PER_PAGE);
  const line: ReadBlock[] = [];
  const moved: Moved[] = [];
  for (let next = first; next <= last; next += BLOCKS_PER_CALL) {
    const blocks = await blocksBetween(node, next, Math.min(last, next + BLOCKS_PER_CALL - 1));
    moved.push(...(await Promise.all(blocks.map((block) => movedIn(node, contracts, block)))).flat());
    line.push(...blocks.map(({ height, hash, parentHash }) => ({ height, hash, parentHash })));
  }
  return { ...after(line), heads, sightings: await sightingsOf(moved, watched), pool: [] };
}

/** Both ends included; halved as often as it takes, since anybody can pay for large blocks. */
async function blocksBetween(node: TronNode, first: number, last: number): Promise<readonly NodeBlock[]> {
  try {
    return await node.blocks(first, last);
  } catch (error) {
    if (!(error instanceof ReplyTooLarge) || first === last) throw error;
  }
  const middle = Math.floor((first + last) / 2);
  return [...(await blocksBetween(node, first, middle)), ...(await blocksBetween(node, middle + 1, last))];
}

async function movedIn(node: TronNode, contracts: ReadonlySet<Address>, block: NodeBlock): Promise<readonly Moved[]> {
  const { height, hash, transactions } = block;
  const hasCalls = transactions.some(({ ask }) => ask?.kind === 'call');
  const infos = hasCalls ? await infosOf(node, block) : undefined;
  const movements = transactions.flatMap((tx) => movementsOf(contracts, tx, infos?.get(tx.hash)));
  return movements.map((movement) => ({ block: { height, hash }, movement }));
}

/**
 * Asked by height, since nodes know no other way: that it was this very block is told by its transactions and its time.
 * A node that lags or stands on another fork says "none" or tells of another block.
 */
async function infosOf(node: TronNode, block: NodeBlock): Promise<ReadonlyMap<string, NodeInfo>> {
  const infos = new Map((await node.infosAt(block.height)).map((info) => [info.hash as string, info]));
  const fits = block.transactions.every(({ hash }) => {
    const info = infos.get(hash);
    return info?.height === block.height && info.blockTime === block.time;
  });
  if (!fits) throw tronFault(`the node does not know what the transactions of block ${block.height} did`);
  return infos;
}

async function sightingsOf(moved: readonly Moved[], watched: Watched): Promise<readonly Sighting[]> {
  const candidates = new Set(moved.map(({ movement }) => movement.to));
  if (candidates.size === 0) return [];
  const ours = await watched([...candidates]);
  const arrived = moved.filter(({ movement: { from, to } }) => ours.has(to) && from !== to);
  const { apart, rest } = bundled(arrived.map(({ block, movement }) => sightingOf(movement, block)));
  return [...apart, ...rest];
}
