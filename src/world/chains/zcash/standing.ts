import type { Atoms } from '../../../kernel/amount.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Sighting } from '../chain.ts';
import { isCanonical, mustStillStand } from '../following.ts';
import type { AddressBook } from './book.ts';
import type { ZcashNode } from './node.ts';
import { AT_ZCASH } from './reply-codec.ts';
import { sharedTip } from './scan.ts';
import type { WalletOutput, ZcashWallet } from './wallet.ts';

export interface ZcashStanding {
  readonly node: ZcashNode;
  readonly wallet: ZcashWallet;
  readonly book: AddressBook;
}

/**
 * What both the wallet and the node's main chain hold for each sighting, in the block where it was sighted. A miner's reward
 * that was paid to a transparent form is left out: it cannot be spent like a payment.
 */
export async function standingSightings(
  deps: ZcashStanding,
  sightings: readonly Sighting[],
): Promise<readonly { readonly key: string; readonly atoms: Atoms }[]> {
  const found = await onChain(deps, sightings);
  return found.flatMap(({ sighting: { key, atoms }, isReward }) => (isReward ? [] : [{ key, atoms }]));
}

/** Keys of the sightings that are miners' rewards at a transparent form: money that came, and that no order may use. */
export async function rewardSightings(deps: ZcashStanding, sightings: readonly Sighting[]): Promise<readonly string[]> {
  const found = await onChain(deps, sightings);
  return found.flatMap(({ sighting, isReward }) => (isReward ? [sighting.key] : []));
}

interface Standing {
  readonly sighting: Sighting;
  readonly isReward: boolean;
}

async function onChain(deps: ZcashStanding, sightings: readonly Sighting[]): Promise<readonly Standing[]> {
  const { node, wallet } = deps;
  const tip = await sharedTip(node, wallet);
  const standing: Standing[] = [];
  for (const sighting of sightings) {
    const { block, txHash } = sighting;
    if (!block || !(await isCanonical(node, block))) continue;
    const tx = await node.find(txHash);
    // A block that stands has not lost what is in it: the node has not come so far, or speaks of another chain.
    if (tx?.height !== block.height)
      throw new Fault('transient', AT_ZCASH, `the node does not tell of ${txHash} in block ${block.height}`);
    const output = (await wallet.received(block.height, block.height)).find(({ key }) => key === sighting.key);
    await mustAgree(deps, sighting, output);
    standing.push({ sighting, isReward: tx.isCoinbase && output?.isTransparent === true });
  }
  await mustStillStand(node, tip);
  return standing;
}

/** The node has the transaction, so a wallet that tells another story is in trouble and not to be asked about money. */
async function mustAgree({ book }: ZcashStanding, sighting: Sighting, output: WalletOutput | undefined): Promise<void> {
  const agrees = output?.atoms === sighting.atoms && (await book.resolve(output.address)) === sighting.address;
  if (!agrees) throw new Fault('transient', AT_ZCASH, `the wallet no longer tells of ${sighting.key}`);
}
