import { type Atoms, atoms } from '../../../kernel/amount.ts';
import type { Sighting } from '../chain.ts';
import { isCanonical } from '../following.ts';
import type { BitcoinNetwork } from './networks.ts';
import type { BitcoinNode } from './node.ts';
import { candidatesIn } from './sightings.ts';
import { COINBASE_DEPTH, isCoinbase, outPointText } from './tx-codec.ts';

interface Credit {
  readonly key: string;
  readonly atoms: Atoms;
}

/** Sightings whose output is in the very block where it was sighted, on the canonical chain. A miner's pay must be ripe again. */
export async function standingSightings(
  node: BitcoinNode,
  network: BitcoinNetwork,
  sightings: readonly Sighting[],
): Promise<readonly Credit[]> {
  const credits: Credit[] = [];
  for (const sighting of sightings) {
    const credit = await creditOf(node, network, sighting);
    if (credit) credits.push(credit);
  }
  return credits;
}

async function creditOf(
  node: BitcoinNode,
  network: BitcoinNetwork,
  { key, block, txHash, address }: Sighting,
): Promise<Credit | undefined> {
  if (!block || !(await isCanonical(node, block))) return undefined;
  const tx = await node.transactionIn(block.hash, txHash);
  const { confirmations } = await node.header(block.hash);
  if (confirmations < (isCoinbase(tx) ? COINBASE_DEPTH : 1))
    throw node.fault(`${key} is not deep enough to be spent, at ${confirmations}`);
  const outputs = candidatesIn(network, tx, block);
  const output = outputs.find(
    (one) => outPointText({ txid: txHash, vout: one.vout }) === key && one.address === address,
  );
  return output && { key, atoms: atoms(output.atoms) };
}
