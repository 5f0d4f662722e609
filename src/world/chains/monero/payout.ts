import { atoms } from '../../../kernel/amount.ts';
import type { AttemptStatus, SignedTransfer, Terms } from '../chain.ts';
import { minedAt, type PayoutDepths } from '../following.ts';
import type { Daemon } from './daemon.ts';
import { type MoneroTx, parseTransactionHex } from './tx-codec.ts';

/** How a payout is priced, sent and judged. The daemon is the truth; the wallet's own opinion is not asked. */

const PRIORITY = 1;
/** Weight of a payout with sixteen inputs and two outputs; the usual one has one or two inputs and a tenth of it. */
const WEIGHT_RECKONED = 13_000n;
/**
 * How many outputs it takes is known to the wallet alone, so the bound is what the protocol takes: half of the space in a
 * block that is free of penalty, without 600 (https://monero-book.cuprate.org/consensus_rules/transactions.html). That is
 * some two hundred inputs; the signer's own limit on costs holds below it.
 */
const WEIGHT_MOST = 149_400n;
/** Two inputs and two outputs. */
const WEIGHT_USUAL = 2_200n;
/** Another spend this deep cannot be undone by any reorganisation we accept. */
const DEAD_DEPTH = 20;

export async function payoutTerms(daemon: Daemon): Promise<Terms> {
  const { perByte, quantum } = await daemon.feeRate(PRIORITY);
  const costOf = (weight: bigint) => atoms(((perByte * weight + quantum - 1n) / quantum) * quantum);
  const fee = { priority: String(PRIORITY), most: costOf(WEIGHT_MOST).toString() };
  return { nonce: undefined, fee, cost: costOf(WEIGHT_RECKONED), usual: costOf(WEIGHT_USUAL) };
}

/**
 * Goes to the daemon, not through the wallet: relaying by the wallet what it has seen mined leaves a ghost in its balance.
 * Bytes that are in the pool or mined are answered OK; all else is for `payoutStatus` to judge.
 */
export async function sendPayout(daemon: Daemon, signed: SignedTransfer): Promise<string | undefined> {
  const answer = await daemon.send(signed.raw);
  if (answer.status === 'OK') return undefined;
  const reasons = Object.entries(answer).flatMap(([flag, value]) =>
    value === true && flag !== 'untrusted' ? [flag] : [],
  );
  return [answer.status, answer.reason, ...reasons].filter(Boolean).join(' ');
}

export async function payoutStatus(
  daemon: Daemon,
  signed: SignedTransfer,
  depths: PayoutDepths,
): Promise<AttemptStatus> {
  const tip = await daemon.tip();
  const [found] = await daemon.transactions([signed.txHash]);
  if (!found) return provenDead(daemon, parseTransactionHex(signed.raw));
  if (found.height === undefined) return { state: 'pool' };
  const place = await minedAt(daemon, found.height, tip, depths);
  return { state: 'mined', ...place, ok: true, cost: atoms(found.tx.fee) };
}

/**
 * The daemon tells that a key image is spent, not by whom or when. It is spent by another transaction, deep enough, if the
 * newest blocks hold no spend of it; ours, had it just been mined, would be among those.
 */
async function provenDead(daemon: Daemon, tx: MoneroTx): Promise<AttemptStatus> {
  const tip = await daemon.tip();
  const spent = await daemon.spentOnChain(tx.keyImages);
  const conflicts = tx.keyImages.filter((_, index) => spent[index]);
  if (conflicts.length === 0) return { state: 'unknown' };
  const recent = await spentWithin(daemon, tip.height - DEAD_DEPTH + 2, tip.height);
  const proof = conflicts.find((keyImage) => !recent.has(keyImage));
  if (!proof || (await daemon.hashAt(tip.height)) !== tip.hash) return { state: 'unknown' };
  return {
    state: 'dead',
    proof: `key image ${proof} is spent by another transaction below ${tip.height - DEAD_DEPTH + 2}`,
  };
}

async function spentWithin(daemon: Daemon, first: number, last: number): Promise<ReadonlySet<string>> {
  const images = new Set<string>();
  for (const block of await daemon.blocks(Math.max(0, first), last)) {
    for (const { tx } of await daemon.transactions(await daemon.paymentsIn(block))) {
      for (const image of tx.keyImages) images.add(image);
    }
  }
  return images;
}
