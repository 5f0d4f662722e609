import { type Atoms, atoms } from '../../../kernel/amount.ts';
import type { Sighting } from '../chain.ts';
import type { BitcoinNetwork } from './networks.ts';
import type { BitcoinNode } from './node.ts';
import { candidatesIn } from './sightings.ts';
import { COINBASE_DEPTH, isCoinbase, outPointText } from './tx-codec.ts';

interface Credit {
  readonly key: string;
  readonly atoms: Atoms;
}

/** Sightings whose output is in the very block where it was sighted, on the canonical chain, and not a miner's unripe pay. */
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
  const found = block && (await node.transaction(txHash));
  if (!found || found.blockHash !== block.hash) return undefined;
  const { confirmations } = await node.header(block.hash);
  if (confirmations < (isCoinbase(found.tx) ? COINBASE_DEPTH : 1)) return undefined;
  const outputs = candidatesIn(network, found.tx, block);
  const output = outputs.find(
    (one) => outPointText({ txid: txHash, vout: one.vout }) === key && one.address === address,
  );
  return output && { key, atoms: atoms(output.atoms) };
}
