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
  const tip = await sharedTip(node, wallet);
  const { first, last, after } = await follow(node, tip.height, cursor, SCAN_BLOCKS_PER_PAGE);
  const blocks = await node.blocks(first, last);
  const found = [...(await mined(deps, blocks)), ...(await waiting(deps, last))];
  await mustStillStand(node, tip);
  return { ...after(blocks), ...(await sightedBy(watched, found)), heads: deps.heads(tip) };
}

/** The newest block, once the wallet has read the chain up to that very block. */
export async function sharedTip(node: ZcashNode, wallet: ZcashWallet): Promise<BlockRef> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const seen = await wallet.tip();
    const tip = await node.tip();
    if (seen?.hash === tip.hash) return tip;
  }
  throw new Fault('transient', AT_ZCASH, 'the wallet does not follow the node');
}

async function mined({ node, wallet, book }: ZcashScan, blocks: readonly BlockRef[]): Promise<readonly Sighting[]> {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (!first || !last) return [];
  const sightings: Sighting[] = [];
  for (const output of await wallet.received(first.height, last.height)) {
    const found = await node.find(output.txid);
    const block = blocks.find(({ height }) => height === output.height);
    if (!block || found?.height !== block.height)
      throw new Fault('transient', AT_ZCASH, `the wallet and the node disagree about ${output.txid}`);
    sightings.push(...(await sightingOf(book, output, block)));
  }
  return sightings;
}

/**
 * The wallet remembers what it saw; only what the node holds now waits: in the pool, or in a block above those that were read, for one
 * may come between two questions.
 */
async function waiting({ node, wallet, book }: ZcashScan, upTo: number): Promise<readonly Sighting[]> {
  const outputs = await wallet.above(upTo);
  if (outputs.length === 0) return [];
  const pool = await node.pool();
  const isHeld = async ({ txid }: WalletOutput) => pool.has(txid) || ((await node.find(txid))?.height ?? 0) > upTo;
  const held = outputs.map(async (output) => ((await isHeld(output)) ? sightingOf(book, output, undefined) : []));
  return (await Promise.all(held)).flat();
}

/** Whether by its unified or by its transparent form, the sighting names the address as it was issued. */
async function sightingOf(book: AddressBook, output: WalletOutput, block: BlockRef | undefined): Promise<Sighting[]> {
  const { key, atoms, txid } = output;
  const address = await book.resolve(output.address);
  if (!address) return [];
  return [{ key, address, asset: ZEC_ASSET.id, atoms, txHash: txHash(txid), block, sender: undefined }];
}
