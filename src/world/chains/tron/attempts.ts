import { atoms } from '../../../kernel/amount.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Address } from '../../../kernel/ids.ts';
import type { AttemptStatus, SignedTransfer } from '../chain.ts';
import type { TronNode } from './node.ts';
import type { Header, NodeInfo } from './node-shapes.ts';
import { AT_TRON, tronFault } from './reply.ts';
import { depthAt, SOLIDIFIED_DEPTH } from './rules.ts';
import { movementsOf } from './transfers.ts';
import { decodeTron, type TronUnsigned } from './tx-codec.ts';

/** Errors are said, too, of bytes that the node has seen, even such as it did not keep, and of bytes whose time is over: `status` tells. */
export async function broadcastBytes(node: TronNode, { raw }: SignedTransfer): Promise<string | undefined> {
  const { code, message } = await node.send(raw);
  return code === 'SUCCESS' ? undefined : `${code} ${message}`;
}

/** A reference names the last two bytes of a height, so that it fits again every other day; older ones are not looked for. */
const REF_BLOCKS = 0x1_0000;
const MOST_LAPS = 20;
/** Consensus forbids a block after the expiration already; a minute more costs nothing. */
const MARGIN_MS = 60_000n;

/**
 * That our hash is not found proves nothing before its time is over. After that, no block that is still to come can take
 * it in, and all that came before are solidified and were asked: before we knew the time, and once more since.
 */
export async function attemptStatus(
  node: TronNode,
  contracts: ReadonlySet<Address>,
  signed: SignedTransfer,
): Promise<AttemptStatus> {
  const asked = decodeTron(signed.raw);
  const seen = await look(node, contracts, signed, asked);
  if (seen) return seen;
  const { height, time } = await node.newest('walletsolidity');
  if (BigInt(time) <= asked.expiration + MARGIN_MS || !(await keepsSince(node, asked, height)))
    return { state: 'unknown' };
  const again = await look(node, contracts, signed, asked);
  if (again) return again;
  return { state: 'dead', proof: `expired at ${asked.expiration}, before solidified block ${height} of ${time}` };
}

/** A network in use has no such row of blocks without a transaction. */
const MOST_EMPTY = 20;

/**
 * Whether the node still has the blocks in which the bytes could be, from the one that they refer to up to their expiration,
 * and what was done in them. A node that was started from a recent snapshot, or keeps no history, would not know them even
 * if they had paid.
 */
async function keepsSince(node: TronNode, asked: TronUnsigned, solidified: number): Promise<boolean> {
  const reference = await referredTo(node, asked, solidified);
  if (!reference) return false;
  const { height } = reference;
  const last = await lastBefore(node, asked.expiration, height, solidified);
  if (last === undefined) return false;
  for (let at = height; at <= last && at < height + MOST_EMPTY; at += 1) {
    const [tx] = (await node.blocks(at, at)).flatMap(({ transactions }) => transactions);
    if (tx) return (await node.info(tx.hash, 'wallet')) !== undefined;
  }
  return true;
}

/** The last block that could hold the bytes, found by halving; undefined where a block on the way to it is not there. */
async function lastBefore(node: TronNode, expiration: bigint, from: number, to: number): Promise<number | undefined> {
  let [low, high] = [from, to];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const header = await node.header(middle);
    if (!header) return undefined;
    if (BigInt(header.time) <= expiration) low = middle;
    else high = middle;
  }
  return low;
}

async function referredTo(node: TronNode, asked: TronUnsigned, solidified: number): Promise<Header | undefined> {
  const { refBlockBytes, refBlockHash } = asked;
  const below = (solidified - Number.parseInt(refBlockBytes, 16) + REF_BLOCKS) % REF_BLOCKS;
  for (
    let height = solidified - below;
    height >= 0 && height > solidified - REF_BLOCKS * MOST_LAPS;
    height -= REF_BLOCKS
  ) {
    const header = await node.header(height);
    if (!header || header.hash.slice(16, 32) === refBlockHash) return header;
  }
  return undefined;
}

async function look(
  node: TronNode,
  contracts: ReadonlySet<Address>,
  { txHash }: SignedTransfer,
  asked: TronUnsigned,
): Promise<AttemptStatus | undefined> {
  const info = (await node.info(txHash, 'wallet')) ?? (await node.info(txHash, 'walletsolidity'));
  if (info) return minedStatus(node, contracts, asked, info);
  const isThere = (await node.isPending(txHash)) || (await node.transaction(txHash)) !== undefined;
  return isThere ? { state: 'pool' } : undefined;
}

async function minedStatus(
  node: TronNode,
  contracts: ReadonlySet<Address>,
  asked: TronUnsigned,
  info: NodeInfo,
): Promise<AttemptStatus> {
  const [tx, heads, block] = [await node.transaction(info.hash), await node.heads(), await node.header(info.height)];
  if (!tx || !block || block.time !== info.blockTime) throw tronFault(`the chain moved under ${info.hash}`);
  const isDone = tx.ok && info.ok;
  const { from, asset, to, atoms: value } = asked;
  // What is lent moves no coins, and its bandwidth is burned by whoever has staked.
  const isPaid =
    asked.loan !== undefined ||
    movementsOf(contracts, tx, info).some(
      (one) => one.from === from && one.to === to && one.asset === asset && one.atoms() === value,
    );
  // Neither "paid" nor "the value is still ours" is proven: a token that changed its ways is for a person to look at.
  if (isDone && !isPaid) throw new Fault('permanent', AT_TRON, `${info.hash} succeeded and does not say that it paid`);
  const depth = depthAt(block.height, heads, SOLIDIFIED_DEPTH);
  const { height, hash } = block;
  const settled = height <= heads.finalized;
  const cost = atoms(asked.loan ? 0n : info.fee);
  return { state: 'mined', block: { height, hash }, depth, settled, ok: isDone, cost };
}
