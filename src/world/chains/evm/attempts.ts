import { atoms } from '../../../kernel/amount.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Address } from '../../../kernel/ids.ts';
import { RpcError } from '../../outbound/json-rpc.ts';
import type { AttemptStatus, BlockRef, SignedTransfer } from '../chain.ts';
import { decodeEvm, evmContractOf, isSweep } from './codec.ts';
import { depthUnder, type Finality } from './networks.ts';
import { type EvmNode, whereKept } from './node.ts';
import { partiesOf } from './transfers.ts';

/**
 * Nodes say this of bytes that they have, that were mined or whose nonce is used: `status` tells which; and of those that
 * are too cheap for now, or in whose place dearer ones wait: such are outbid when their time is over.
 */
const HARMLESS =
  /already (?:known|imported|exists)|known transaction|nonce (?:is )?too low|underpriced|less than block base fee/i;

export async function broadcastBytes(node: EvmNode, { raw, txHash }: SignedTransfer): Promise<void> {
  try {
    await node.ask('eth_sendRawTransaction', [raw]);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    if (HARMLESS.test(error.message)) return;
    throw new Fault('ambiguous', node.at, `${txHash}: ${error.message}`, error);
  }
}

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
