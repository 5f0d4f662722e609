import { Fault } from '../../../kernel/fault.ts';
import { txHash } from '../../../kernel/ids.ts';
import { SCAN_BLOCKS_PER_PAGE } from '../../../kernel/limits.ts';
import type { BlockRef, Heads, ScanCursor, ScanPage, Sighting, Watched } from '../chain.ts';
import { follow, mustStillStand, sightedBy } from '../following.ts';
import type { AddressBook } from './book.ts';
import type { ZcashNode } from './node.ts';
import { AT_ZCASH } from './reply-codec.ts';
import { ZEC_ASSET } from './rules.ts';
import type { WalletOutput, ZcashWallet } from './wallet.ts';

/** The wallet says what was paid to us, the node where it stands. Nothing counts on which the two do not agree. */
export interface ZcashScan {
  readonly node: ZcashNode;
  readonly wallet: ZcashWallet;
  readonly book: AddressBook;
  heads(tip: BlockRef): Heads;
}

/** Blocks may come between two questions; more often than this in a row is a server in trouble. */
const ATTEMPTS = 3;

export async function scanPage(deps: ZcashScan, cursor: ScanCursor | undefined, watched: Watched): Promise<ScanPage> {
  const { node, wallet } = deps;
  // Asked before the tip: what leaves the pool later is in a block that the wallet has read by then, or in one above those of this page.
  const pool = await node.pool();
  const tip = await sharedTip(node, wallet);
  const { first, last, after } = await follow(node, tip.height, cursor, SCAN_BLOCKS_PER_PAGE);
  const blocks = await node.blocks(first, last);
  const page = after(blocks);
  const found = await mined(deps, blocks);
  // While more blocks wait to be read nothing is looked for above them: it may be more than fits a page, and what waited still does.
  if (!page.more) found.push(...(await waiting(deps, last, pool)));
  await mustStillStand(node, tip);
  const ours = await sightedBy(watched, found);
  return { ...page, ...ours, pool: page.more ? undefined : ours.pool, heads: deps.heads(tip) };
}

/** The newest block, once the wallet has read the chain up to that very block. */
export async function sharedTip(node: ZcashNode, wallet: ZcashWallet): Promise<BlockRef> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    // Both at once: between two slow answers there is always another block.
    const [seen, tip] = await Promise.all([wallet.tip(), node.tip()]);
    if (seen?.hash === tip.hash) return tip;
  }
  throw new Fault('transient', AT_ZCASH, 'the wallet does not follow the node');
}

async function mined({ node, wallet, book }: ZcashScan, blocks: readonly BlockRef[]): Promise<Sighting[]> {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (!first || !last) return [];
  const sightings: Sighting[] = [];
  // A transaction may have thousands of outputs, and the node is asked about it once.
  const heights = new Map<string, number | undefined>();
  for (const output of await wallet.received(first.height, last.height)) {
    const { txid } = output;
    if (!heights.has(txid)) heights.set(txid, (await node.find(txid))?.height);
    const block = blocks.find(({ height }) => height === output.height);
    if (!block || heights.get(txid) !== block.height)
      throw new Fault('transient', AT_ZCASH, `the wallet and the node disagree about ${txid}`);
    sightings.push(...(await sightingOf(book, output, block)));
  }
  return sightings;
}

/**
 * The wallet remembers what it saw; only what the node holds waits: in the pool, as it was before the page was read or as it is after it,
 * or in a block that came in between. The node is asked the same however much there is. What waits is shown and never credited, so the
 * wallet's word for such a block is enough.
 */
async function waiting(
  { node, wallet, book }: ZcashScan,
  upTo: number,
  poolBefore: ReadonlySet<string>,
): Promise<readonly Sighting[]> {
  const outputs = await wallet.above(upTo);
  if (outputs.length === 0) return [];
  const poolAfter = await node.pool();
  const sightings: Sighting[] = [];
  for (const output of outputs) {
    const isHeld = output.height === undefined ? poolBefore.has(output.txid) || poolAfter.has(output.txid) : true;
    if (isHeld) sightings.push(...(await sightingOf(book, output, undefined)));
  }
  return sightings;
}

/** Whether by its unified or by its transparent form, the sighting names the address as it was issued. */
async function sightingOf(book: AddressBook, output: WalletOutput, block: BlockRef | undefined): Promise<Sighting[]> {
  const { key, atoms, txid } = output;
  const address = await book.resolve(output.address);
  if (!address) return [];
  return [{ key, address, asset: ZEC_ASSET.id, atoms, txHash: txHash(txid), block, sender: undefined }];
}
