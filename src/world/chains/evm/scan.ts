import { present } from '../../../kernel/assert.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Address, TxHash } from '../../../kernel/ids.ts';
import { REORG_MEMORY_BLOCKS, SCAN_BLOCKS_PER_PAGE } from '../../../kernel/limits.ts';
import type { BlockRef, ChainFacts, ScanCursor, ScanPage, Sighting, Watched } from '../chain.ts';
import { evmContractOf } from './codec.ts';
import type { EvmNode, NodeBlock, NodeTx } from './node.ts';
import { type Movement, movementsOf, partiesOf } from './transfers.ts';

/** Calls under way at once: enough to hide the distance to a node, few enough for a public one. */
const CALLS_AT_ONCE = 8;

/** A block, and for each address that something in it pays, the transactions that do. */
interface ReadBlock {
  readonly block: NodeBlock;
  readonly payees: ReadonlyMap<Address, ReadonlySet<TxHash>>;
}

export function contractsOf(facts: ChainFacts): ReadonlySet<Address> {
  return new Set(facts.assets.flatMap(({ id }) => evmContractOf(id) ?? []));
}

export async function scanBlocks(
  node: EvmNode,
  facts: ChainFacts,
  cursor: ScanCursor | undefined,
  watched: Watched,
): Promise<ScanPage> {
  const heads = await node.heads();
  if (!cursor) return { ...(await startingPage(node, heads.tip)), heads };
  // A node that is behind knows less, not better: what it lacks is no reorganisation.
  if (heads.tip < cursor.height) throw node.fault(`the node is at ${heads.tip}, the scan at ${cursor.height}`);
  const known = cursor.recent.length > 0 ? await commonAncestor(node, cursor) : [await blockAt(node, cursor.height)];
  const from = present(known.at(-1), 'a common ancestor').height;
  const to = Math.min(heads.tip, from + SCAN_BLOCKS_PER_PAGE);
  const blocks = await readBlocks(node, contractsOf(facts), from + 1, to);
  const recent = chained(node, known, blocks).slice(-REORG_MEMORY_BLOCKS);
  return {
    cursor: { height: to, recent },
    heads,
    rewoundTo: from < cursor.height ? from : undefined,
    sightings: await sightingsIn(node, facts, blocks, watched),
    pool: [],
    more: to < heads.tip,
  };
}

async function startingPage(node: EvmNode, height: number): Promise<Omit<ScanPage, 'heads'>> {
  const cursor = { height, recent: [await blockAt(node, height)] };
  return { cursor, rewoundTo: undefined, sightings: [], pool: [], more: false };
}

async function blockAt(node: EvmNode, height: number): Promise<BlockRef> {
  const hash = await node.hashAt(height);
  if (!hash) throw node.fault(`the node has no block ${height}`);
  return { height, hash };
}

/** The remembered blocks that still stand. */
async function commonAncestor(node: EvmNode, { height, recent }: ScanCursor): Promise<readonly BlockRef[]> {
  for (let length = recent.length; length > 0; length -= 1) {
    const newest = present(recent[length - 1], 'a remembered block');
    const { hash } = await blockAt(node, newest.height);
    if (hash === newest.hash) return recent.slice(0, length);
  }
  throw new Fault(
    'permanent',
    node.at,
    `no block remembered below ${height} stands: reorganised too deep, or a wrong node`,
  );
}

/** The blocks in one unbroken line behind the known ones; a break means that the chain moved while it was read. */
function chained(node: EvmNode, known: readonly BlockRef[], blocks: readonly ReadBlock[]): readonly BlockRef[] {
  const line = [...known];
  for (const { block } of blocks) {
    if (block.parentHash !== line.at(-1)?.hash) throw node.fault(`the chain moved under block ${block.height}`);
    line.push({ height: block.height, hash: block.hash });
  }
  return line;
}

async function readBlocks(
  node: EvmNode,
  contracts: ReadonlySet<Address>,
  from: number,
  to: number,
): Promise<readonly ReadBlock[]> {
  const heights = Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
  return inParallel(heights, async (height) => {
    const block = await node.block(height);
    if (!block) throw node.fault(`the node has no block ${height}`);
    const logs = block.hasLogs ? await node.transferLogs(block.hash, [...contracts]) : [];
    const payments = [
      ...block.transactions.map(({ hash, to, value }) => ({ hash, to: value > 0n ? to : undefined })),
      ...logs.map((log) => ({ hash: log.txHash, to: partiesOf(log)?.to })),
    ];
    return { block, payees: byPayee(payments) };
  });
}

function byPayee(
  payments: readonly { readonly hash: TxHash; readonly to: Address | undefined }[],
): ReadonlyMap<Address, ReadonlySet<TxHash>> {
  const payees = new Map<Address, Set<TxHash>>();
  for (const { hash, to } of payments) {
    if (to) payees.set(to, (payees.get(to) ?? new Set()).add(hash));
  }
  return payees;
}

async function sightingsIn(
  node: EvmNode,
  facts: ChainFacts,
  blocks: readonly ReadBlock[],
  watched: Watched,
): Promise<readonly Sighting[]> {
  const candidates = new Set(blocks.flatMap(({ payees }) => [...payees.keys()]));
  if (candidates.size === 0) return [];
  const ours = await watched([...candidates]);
  const found = await inParallel(blocks, async ({ block, payees }) => {
    const hashes = new Set([...ours].flatMap((address) => [...(payees.get(address) ?? [])]));
    const hits = block.transactions.filter(({ hash }) => hashes.has(hash));
    const movements = await movementsIn(node, facts, block, hits);
    return Promise.all(movements.filter(({ to }) => ours.has(to)).map((one) => sightingOf(node, block, one)));
  });
  return found.flat();
}

/** What these transactions of a block moved, by their receipts. */
export async function movementsIn(
  node: EvmNode,
  facts: ChainFacts,
  block: BlockRef,
  transactions: readonly NodeTx[],
): Promise<readonly Movement[]> {
  const contracts = contractsOf(facts);
  const movements = await inParallel(transactions, async (tx) => {
    const receipt = await node.receipt(tx.hash);
    if (receipt?.block.hash !== block.hash) throw node.fault(`the chain moved under ${tx.hash}`);
    return movementsOf(facts.id, contracts, tx, receipt);
  });
  return movements.flat();
}

async function sightingOf(node: EvmNode, block: BlockRef, movement: Movement): Promise<Sighting> {
  const { key, txHash, asset, atoms, from, to, isDirect } = movement;
  const sender = isDirect && (await node.isPlainAccount(from)) ? from : undefined;
  return { key, address: to, asset, atoms, txHash, block: { height: block.height, hash: block.hash }, sender };
}

/** All results in order, a bounded number of them under way at a time. */
async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += CALLS_AT_ONCE) {
    results.push(...(await Promise.all(items.slice(start, start + CALLS_AT_ONCE).map(work))));
  }
  return results;
}
