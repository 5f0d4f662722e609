import { atoms } from '../../../kernel/amount.ts';
import type { Address } from '../../../kernel/ids.ts';
import type { AttemptStatus, BlockRef, SignedTransfer } from '../chain.ts';
import { decodeEvm, evmContractOf, isSweep } from './codec.ts';
import { depthUnder, type Finality } from './networks.ts';
import { type EvmNode, whereKept } from './node.ts';
import { partiesOf } from './transfers.ts';

/**
 * Every client has its own words for bytes that it has, that were mined, whose nonce is used or that are too cheap for now: `status`
 * tells which, and what no block takes is outbid.
 */
export const broadcastBytes = (node: EvmNode, { raw }: SignedTransfer): Promise<string | undefined> =>
  node.objection('eth_sendRawTransaction', [raw]);

/** Confirmations after which a payout is called done, and what makes it settled. */
export interface Watching {
  readonly need: number;
  readonly settled: Finality;
}

export async function attemptStatus(node: EvmNode, signed: SignedTransfer, watching: Watching): Promise<AttemptStatus> {
  const mined = await minedStatus(node, signed, watching);
  if (mined) return mined;
  const tx = await node.transaction(signed.txHash);
  if (tx) return tx.isMined ? { state: 'unknown' } : { state: 'pool' };
  const { from, nonce } = decodeEvm(signed.raw);
  // A node without the states in which the nonce was used proves nothing.
  const proof = await whereKept(nonceTakenByAnother(node, from, nonce, signed.txHash));
  return proof ? { state: 'dead', proof } : { state: 'unknown' };
}

async function minedStatus(
  node: EvmNode,
  signed: SignedTransfer,
  watching: Watching,
): Promise<AttemptStatus | undefined> {
  const receipt = await node.receipt(signed.txHash);
  if (!receipt) return undefined;
  const { block, ok, cost } = receipt;
  const heads = await node.heads();
  // Asked last: what is canonical under heads that were read before is at least as deep as they say.
  if ((await node.hashAt(block.height)) !== block.hash) return undefined;
  const depth = { have: Math.max(1, heads.tip - block.height + 1), need: watching.need };
  const final = depthUnder(watching.settled, block.height, heads);
  const worked = ok && (await hasSwept(node, signed, block));
  return { state: 'mined', block, depth, settled: final.have >= final.need, ok: worked, cost: atoms(cost) };
}

/**
 * A call to an account that is not bound succeeds and does nothing, and a binding whose nonce was used is passed over in silence: of
 * a sweep only the token's own word counts.
 */
async function hasSwept(node: EvmNode, { raw, txHash }: SignedTransfer, { hash }: BlockRef): Promise<boolean> {
  if (!isSweep(raw)) return true;
  const { from, payer, transfer } = decodeEvm(raw);
  const contract = evmContractOf(transfer.asset);
  if (!contract) return true;
  const logs = await node.transferLogs(hash, { contracts: [contract], from: payer, to: from });
  return logs.some((log) => log.txHash === txHash && partiesOf(log)?.atoms === transfer.atoms);
}

/**
 * That our hash is not found proves nothing: nodes lag, prune and forget. Proof is the other transaction itself, in a
 * finalized block, with our account and our nonce.
 */
async function nonceTakenByAnother(
  node: EvmNode,
  from: Address,
  nonce: number,
  ours: string,
): Promise<string | undefined> {
  if ((await node.nonce(from, 'latest')) <= nonce) return undefined;
  const { finalized } = await node.heads();
  if ((await node.nonce(from, finalized)) <= nonce) return undefined;
  const height = await heightThatUsed(node, from, nonce, finalized);
  const block = await node.block(height);
  const other = block?.transactions.find((tx) => tx.from === from && tx.nonce === nonce);
  if (!block || !other || other.hash === ours) return undefined;
  return `nonce ${nonce} of ${from} was used by ${other.hash} in block ${height}, final at ${finalized}`;
}

/** The first height after which the account's next nonce is past ours; looked for backwards, since it is recent. */
async function heightThatUsed(node: EvmNode, from: Address, nonce: number, finalized: number): Promise<number> {
  const isUsedAt = async (height: number) => (await node.nonce(from, height)) > nonce;
  let used = finalized;
  let unused = finalized - 1;
  for (let step = 2; unused > 0 && (await isUsedAt(unused)); step *= 2) {
    used = unused;
    unused = Math.max(0, unused - step);
  }
  while (used - unused > 1) {
    const middle = Math.floor((used + unused) / 2);
    if (await isUsedAt(middle)) used = middle;
    else unused = middle;
  }
  return used;
}
