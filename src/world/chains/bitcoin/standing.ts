import { type Atoms, atoms } from '../../../kernel/amount.ts';
import type { TxHash } from '../../../kernel/ids.ts';
import type { BlockRef, Sighting } from '../chain.ts';
import { isCanonical } from '../following.ts';
import type { BitcoinNetwork } from './networks.ts';
import type { BitcoinNode } from './node.ts';
import { type Candidate, candidatesIn } from './sightings.ts';
import { COINBASE_DEPTH, isCoinbase, outPointText } from './tx-codec.ts';

interface Credit {
  readonly key: string;
  readonly atoms: Atoms;
}

/**
 * Sightings whose output is in the very block where it was sighted, on the canonical chain. A miner's pay must be ripe again. A transaction
 * is read once, however many of its outputs are asked for.
 */
export async function standingSightings(
  node: BitcoinNode,
  network: BitcoinNetwork,
  sightings: readonly Sighting[],
): Promise<readonly Credit[]> {
  const read = new Map<string, readonly Candidate[]>();
  const credits: Credit[] = [];
  for (const { key, block, txHash, address } of sightings) {
    if (!block) continue;
    const place = `${block.hash}:${txHash}`;
    const outputs = read.get(place) ?? (await outputsIn(node, network, block, txHash));
    read.set(place, outputs);
    const output = outputs.find((one) => outPointText({ txid: txHash, vout: one.vout }) === key);
    if (output?.address === address) credits.push({ key, atoms: atoms(output.atoms) });
  }
  return credits;
}

/** Those that could be ours; none where the block is not of the canonical chain. */
async function outputsIn(
  node: BitcoinNode,
  network: BitcoinNetwork,
  block: BlockRef,
  txid: TxHash,
): Promise<readonly Candidate[]> {
  if (!(await isCanonical(node, block))) return [];
  const tx = await node.transactionIn(block.hash, txid);
  const { confirmations } = await node.header(block.hash);
  if (confirmations < (isCoinbase(tx) ? COINBASE_DEPTH : 1))
    throw node.fault(`${txid} is not deep enough to be spent, at ${confirmations}`);
  return candidatesIn(network, tx, block);
}
