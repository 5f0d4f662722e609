import { Fault } from '../../../kernel/fault.ts';
import type { BlockRef, Heads, ScanCursor, ScanPage, Sighting, Watched } from '../chain.ts';
import { blockAt } from '../following.ts';
import type { NodeBlock, SolanaNode } from './node.ts';
import { payeesOf, sightingsIn } from './transfers.ts';

/** Blocks are large and come every 400 ms: a page is a few seconds of the chain and some ten megabytes. */
const BLOCKS_PER_PAGE = 16;
/** Calls under way at once: enough to keep up with the chain, few enough for a public node. */
const CALLS_AT_ONCE = 4;

/** Only final blocks are read: nothing that was seen is ever taken back, and there is no pool. */
export async function scanSlots(node: SolanaNode, cursor: ScanCursor | undefined, watched: Watched): Promise<ScanPage> {
  const final = await node.finalSlot();
  const heads: Heads = { tip: final, safe: final, finalized: final };
  if (!cursor) return pageOf({ height: final, recent: [await blockAt(node, final)] }, heads, []);
  // A node that is behind knows less, not better.
  if (final < cursor.height) throw node.fault(`the node is at ${final}, the scan at ${cursor.height}`);
  const known = cursor.recent.at(-1);
  if (known) await expectSame(node, known);

  const slots = (await node.blocksAfter(cursor.height, BLOCKS_PER_PAGE)).filter((slot) => slot <= final);
  const blocks = await readBlocks(node, slots);
  expectUnbroken(node, known, blocks);
  // The cursor stands on a block, never on a slot that seems empty: the next block may tell otherwise.
  const last = blocks.at(-1);
  const next = last ? { height: last.height, recent: [{ height: last.height, hash: last.hash }] } : cursor;
  return pageOf(next, heads, await sightingsOf(blocks, watched));
}

function pageOf(cursor: ScanCursor, heads: Heads, sightings: readonly Sighting[]): ScanPage {
  return { cursor, heads, rewoundTo: undefined, sightings, pool: [], more: cursor.height < heads.tip };
}

/** Final blocks are never replaced: another hash means another network, and nothing it says may be credited. */
async function expectSame(node: SolanaNode, { height, hash }: BlockRef): Promise<void> {
  const told = (await blockAt(node, height)).hash;
  if (told !== hash) throw new Fault('permanent', node.at, `block ${height} was final as ${hash}, now it is ${told}`);
}

/** A slot may have no block, but a parent between two blocks that were read is one that the node left out. */
function expectUnbroken(node: SolanaNode, known: BlockRef | undefined, blocks: readonly NodeBlock[]): void {
  let before = known?.height;
  for (const { height, parentHeight } of blocks) {
    if (before !== undefined && parentHeight > before && parentHeight < height)
      throw node.fault(`the node left out block ${parentHeight}`);
    before = height;
  }
}

async function readBlocks(node: SolanaNode, slots: readonly number[]): Promise<readonly NodeBlock[]> {
  const blocks: NodeBlock[] = [];
  for (let start = 0; start < slots.length; start += CALLS_AT_ONCE) {
    const batch = slots.slice(start, start + CALLS_AT_ONCE);
    blocks.push(...(await Promise.all(batch.map((slot) => node.block(slot)))));
  }
  return blocks;
}

async function sightingsOf(blocks: readonly NodeBlock[], watched: Watched): Promise<readonly Sighting[]> {
  const payees = new Set(blocks.flatMap(({ transactions }) => transactions.flatMap(payeesOf)));
  if (payees.size === 0) return [];
  const ours = await watched([...payees]);
  if (ours.size === 0) return [];
  return blocks.flatMap((block) => block.transactions.flatMap((tx) => sightingsIn(tx, block, ours)));
}
