import { atoms } from '../../../kernel/amount.ts';
import type { AttemptStatus, SignedTransfer, Terms, Transfer } from '../chain.ts';
import { minedAt, type PayoutDepths } from '../following.ts';
import { expiryHeight } from './codec.ts';
import type { ZcashNode } from './node.ts';
import type { ZcashWallet } from './wallet.ts';

/** How a payout is priced, sent and judged. The node is the truth; the wallet's own opinion is not asked. */

/** ZIP 317: so much for each logical action. */
const FEE_PER_ACTION = 5_000n;
/** A payout that gathers dozens of notes. */
const ACTIONS_MOST = 50n;
/** Two shielded actions and a transparent output. */
const ACTIONS_USUAL = 3n;
/** What the wallet takes as deep enough when it spends what strangers sent. */
export const SPENDABLE_DEPTH = 10;
/** Beyond this no reorganisation that we accept reaches back before the expiry. */
const DEAD_DEPTH = 20;

/** A payment draws on shielded or on transparent money, never on both. To ourselves it exists to shield the latter. */
export async function payoutTerms(wallet: ZcashWallet, hotAddress: string, transfer: Transfer): Promise<Terms> {
  const cost = atoms(FEE_PER_ACTION * ACTIONS_MOST);
  const { shielded, transparent } = await wallet.balance(SPENDABLE_DEPTH);
  const needed = transfer.atoms + cost;
  const shields = transfer.to === hotAddress || (shielded < needed && transparent >= needed);
  const fee = { most: cost.toString(), source: shields ? 'transparent' : 'shielded' };
  return { nonce: undefined, fee, cost, usual: atoms(FEE_PER_ACTION * ACTIONS_USUAL) };
}

export async function payoutStatus(
  node: ZcashNode,
  signed: SignedTransfer,
  depths: PayoutDepths,
): Promise<AttemptStatus> {
  const tip = await node.tip();
  const found = await node.find(signed.txHash);
  if (!found) return provenDead(signed, tip.height);
  if (found.height === undefined) return { state: 'pool' };
  const place = await minedAt(node, found.height, tip, depths);
  // The bytes fix the fee, which was proven when they were signed.
  return { state: 'mined', ...place, ok: true, cost: signed.cost };
}

/** The tip was read first: what was not found afterwards was in none of the blocks that could have held it. */
function provenDead({ raw }: SignedTransfer, tip: number): AttemptStatus {
  const expiry = expiryHeight(raw);
  if (expiry === undefined || tip <= expiry + DEAD_DEPTH) return { state: 'unknown' };
  return { state: 'dead', proof: `expired at ${expiry} and in no block up to ${tip}` };
}
