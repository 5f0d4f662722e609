import { Fault } from '../../../kernel/fault.ts';
import {
  SCAN_BLOCKS_PER_PAGE,
  SCAN_POOL_PER_PAGE,
  SCAN_TRANSACTIONS_PER_PAGE,
  SCAN_TRIES_PER_PAGE,
} from '../../../kernel/limits.ts';
import { nextTurn } from '../../outbound/next-turn.ts';
import type { BlockRef, Heads, OutOfReach, ScanCursor, ScanPage, Sighting, Watched } from '../chain.ts';
import { follow, mustStillStand, sightedBy } from '../following.ts';
import { type Daemon, type FoundTx, type Header, TRANSACTIONS_PER_CALL } from './daemon.ts';
import { isLockedTooLong, LEAST_TOLD, lockedWords } from './lock.ts';
import type { Opened, OpenOutputs } from './open-outputs.ts';
import { triesOf } from './output-codec.ts';
import { AT_MONERO } from './reply.ts';

/**
 * The daemon tells what is in the blocks and in the pool, and the view key opens what is ours: the work grows with blocks,
 * not with addresses. An output is keyed by its one-time public key, in the pool as in a block.
 */
export interface MoneroScan {
  readonly daemon: Daemon;
  readonly open: OpenOutputs;
  heads(tip: BlockRef): Heads;
}

export async function scanPage(deps: MoneroScan, cursor: ScanCursor | undefined, watched: Watched): Promise<ScanPage> {
  const { daemon, open } = deps;
  // Asked before the tip: what is mined meanwhile is in the blocks, and vanishes from nowhere in between.
  const pool = await daemon.pool();
  const tip = await daemon.tip();
  const { start, first, last, after } = await follow(daemon, tip.height, cursor, SCAN_BLOCKS_PER_PAGE);
  const listed = await listedBlocks(daemon, first, last);
  const mined = minedIn(listed);
  open.keep(new Set([...mined.keys(), ...pool]));
  const findings: Findings = { seen: new Map(), locked: new Map(), kept: new Map(), tries: 0 };
  const blocks = await readBlocks(deps, listed, mined, findings);
  const page = after(blocks);
  const upTo = blocks.at(-1)?.height ?? start.height;
  // Blocks come first: while more of them wait, nobody looks at the pool.
  const isAll = !page.more && (await readPool(deps, waitingIn(open, mined, pool), findings, upTo, tip.height));
  await mustStillStand(daemon, tip);
  const { seen, kept } = findings;
  const ours = await sightedBy(watched, [...seen.values(), ...kept.keys()]);
  return {
    ...page,
    pool: isAll ? ours.pool : undefined,
    sightings: ours.sightings.filter((one) => !kept.has(one)),
    outOfReach: ours.sightings.flatMap((one) => toldOf(one, kept.get(one))),
    heads: deps.heads(tip),
  };
}

const toldOf = (one: Sighting, why: string | undefined): readonly OutOfReach[] =>
  why !== undefined && one.atoms >= LEAST_TOLD ? [{ ...one, why }] : [];

interface ListedBlock extends Header {
  readonly hashes: readonly string[];
}

/** Fewer than were wanted, where they are full. */
async function listedBlocks(daemon: Daemon, first: number, last: number): Promise<readonly ListedBlock[]> {
  const blocks: ListedBlock[] = [];
  let listed = 0;
  for (const header of await daemon.blocks(first, last)) {
    if (listed >= SCAN_TRANSACTIONS_PER_PAGE) break;
    const hashes = [header.coinbase, ...(await daemon.paymentsIn(header))];
    blocks.push({ ...header, hashes });
    listed += hashes.length;
  }
  return blocks;
}

/** By the hash of a transaction, the oldest first: the block that lists it. */
type Mined = ReadonlyMap<string, BlockRef>;

function minedIn(blocks: readonly ListedBlock[]): Mined {
  const where = new Map<string, BlockRef>();
  for (const { height, hash, hashes } of blocks) for (const one of hashes) where.set(one, { height, hash });
  return where;
}

/** First what is known to pay us, so that it is looked at on every page, and then what nobody has opened. */
function waitingIn(open: OpenOutputs, mined: Mined, pool: readonly string[]): ReadonlyMap<string, undefined> {
  const waiting = pool.filter((hash) => !mined.has(hash));
  const known = waiting.filter((hash) => open.isOpened(hash));
  const fresh = waiting.filter((hash) => !open.isOpened(hash));
  return new Map([...known, ...fresh].map((hash) => [hash, undefined]));
}

/** What a page has found so far. */
interface Findings {
  readonly seen: Map<string, Sighting>;
  /** What is locked for so long that no order waits for it. */
  readonly locked: Map<string, Sighting>;
  /** What is in a block and cannot be taken from there, and what keeps it. */
  readonly kept: Map<Sighting, string>;
  tries: number;
}

async function opened({ open }: MoneroScan, findings: Findings, found: FoundTx): Promise<Opened> {
  if (!open.isOpened(found.hash)) findings.tries += triesOf(found.tx);
  return open.of(found);
}

/** Each to its end, and no more once they took as many tries as fit a page: those that are left over come with the next one. */
async function readBlocks(
  deps: MoneroScan,
  listed: readonly ListedBlock[],
  mined: Mined,
  findings: Findings,
): Promise<readonly ListedBlock[]> {
  const { seen, locked, kept } = findings;
  let reading: BlockRef | undefined;
  for await (const { found, block } of shown(deps, mined)) {
    if (block.height !== reading?.height && findings.tries >= SCAN_TRIES_PER_PAGE)
      return listed.filter(({ height }) => height < block.height);
    reading = block;
    const { paid, unread } = await opened(deps, findings, found);
    const isLocked = isLockedTooLong(found.tx, block.height);
    // Whoever uses a one-time key again can spend one of the outputs only: the first is the deposit.
    for (const output of paid.filter(({ key }) => !seen.has(key) && !locked.has(key))) {
      if (isLocked) kept.set({ ...output, block }, lockedWords(found.tx));
      (isLocked ? locked : seen).set(output.key, { ...output, block });
    }
    for (const output of unread) kept.set({ ...output, block }, UNREAD);
  }
  return listed;
}

/** Whether nothing of the pool is left for the pages after this one. */
async function readPool(
  deps: MoneroScan,
  waiting: ReadonlyMap<string, undefined>,
  findings: Findings,
  upTo: number,
  tip: number,
): Promise<boolean> {
  const { seen, locked } = findings;
  let fresh = 0;
  for await (const { found } of shown(deps, waiting)) {
    if (!deps.open.isOpened(found.hash)) {
      if (fresh === SCAN_POOL_PER_PAGE || findings.tries >= SCAN_TRIES_PER_PAGE) return false;
      // What is not remembered comes again with every page, and must not take the turn of the rest.
      if (!found.tx.isOutdated) fresh += 1;
    }
    const { paid } = await opened(deps, findings, found);
    if (isHidden(found, upTo) || isLockedTooLong(found.tx, tip)) continue;
    for (const output of paid.filter(({ key }) => !seen.has(key) && !locked.has(key)))
      seen.set(output.key, { ...output, block: undefined });
  }
  return true;
}

const UNREAD = 'its sender wrote the key of the transaction where no wallet looks for it';

/** Another transaction in the pool contests it, or it is in a block that was read, which does not list it: the chain moves. */
const isHidden = ({ height, doubleSpendSeen }: FoundTx, upTo: number): boolean =>
  height === undefined ? doubleSpendSeen : height <= upTo;

interface Shown<Place> {
  readonly found: FoundTx;
  readonly block: Place;
}

/**
 * All that may pay us, a batch at a time. The page is not read again: what a block lists must be shown by the node, in that
 * very block, or the page is not taken. What was in the pool and is there no more is left out.
 */
async function* shown<Place extends BlockRef | undefined>(
  { daemon, open }: MoneroScan,
  where: ReadonlyMap<string, Place>,
): AsyncGenerator<Shown<Place>> {
  const wanted = [...where].filter(([hash]) => !open.paysNobody(hash));
  for (let at = 0; at < wanted.length; at += TRANSACTIONS_PER_CALL) {
    const batch = wanted.slice(at, at + TRANSACTIONS_PER_CALL);
    const answered = await daemon.transactions(batch.map(([hash]) => hash));
    const byHash = new Map(answered.map((found) => [found.hash, found]));
    for (const [hash, block] of batch) {
      const found = byHash.get(hash);
      if (block && found?.height !== block.height) throw notShown(hash, block);
      // Opening takes its time: others have their turn after each.
      await nextTurn();
      if (found) yield { found, block };
    }
  }
}

const notShown = (hash: string, { height }: BlockRef): Fault =>
  new Fault('transient', AT_MONERO, `block ${height} lists ${hash}, and the node does not show it there`);
