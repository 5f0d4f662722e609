import { atoms } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { AttemptStatus, SignedTransfer } from '../chain.ts';
import { BLOCKHASH_LIFE, decodeSolana, lastValidHeight, SOL_ASSET_ID } from './codec.ts';
import type { NodeTx, SolanaNode } from './node.ts';

/** Without a trial beforehand: what the chain executes and refuses is told by the chain, not by one node's opinion. */
export function broadcastBytes(node: SolanaNode, { raw }: SignedTransfer): Promise<string | undefined> {
  const bytes = Buffer.from(raw, 'hex').toString('base64');
  return node.objection('sendTransaction', [bytes, { encoding: 'base64', skipPreflight: true }]);
}

/** Another node of the network, opened when it is asked: it may be away for as long as nobody needs its word. */
export type Witness = () => Promise<SolanaNode>;

/**
 * Until it is final a transaction may still be dropped with its fork, so it counts as waiting. One node alone proves no death:
 * it may have forgotten, and nobody could tell. Without a second one, or without its word, the bytes are only unknown.
 */
export async function attemptStatus(
  node: SolanaNode,
  witnesses: readonly Witness[],
  signed: SignedTransfer,
): Promise<AttemptStatus> {
  const { status } = await node.status(signed.txHash);
  if (status) return status.isFinal ? minedStatus(node, signed, status.height) : { state: 'pool' };
  const own = await proofOfDeath(node, signed);
  if (own === undefined || witnesses.length === 0) return { state: 'unknown' };
  const others = await Promise.all(witnesses.map((witness) => testimony(witness, signed)));
  const proofs = [own, ...others].filter((proof) => proof !== undefined);
  if (proofs.length <= witnesses.length) return { state: 'unknown' };
  return { state: 'dead', proof: proofs.join('; and elsewhere: ') };
}

/** A witness that cannot be asked has said nothing. */
async function testimony(witness: Witness, signed: SignedTransfer): Promise<string | undefined> {
  try {
    return await proofOfDeath(await witness(), signed);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

async function minedStatus(node: SolanaNode, signed: SignedTransfer, height: number): Promise<AttemptStatus> {
  const block = await node.block(height);
  const tx = block.transactions.find(({ hash }) => hash === signed.txHash);
  if (!tx) throw node.fault(`block ${height} does not hold ${signed.txHash}`);
  const depth = { have: 1, need: 1 };
  const cost = atoms(costOf(tx, signed));
  return { state: 'mined', block: { height, hash: block.hash }, depth, settled: true, ok: tx.ok, cost };
}

/** What the payer of the fee has less, beside the value: the fee, and what a token account that was opened keeps. */
function costOf({ ok, coins }: NodeTx, { raw }: SignedTransfer): bigint {
  const { payer, from, account, asset, atoms: value } = decodeSolana(raw);
  const moved = ok && asset === SOL_ASSET_ID ? value : 0n;
  const paid = (from === payer ? moved : 0n) - (account === payer ? moved : 0n);
  const { before, after } = present(coins[0], 'the payer of a transaction');
  return before - after - paid;
}

/** Blocks beyond the last one that could hold the bytes, before anything is concluded: about a quarter of a minute. */
const MARGIN = 32n;

/**
 * Not found proves nothing by itself. Proof is that every block which could hold these bytes is final and still kept by
 * the node, and that it does not know them afterwards, either. Behind one address there may be several servers: whoever
 * answers last must have come as far itself. `getSignatureStatuses` takes no `minContextSlot`, so its `context.slot` is held
 * against the slot instead.
 */
async function proofOfDeath(node: SolanaNode, { txHash, consumes }: SignedTransfer): Promise<string | undefined> {
  const lastValid = lastValidHeight(consumes);
  const slot = await node.finalSlot();
  const final = await node.blockHeightAt(slot);
  if (final <= lastValid + MARGIN || (await node.oldestBlockHeight()) > lastValid - BLOCKHASH_LIFE) return undefined;
  const { status, asOf } = await node.status(txHash);
  if (status || asOf < slot) return undefined;
  return `valid up to block height ${lastValid}, final is ${final}, and no status on two reads`;
}
