import { atoms } from '../../../kernel/amount.ts';
import { type Address, txHash } from '../../../kernel/ids.ts';
import type { BlockRef, Sighting, Watched } from '../chain.ts';
import { addressOfScript, isOursByKind } from './address-codec.ts';
import type { BitcoinNetwork } from './networks.ts';
import type { BitcoinNode } from './node.ts';
import { type BitcoinTx, isCoinbase, outPointText } from './tx-codec.ts';

/** A payment that gathers more outputs than this comes from a business, not from one plain account. */
const MAX_INPUTS_READ = 16;

/** An output that could be ours. */
export interface Candidate {
  readonly address: Address;
  readonly vout: number;
  readonly atoms: bigint;
  readonly tx: BitcoinTx;
  readonly block: BlockRef | undefined;
}

export function candidatesIn(
  network: BitcoinNetwork,
  tx: BitcoinTx,
  block: BlockRef | undefined,
): readonly Candidate[] {
  return tx.outputs.flatMap(({ atoms: value, script }, vout) => {
    const address = isOursByKind(script) && value > 0n ? addressOfScript(network, script) : undefined;
    return address ? [{ address, vout, atoms: value, tx, block }] : [];
  });
}

export async function sightingsOf(
  { node, network }: { readonly node: BitcoinNode; readonly network: BitcoinNetwork },
  candidates: readonly Candidate[],
  watched: Watched,
): Promise<readonly Sighting[]> {
  if (candidates.length === 0) return [];
  const ours = await watched([...new Set(candidates.map(({ address }) => address))]);
  const { id: asset } = network.coin.asset;
  const sightings: Sighting[] = [];
  for (const { address, vout, atoms: value, tx, block } of candidates) {
    if (!ours.has(address)) continue;
    const sender = await senderOf(node, network, tx);
    const key = outPointText({ txid: tx.txid, vout });
    sightings.push({ key, address, asset, atoms: atoms(value), txHash: txHash(tx.txid), block, sender });
  }
  return sightings;
}

/** The one address that all inputs spent from. Where there are several, nobody can say whose money it was. */
async function senderOf(node: BitcoinNode, network: BitcoinNetwork, tx: BitcoinTx): Promise<Address | undefined> {
  if (isCoinbase(tx) || tx.inputs.length > MAX_INPUTS_READ) return undefined;
  const scripts = new Set<string | undefined>();
  for (const { txid, vout } of tx.inputs) scripts.add((await node.transaction(txid))?.tx.outputs[vout]?.script);
  const [script] = scripts;
  return script && scripts.size === 1 ? addressOfScript(network, script) : undefined;
}
