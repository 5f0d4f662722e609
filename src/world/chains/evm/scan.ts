import type { Address } from '../../../kernel/ids.ts';
import { SCAN_BLOCKS_PER_PAGE } from '../../../kernel/limits.ts';
import { bundled } from '../bundled.ts';
import type { BlockRef, ChainFacts, Expecting, ScanCursor, ScanPage, Sighting, Watched } from '../chain.ts';
import { follow } from '../following.ts';
import { evmContractOf } from './codec.ts';
import { CALLS_AT_ONCE, coinMovements, inParallel } from './coins.ts';
import { innerSightings } from './inner.ts';
import { isTooMuchAsked } from './log-limits.ts';
import { type EvmNode, type NodeBlock, type NodeLog, whereKept } from './node.ts';
import { type Movement, payeeOf, tokenMovements } from './transfers.ts';
import { unlistedMovements } from './unlisted.ts';
import { lookBack, spansBelow, withSpan } from './unlooked.ts';

/** A page with so many transfers ends there: whoever fills blocks with them shall not fill our memory. */
const TRANSFERS_PER_PAGE = 50_000;

interface ReadBlock {
  readonly block: NodeBlock;
  /** Every Transfer in it, of whatever token. */
  readonly logs: readonly NodeLog[];
}

/** What is scanned for: the chain's assets, and for others at every address of ours but the hot one. */
interface Ours {
  readonly facts: ChainFacts;
  readonly hotAddress: Address;
}

export async function scanBlocks(
  node: EvmNode,
  ours: Ours,
  cursor: ScanCursor | undefined,
  watched: Watched,
  expecting: Expecting,
): Promise<ScanPage> {
  const heads = await node.heads();
  const stretch = await follow(node, heads.tip, cursor, SCAN_BLOCKS_PER_PAGE);
  const contracts = ours.facts.assets.flatMap(({ id }) => evmContractOf(id) ?? []);
  const blocks = await readBlocks(node, contracts, stretch.first, stretch.last);
  const page = stretch.after(blocks.map(({ block }) => block));
  const seen = await sightingsIn(node, ours, stretch.start, blocks, watched, expecting);
  const { height: after } = stretch.start;
  const known = spansBelow(cursor?.unlooked ?? [], after);
  const unlooked = seen.isLooked ? known : withSpan(known, { after, to: page.cursor.height });
  // Whoever is behind has blocks to read that may hold more.
  const back = page.more ? { sightings: [], left: unlooked } : await lookBack(node, ours, unlooked, expecting);
  return {
    ...page,
    cursor: back.left.length > 0 ? { ...page.cursor, unlooked: back.left } : page.cursor,
    heads,
    sightings: [...seen.sightings, ...back.sightings],
    pool: [],
  };
}

async function readBlocks(
  node: EvmNode,
  contracts: readonly Address[],
  from: number,
  to: number,
): Promise<readonly ReadBlock[]> {
  const blocks: ReadBlock[] = [];
  let transfers = 0;
  for (let next = from; next <= to && transfers < TRANSFERS_PER_PAGE; next += CALLS_AT_ONCE) {
    const heights = Array.from({ length: Math.min(CALLS_AT_ONCE, to - next + 1) }, (_, i) => next + i);
    const read = await Promise.all(heights.map((height) => readBlock(node, contracts, height)));
    transfers += read.reduce((sum, { block, logs }) => sum + block.transactions.length + logs.length, 0);
    blocks.push(...read);
  }
  return blocks;
}

async function readBlock(node: EvmNode, contracts: readonly Address[], height: number): Promise<ReadBlock> {
  const block = await node.block(height);
  if (!block) throw node.fault(`the node has no block ${height}`);
  return { block, logs: block.hasLogs ? await transferLogsIn(node, contracts, block) : [] };
}

/**
 * Of all tokens; a block with more transfers than one reply holds is somebody's spam, and is read for ours alone. For a dollar or two
 * anybody can fill a block of a cheap network with transfers of ours, too: then its transactions are asked for theirs one by one.
 */
async function transferLogsIn(
  node: EvmNode,
  contracts: readonly Address[],
  { hash, transactions }: NodeBlock,
): Promise<readonly NodeLog[]> {
  const all = await unlessTooMuch(node.transferLogs(hash));
  const ours = all ?? (await unlessTooMuch(node.transferLogs(hash, { contracts })));
  return ours ?? (await inParallel(transactions, (tx) => node.transferLogsOf(tx.hash, hash, contracts))).flat();
}

async function unlessTooMuch<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isTooMuchAsked(error)) return undefined;
    throw error;
  }
}

async function sightingsIn(
  node: EvmNode,
  { facts, hotAddress }: Ours,
  start: BlockRef,
  blocks: readonly ReadBlock[],
  watched: Watched,
  expecting: Expecting,
): Promise<{ readonly sightings: readonly Sighting[]; readonly isLooked: boolean }> {
  if (blocks.length === 0) return { sightings: [], isLooked: true };
  const candidates = [...new Set(blocks.flatMap((block) => payeesOf(node, block)))];
  // Asked after the blocks were read: who is paid in them was told the address before.
  const [known, expected] = await Promise.all([candidates.length > 0 ? watched(candidates) : [], expecting()]);
  const ours = new Set([...known, ...expected]);
  if (ours.size === 0) return { sightings: [], isLooked: true };
  const listed = new Set(facts.assets.map(({ id }) => id));
  const found = await inParallel(blocks, async ({ block, logs }) => {
    const tokens = tokenMovements(facts.id, block.transactions, logs, ours);
    const paying = block.transactions.filter(({ to }) => to && ours.has(to));
    const coins = await coinMovements(node, facts.id, block, paying);
    const sighted = [
      ...coins,
      ...tokens.filter(({ asset }) => listed.has(asset)),
      ...unlistedMovements(tokens, listed, hotAddress),
    ];
    const { apart, rest } = bundled(await inParallel(sighted, (one) => sightingOf(node, block, one)));
    return { block, coins, sightings: [...apart, ...rest] };
  });
  const inner = await whereKept(innerSightings(node, { id: facts.id, hotAddress }, start, found, expected));
  return {
    sightings: [...found.flatMap(({ sightings }) => sightings), ...(inner ?? [])],
    isLooked: inner !== undefined,
  };
}

function payeesOf(node: EvmNode, { block, logs }: ReadBlock): readonly Address[] {
  const coins = block.transactions.flatMap(({ to, value }) => (to && value > 0n ? [to] : []));
  const tokens = new Set(logs.map(payeeOf).filter((payee) => payee !== undefined));
  return [...coins, ...[...tokens].map((payee) => node.address(payee))];
}

async function sightingOf(node: EvmNode, block: BlockRef, movement: Movement): Promise<Sighting> {
  const { key, txHash, asset, atoms, from, to, isDirect } = movement;
  const sender = isDirect && (await node.isPlainAccount(from)) ? from : undefined;
  return { key, address: to, asset, atoms, txHash, block: { height: block.height, hash: block.hash }, sender };
}
