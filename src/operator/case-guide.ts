import type { Case, CaseKind, CaseOf } from '../life/case/case.ts';
import { APPROVAL_GUIDES } from './approval-guides.ts';
import { BREAKER_GUIDES } from './breaker-guides.ts';
import { DEPOSIT_GUIDES } from './deposit-guides.ts';
import { type CaseGuide, CLOSE, type Guide, LOOK } from './guide.ts';
import { NODE_GUIDES } from './node-guides.ts';
import { PAST_GUIDES } from './past-guides.ts';
import { PAYMENT_GUIDES } from './payment-guides.ts';
import { PROVIDER_GUIDES } from './provider-guides.ts';
import { STOCK_GUIDES } from './stock-guides.ts';
import { VENUE_GUIDES } from './venue-guides.ts';

/** Complete by type: a new kind of case must say what it means and what helps. */
const GUIDES: { readonly [K in CaseKind]: Guide<K> } = {
  deposit_orphaned: {
    reason: ({ asset, atoms, usd }) => `${atoms} atoms of ${asset} that were credited ($${usd}) have left the chain`,
    meaning:
      'A deposit was credited, and the chain reorganised it away. The order is held: nothing is traded, funded, signed or paid.',
    urgency: 'now',
    actions: [
      LOOK,
      'open the breaker chain:<id> if the node may be forked, and compare its tip with another node',
      'wait: the same transfer usually is mined again; when it is deep again the order goes on and this closes by itself',
      'if it was spent elsewhere and the order was paid, cover the loss from the treasury, record why and close the case',
    ],
  },
  deposit_unjudged: {
    reason: ({ chain, address, reason }) => `what came to ${address} on chain ${chain} cannot be judged: ${reason}`,
    meaning:
      'Something at this address, a hostile token for instance, cannot be read or booked. All other orders go on.',
    urgency: 'now',
    actions: [
      LOOK,
      'look at what the address received; it is tried again in every round, and the case closes by itself when it works',
      'compare the node with another one if several addresses of one chain have this',
      'where a row of the database claims what the chain does not show, somebody wrote it there: open the breaker payouts and find out who',
      CLOSE,
    ],
  },
  claims_full: {
    reason: () => 'the order has as many claims as one may have, specks not counted; what came since is in none',
    meaning:
      'Somebody sent to this order again and again. What came since is neither claimed nor given back by itself.',
    urgency: 'today',
    actions: [
      LOOK,
      'if it is worth giving back, raise caution.claimsPerOrder in the settings and restart; the next deposit claims all',
      CLOSE,
    ],
  },
  collection_refused: {
    reason: ({ reason }) => `the deposit cannot be collected: ${reason}`,
    meaning: 'The deposit cannot be moved from its address, for instance because the token froze it.',
    urgency: 'today',
    actions: [
      LOOK,
      "ask the token's issuer",
      'when the money can be moved, POST /operator/cases/{id}/give-back { by, reason }: it is owed from its deposit address',
    ],
    calls: ['give-back'],
  },
  both_payouts_refused: {
    reason: ({ reason }) => `the second payout address was refused too: ${reason}`,
    meaning: 'The payout chain refused both destinations of this order; nothing was sent and the money is owed back.',
    urgency: 'today',
    actions: [LOOK, 'the customer is asked for a refund address; nothing is to be done unless they ask', CLOSE],
  },
  refund_refused: {
    reason: ({ claim, reason }) => `the refund of claim ${claim} was refused: ${reason}`,
    meaning: 'The chain or screening refuses this refund for good; the money is still owed and lies where it was.',
    urgency: 'today',
    actions: [
      LOOK,
      'POST /operator/cases/{id}/give-back { by, reason }: the customer is asked for another address, and paid there',
      'where the reason names an account that a part of it came from: leave it as long as that account is listed; give-back asks for an address once it is not',
    ],
    calls: ['give-back'],
  },
  unlisted_refund: {
    reason: ({ claim, asset }) => `claim ${claim} is of ${asset}, which nobody lists: nobody can say what it is worth`,
    meaning: 'A customer wants a token back that the desk does not know; its return costs gas that nobody pays for.',
    urgency: 'today',
    actions: [
      LOOK,
      'wait: it goes back by itself once the customer has sent coins for its gas to the deposit address',
      'POST /operator/cases/{id}/give-back { by, reason }: it goes back at the cost of the desk',
    ],
    calls: ['give-back'],
  },
  refund_unasked: {
    reason: ({ claim }) => `claim ${claim} waits for an address, and this order's reads cannot ask for one`,
    meaning: 'Money is owed to the customer of a v1 bridge, whose reads have no word for an address that is needed.',
    urgency: 'today',
    actions: [
      LOOK,
      'when the customer asks, have them POST /v1/order/{id}/refund { refundAddress, verifyAddress }; then this closes by itself',
      CLOSE,
    ],
  },
  deal_unpaid_late: {
    reason: ({ deal, reason }) => `deal ${deal} went on although its payment failed for good: ${reason}`,
    meaning: 'A provider delivered, and our payment to it was undone afterwards: we owe the provider.',
    urgency: 'today',
    actions: [LOOK, 'settle it with the provider', CLOSE],
  },
  fee_refused: {
    reason: ({ reason }) => `the integration's fee could not be paid: ${reason}`,
    meaning: 'The fee address of an integration cannot be paid; the fee stays owed to it.',
    urgency: 'today',
    actions: [
      LOOK,
      'when the address can be paid again, POST /operator/cases/{id}/retry: the fee is priced and paid anew',
      'agree with the integration on how its address can be paid again; until then the fee is owed, and this stays open',
    ],
    calls: ['retry'],
  },
  ...DEPOSIT_GUIDES,
  ...PAST_GUIDES,
  ...APPROVAL_GUIDES,
  ...BREAKER_GUIDES,
  ...STOCK_GUIDES,
  ...VENUE_GUIDES,
  ...NODE_GUIDES,
  ...PAYMENT_GUIDES,
  clock_skew: {
    reason: ({ against, seconds }) =>
      `the desk's clock is ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} that of ${against}`,
    meaning:
      'Deadlines, limits and prices go by this clock. Orders go on; what is dated by others is looked up by their own time.',
    urgency: 'now',
    actions: [
      'compare the computer with a time server (chronyc tracking, timedatectl) and set it right; this closes by itself',
      'after a step back the desk goes on at nine tenths of the pace until both agree; a restart is not needed',
      'if it is one chain alone, its node catches up or is wrong: compare it with another node',
    ],
  },
  webhook_disabled: {
    reason: ({ webhook }) => `webhook ${webhook} is disabled: it took nothing for three days`,
    meaning: 'An endpoint of a partner took nothing for three days; what happens meanwhile is not told to it.',
    urgency: 'today',
    actions: [
      'tell the partner, whose deliveries say what was wrong (GET …/webhooks/{webhookId}/deliveries)',
      'the partner makes it active again (PATCH { status: "active" }), which closes this case, and resends what failed',
    ],
  },
  house_payment_refused: {
    reason: ({ payment, reason }) => `${payment} refused: ${reason}`,
    meaning: 'A payment between accounts of our own was refused; its money is back in the treasury.',
    urgency: 'today',
    actions: ['read GET /operator/ledger', "check the address of the venue's bridge in the settings", CLOSE],
  },
  payment_undone: {
    reason: ({ payment, txHash }) => `${payment} was confirmed by ${txHash} and then failed for good`,
    meaning:
      'A reorganisation made a payment fail that had worked; what it was to pay is owed again. Gas or energy ahead of it is not.',
    urgency: 'now',
    actions: [LOOK, 'open the breaker chain:<id> if it repeats: somebody may be able to reorganise that chain', CLOSE],
  },
  ...PROVIDER_GUIDES,
  nothing_left_after_fees: {
    reason: () => 'execution yielded less than the fees',
    meaning: 'What the order yielded is worth less than its network fees, so nothing could be paid.',
    urgency: 'today',
    actions: [LOOK, 'return what is owed by hand if it is worth its cost', CLOSE],
  },
  reward_received: {
    reason: ({ asset, atoms }) =>
      `a mining reward of ${atoms} atoms of ${asset} cannot be carried out; return it by hand`,
    meaning: 'A miner was paid at a deposit address; such coins cannot be carried out and are returned by hand.',
    urgency: 'today',
    actions: [
      LOOK,
      'ask the customer for an address, shield or wait as the chain demands, and return the coins by hand',
      CLOSE,
    ],
  },
  inventory_short: {
    reason: ({ asset }) => `the treasury is short of ${asset}`,
    meaning: 'An account of ours has held too little to go on for longer than a minute.',
    urgency: 'now',
    actions: [
      'read GET /operator/ledger',
      'send funds to the hot account or the venue account; work goes on by itself',
      'POST /operator/cases/{id}/retry tries again at once',
    ],
    calls: ['retry'],
  },
  instruction_failed: {
    reason: ({ instruction, reason }) => `${instruction}: ${reason}`,
    meaning: 'The engine met something that it does not decide by itself, or that keeps failing. It tries again.',
    urgency: 'now',
    actions: [
      LOOK,
      'POST /operator/cases/{id}/retry tries it again at once',
      'open a breaker for the scope concerned if it repeats',
    ],
    calls: ['retry'],
  },
  round_failed: {
    reason: ({ round, reason }) => `the round "${round}" keeps failing: ${reason}`,
    meaning: 'Something that the engine does again and again has failed for longer than a minute. It goes on trying.',
    urgency: 'now',
    actions: [
      'look at the node, the venue or the signer that the reason names; this closes by itself when the round works again',
      'while a scanner fails, deposits of its chain are not seen: open the breaker chain:<id> so that nobody is sent there',
    ],
  },
  drift: {
    reason: ({ asset, atoms, deposit }) =>
      `the chain holds ${atoms} atoms of ${asset} more than the ledger says (less, if negative)${onDeposit(deposit)}`,
    meaning: 'What an account of ours holds has differed from the ledger for longer than payments under way explain.',
    urgency: 'now',
    actions: [
      'read GET /operator/ledger, and compare the transactions of the account with its postings',
      'open the breaker payouts if money is missing and nobody knows why',
      "if you know what it is (coins that lay on the hot account before the first scanned block, a loss that is the treasury's), POST /operator/cases/{id}/adopt { by, reason } books it",
    ],
    calls: ['adopt'],
  },
};

const onDeposit = (deposit: CaseOf<'drift'>['deposit']): string =>
  deposit ? ` on the deposit address ${deposit.address} (${deposit.place})` : '';

export function guideFor(about: Case): CaseGuide {
  // The table is keyed by the very kind that selects the case; TypeScript cannot follow that through the union.
  const {
    reason,
    calls = [],
    ...guide
  } = GUIDES[about.case] as Guide<CaseKind> & { readonly reason: (one: Case) => string };
  return { ...guide, reason: reason(about), calls: [...calls, 'close'] };
}
