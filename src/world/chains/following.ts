import { present } from '../../kernel/assert.ts';
import { Fault } from '../../kernel/fault.ts';
import { REORG_MEMORY_BLOCKS } from '../../kernel/limits.ts';
import type { AttemptStatus, BlockRef, ScanCursor, ScanPage, Sighting, Watched } from './chain.ts';

/** A chain's blocks as a node tells them. */
export interface Blocks {
  /** The counterparty as an operator knows it. */
  readonly at: string;
  /** Of the canonical chain; undefined where the node has no such block. */
  hashAt(height: number): Promise<string | undefined>;
}

/** A block that was read; its parent where it is told, so that a break in the line shows. */
export interface ReadBlock extends BlockRef {
  readonly parentHash?: string;
}

/** What of a chain is read next, and what a page over it says of the way. */
export interface Stretch {
  /** The newest block that we know and that still stands. */
  readonly start: BlockRef;
  /** Both included; none where `last` is below `first`. */
  readonly first: number;
  readonly last: number;
  /** The rest of the page, once these blocks were read; fewer than were wanted will do. */
  after(blocks: readonly ReadBlock[]): Pick<ScanPage, 'cursor' | 'rewoundTo' | 'more'>;
}

/** Goes on behind the cursor, or from the tip where there is none; a reorganisation takes it back to the common ancestor. */
export async function follow(
  blocks: Blocks,
  tip: number,
  cursor: ScanCursor | undefined,
  most: number,
): Promise<Stretch> {
  // A node that is behind knows less, not better: what it lacks is no reorganisation.
  if (cursor && tip < cursor.height) throw transient(blocks, `the node is at ${tip}, the scan at ${cursor.height}`);
  const known = cursor?.recent.length
    ? await standing(blocks, cursor)
    : await firstKnown(blocks, cursor ? cursor.height : tip);
  const start = present(known.at(-1), 'a common ancestor');
  return {
    start,
    first: start.height + 1,
    last: Math.min(tip, start.height + most),
    after(read) {
      const line = chained(blocks, known, read);
      const { height } = present(line.at(-1), 'the last block');
      return {
        cursor: { height, recent: line.slice(-REORG_MEMORY_BLOCKS) },
        rewoundTo: cursor && start.height < cursor.height ? start.height : undefined,
        more: height < tip,
      };
    },
  };
}

export async function blockAt(blocks: Blocks, height: number): Promise<BlockRef> {
  const hash = await blocks.hashAt(height);
  if (hash === undefined) throw transient(blocks, `the node has no block ${height}`);
  return { height, hash };
}

/**
 * Whether this very block is of the canonical chain. Only another block in its place says no: one that the node does not have
 * proves nothing, since a server that lags behind the others has none either.
 */
export async function isCanonical(blocks: Blocks, { height, hash }: BlockRef): Promise<boolean> {
  return (await blockAt(blocks, height)).hash === hash;
}

/** Only a block that still stands after all else was read makes sure that it was read from one and the same chain. */
export async function mustStillStand(blocks: Blocks, { height, hash }: BlockRef): Promise<void> {
  if ((await blocks.hashAt(height)) !== hash) throw transient(blocks, 'the chain was reorganised while it was read');
}

/** Confirmations after which a payout is called done, and after which it is settled. */
export interface PayoutDepths {
  readonly payoutConfirmations: number;
  readonly settledConfirmations: number;
}

/** Where something in the block at `height` stands, under a tip that was read before. */
export async function minedAt(
  blocks: Blocks,
  height: number,
  tip: BlockRef,
  { payoutConfirmations: need, settledConfirmations }: PayoutDepths,
): Promise<Pick<Mined, 'block' | 'depth' | 'settled'>> {
  const block = await blockAt(blocks, height);
  const have = Math.max(1, tip.height - height + 1);
  // Asked last: what was read is of one chain only if the tip still stands.
  const settled = have >= settledConfirmations && (await blocks.hashAt(tip.height)) === tip.hash;
  return { block, depth: { have, need }, settled };
}

type Mined = Extract<AttemptStatus, { state: 'mined' }>;

/** The rest of a page on which both blocks and pool were looked through, of which only what was paid to us is told. */
export async function sightedBy(
  watched: Watched,
  found: readonly Sighting[],
): Promise<{ readonly sightings: readonly Sighting[]; readonly pool: readonly string[] }> {
  const ours = await watched([...new Set(found.map(({ address }) => address))]);
  const sightings = found.filter(({ address }) => ours.has(address));
  return { sightings, pool: sightings.filter(({ block }) => !block).map(({ key }) => key) };
}

/** So that the first reorganisation finds an ancestor: the block itself and a few below it, further and further apart. */
async function firstKnown(blocks: Blocks, height: number): Promise<readonly BlockRef[]> {
  const known: BlockRef[] = [];
  for (let below = 0; below < REORG_MEMORY_BLOCKS && below <= height; below = 2 * below + 1) {
    known.unshift(await blockAt(blocks, height - below));
  }
  return known;
}

/** The remembered blocks that still stand. Where one does, all below it do: the newest is found by halving. */
async function standing(blocks: Blocks, { height, recent }: ScanCursor): Promise<readonly BlockRef[]> {
  const stands = async (length: number): Promise<boolean> => {
    const block = present(recent[length - 1], 'a remembered block');
    return (await blockAt(blocks, block.height)).hash === block.hash;
  };
  if (await stands(recent.length)) return recent;
  let [low, high] = [0, recent.length];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await stands(middle)) low = middle;
    else high = middle;
  }
  if (low > 0) return recent.slice(0, low);
  const why = `no block remembered below ${height} stands: reorganised too deep, or a wrong node`;
  throw new Fault('permanent', blocks.at, why);
}

/** The blocks in one unbroken line behind the known ones; a break means that the chain moved while it was read. */
function chained(blocks: Blocks, known: readonly BlockRef[], read: readonly ReadBlock[]): readonly BlockRef[] {
  const line = [...known];
  for (const { height, hash, parentHash } of read) {
    if (parentHash !== undefined && parentHash !== line.at(-1)?.hash)
      throw transient(blocks, `the chain moved under block ${height}`);
    line.push({ height, hash });
  }
  return line;
}

const transient = (blocks: Blocks, message: string): Fault => new Fault('transient', blocks.at, message);
