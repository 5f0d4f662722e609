import { atoms } from '../../../kernel/amount.ts';
import { type Address, txHash } from '../../../kernel/ids.ts';
import { larger } from '../../../kernel/ratio.ts';
import type { BlockRef, OutOfReach, Sighting, Watched } from '../chain.ts';
import { addressOfScript, dustLimit, isOursByKind, SPENDING_BYTES } from './address-codec.ts';
import { feeAt, totalOf } from './codec.ts';
import type { BitcoinNetwork } from './networks.ts';
import type { BitcoinNode } from './node.ts';
import { type BitcoinTx, isCoinbase, outPointText } from './tx-codec.ts';

/** A payment that gathers more outputs than this comes from a business, not from one plain account. */
const MAX_INPUTS_READ = 16;
/** In one of so many next blocks, as payments of ours. */
const FEE_BLOCKS = 3;
/** Of the kind that all our outputs have; the hash does not matter. */
const KEY_HASH_SCRIPT = `0014${'00'.repeat(20)}`;

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

export interface Watch {
  readonly node: BitcoinNode;
  readonly network: BitcoinNetwork;
  readonly hot: Address;
}

export interface Seen {
  readonly sightings: readonly Sighting[];
  /** What is in a block and too small to be spent, together with all else that one transaction paid to that address so. */
  readonly outOfReach: readonly OutOfReach[];
}

/**
 * Of what one transaction pays to a deposit address only as many outputs count as one payment of ours can spend, and none that costs more
 * than it is worth: anybody can write thousands of specks, and each of them is ours to gather. Who fills the hot account may split it.
 */
export async function sightingsOf(
  { node, network, hot }: Watch,
  candidates: readonly Candidate[],
  watched: Watched,
): Promise<Seen> {
  const addresses = await watched([...new Set(candidates.map(({ address }) => address))]);
  const ours = candidates.filter(({ address }) => addresses.has(address));
  if (ours.length === 0) return { sightings: [], outOfReach: [] };
  const least = await leastWorth(node, network);
  const { id: asset } = network.coin.asset;
  const senders = new Map<string, Address | undefined>();
  const sightings: Sighting[] = [];
  const outOfReach: OutOfReach[] = [];
  for (const outputs of together(ours)) {
    const [{ tx, address, block }] = outputs;
    if (!senders.has(tx.txid)) senders.set(tx.txid, await senderOf(node, network, tx));
    const from = { address, asset, txHash: txHash(tx.txid), sender: senders.get(tx.txid) };
    const worth = address === hot ? outputs : outputs.toSorted(byWorth).slice(0, MOST_OUTPUTS);
    const taken = new Set(worth.filter((one) => one.atoms >= least));
    for (const { vout, atoms: value } of outputs.filter((one) => taken.has(one)))
      sightings.push({ ...from, key: outPointText({ txid: tx.txid, vout }), atoms: atoms(value), block });
    const left = totalOf(outputs.filter((one) => !taken.has(one)));
    if (block && left >= least)
      outOfReach.push({ ...from, key: `${tx.txid}:${address}`, atoms: atoms(left), why: SPECKS });
  }
  return { sightings, outOfReach };
}

/** Nobody pays one address in more outputs at once in good faith, and each is an input that somebody pays for. */
export const MOST_OUTPUTS = 14;
const SPECKS = 'it came in outputs that are too small, or too many, to be spent';
const byWorth = (one: Candidate, other: Candidate): number =>
  one.atoms > other.atoms ? -1 : one.atoms < other.atoms ? 1 : 0;

/** What an output must be worth: what spending it costs now, and what nodes call dust at any time. */
async function leastWorth(node: BitcoinNode, network: BitcoinNetwork): Promise<bigint> {
  const { estimate, least } = await node.feeRates(FEE_BLOCKS);
  const cost = feeAt(larger(estimate ?? least, least), BigInt(SPENDING_BYTES.segwit));
  return larger(cost, dustLimit(network, KEY_HASH_SCRIPT));
}

/** By the transaction and the address that it pays. */
function together(candidates: readonly Candidate[]): readonly (readonly [Candidate, ...Candidate[]])[] {
  const groups = new Map<string, [Candidate, ...Candidate[]]>();
  for (const one of candidates) {
    const name = `${one.tx.txid}:${one.address}`;
    const group = groups.get(name);
    if (group) group.push(one);
    else groups.set(name, [one]);
  }
  return [...groups.values()];
}

/** The one address that all inputs spent from. Where there are several, nobody can say whose money it was. */
async function senderOf(node: BitcoinNode, network: BitcoinNetwork, tx: BitcoinTx): Promise<Address | undefined> {
  if (isCoinbase(tx) || tx.inputs.length > MAX_INPUTS_READ) return undefined;
  const scripts = new Set<string | undefined>();
  for (const { txid, vout } of tx.inputs) scripts.add((await node.outputsOf(txid))?.[vout]?.script);
  const [script] = scripts;
  return script && scripts.size === 1 ? addressOfScript(network, script) : undefined;
}
