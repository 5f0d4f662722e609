import { type Account, sameAccount } from '../../../kernel/account.ts';
import { type Amount, add, amount, atLeast, isZero, subtract, zero } from '../../../kernel/amount.ts';
import { type Instant, later } from '../../../kernel/clock.ts';
import type { Heard } from '../../payment/advance.ts';
import type { PurposeOf } from '../../payment/payment.ts';
import { type LedgerAccount, move } from '../../payment/posting.ts';
import type { Of } from '../fact.ts';
import { type Claim, type Destination, type KeptClaim, netOf, type Order, refundPayment } from '../order.ts';
import type { Rules } from '../rules.ts';
import {
  accountAt,
  leftOf,
  type Outcome,
  type Step,
  stay,
  then,
  total,
  withCase,
  withEffects,
  withPayment,
  withPostings,
} from '../step.ts';

interface NewClaim {
  readonly kind: Claim['kind'];
  readonly amount: Amount;
  readonly from: Account;
  readonly to: Destination | undefined;
  readonly reason: string;
  readonly isOurs?: boolean;
}

/**
 * Whoever sends to an order can make claims of it; those that others stand for are no more. Specks take no room from what is
 * worth something: an atom of each listed asset would fill it, and of each there is one claim of specks at most.
 */
export const isFull = (order: Order, rules: Rules): boolean => roomFor(order, rules) === 0;

/** How many claims there may be beside those that there are. */
export const roomFor = ({ claims }: Order, rules: Rules): number =>
  Math.max(0, rules.mostClaims - claims.filter(({ stage, isSpeck }) => stage !== 'replaced' && !isSpeck).length);

/**
 * Records money as owed back, joined with whatever is kept or waits for an address beside it: the claim that was there first
 * grows, so that nobody makes many by sending often. With a destination its refund is priced at once, without one the customer
 * is asked. What is owed now is always the last claim.
 */
export function openClaim(order: Order, claim: NewClaim): Step {
  const to = claim.to?.asset === claim.amount.asset ? claim.to : fitting(order, claim.amount);
  const joined = order.claims.filter((one) => isJoinable(one, claim, to));
  const [first, ...others] = joined;
  const number = first?.number ?? order.claims.length + 1;
  const spent = total(
    claim.amount.asset,
    joined.flatMap(({ gasSpent }) => gasSpent ?? []),
  );
  const opened: Claim = {
    ...{ ...claim, number, to, stage: 'address_required' },
    amount: total(claim.amount.asset, [claim.amount, ...joined.map((one) => one.amount)]),
    ...(isZero(spent) ? {} : { gasSpent: spent }),
  };
  const without = others.reduce((now, one) => update(now, one.number, { stage: 'replaced' }), order);
  const stands = others.reduce((now, one) => outcomeMoved(now, one.number, number), without);
  const step = stay({ ...stands, claims: [...stands.claims.filter((one) => one.number !== number), opened] });
  const told = to ? then(step, (now) => priceClaim(now, opened, to)) : asked(step, number);
  return then(told, (now) => coinsCame(now, opened));
}

/** Its customer is asked for an address, unless it turns out to be a listed account's: then it goes back there. */
function asked(step: Step, claim: number): Step {
  const looked = withEffects(step, { effect: 'price_claim', claim });
  return canBeAsked(step.order) ? looked : withCase(looked, { case: 'refund_unasked', claim });
}

/** The reads of v1's bridge have no word for an address that is needed, so somebody must tell its customer. */
const canBeAsked = ({ generation, product }: Order): boolean => generation === 'v2' || product === 'swap';

const fitting = (order: Order, amount: Amount): Destination | undefined =>
  order.refundTo?.asset === amount.asset ? order.refundTo : undefined;

/** Nothing was set apart for it yet, and it goes from the same account to the same place on the same conditions. */
function isJoinable(one: Claim, claim: NewClaim, to: Destination | undefined): boolean {
  const isOpen = !one.isSpeck && (one.stage === 'address_required' || one.stage === 'kept' || one.stage === 'pricing');
  const isSame =
    one.kind === claim.kind &&
    one.amount.asset === claim.amount.asset &&
    sameAccount(one.from, claim.from) &&
    one.to?.address === to?.address &&
    (one.isOurs ?? false) === (claim.isOurs ?? false);
  return isOpen && isSame;
}

/** The claim that was the order's own outcome goes on under another number. */
function outcomeMoved(order: Order, from: number, to: number): Order {
  const { state } = order;
  const isOutcome = (state.phase === 'refunding' || state.phase === 'refunded') && state.claim === from;
  return isOutcome ? { ...order, state: { ...state, claim: to } } : order;
}

const priceClaim = (order: Order, { number }: Claim, to: Destination): Step =>
  withEffects(stay(update(order, number, { to, stage: 'pricing', kept: undefined })), {
    ...{ effect: 'price_claim', claim: number },
  });

/** Coins on an address may pay for what lies there and goes back only at its owner's expense. */
function coinsCame(order: Order, coins: Pick<Claim, 'amount' | 'from'>): Step {
  const waiting = order.claims.filter(
    ({ kept, from, stage }) =>
      stage === 'kept' &&
      kept?.why === 'unlisted' &&
      kept.cost.asset === coins.amount.asset &&
      sameAccount(from, coins.from),
  );
  return waiting.reduce((step, one) => (one.to ? then(step, priceAgain(one, one.to)) : step), stay(order));
}

const priceAgain =
  (claim: Claim, to: Destination) =>
  (order: Order): Step =>
    priceClaim(order, claim, to);

/** Nobody earns from our costs: what a refund costs decides whether it is made, and is deducted unless the desk is its reason. */
export function claimPriced(order: Order, fact: Of<'claim_priced'>, rules: Rules): Outcome {
  const { cost, inAsset, at } = fact;
  const known = order.claims.find(({ number }) => number === fact.claim);
  const claim = known && { ...known, to: fact.sender ?? known.to };
  const isPriced = claim?.stage === 'pricing' || claim?.stage === 'kept';
  if (!claim?.to || !(isPriced || (fact.sender && isWaiting(claim)))) return 'ignore';
  const least = leastWorth(claim, fact, rules);
  const isPayable = fact.least === undefined || atLeast(netOf(claim), fact.least);
  if (claim.isDecided && isPayable) return payClaim(order, claim, claim.to);
  if (!inAsset || !least) return unlistedPriced(order, claim, claim.to, cost);
  if (!atLeast(netOf(claim), least)) return keepClaim(order, claim, { why: 'small', cost, least }, at, rules);
  if (claim.isOurs || isZero(inAsset)) return payClaim(order, claim, claim.to);
  const to = chargeTo(order, claim, cost);
  const charged = stay(update(order, claim.number, { charged: { amount: inAsset, to } }));
  return withPostings(
    then(charged, (now) => payClaim(now, { ...claim, charged: { amount: inAsset, to } }, claim.to as Destination)),
    move(accountAt(order, claim.from), to, inAsset),
  );
}

/** From this on it goes back: it is worth its cost, and what arrives is no less than its chain lets anybody be paid. */
function leastWorth({ isOurs }: Claim, { inAsset, least }: Of<'claim_priced'>, rules: Rules): Amount | undefined {
  if (!inAsset) return undefined;
  const worth = amount(inAsset.asset, inAsset.atoms * rules.refundMultiple);
  const sent = least && (isOurs ? least : add(least, inAsset));
  return sent && atLeast(sent, worth) ? sent : worth;
}

/** What is deducted stays where the money lies; coins pay for the refund itself where the account that sends pays. */
function chargeTo(order: Order, { from, amount: { asset } }: Claim, cost: Amount): LedgerAccount {
  if (from === 'hot') return 'fees';
  return asset === cost.asset && order.feePayer === 'sender' ? 'gas' : leftOf(order);
}

/** A token that nobody lists goes back when its owner has sent coins for the gas, or when a person decides. */
function unlistedPriced(order: Order, claim: Claim, to: Destination, cost: Amount): Step {
  const coins = order.claims.find(
    (one) =>
      one.stage === 'address_required' &&
      one.amount.asset === cost.asset &&
      sameAccount(one.from, claim.from) &&
      atLeast(netOf(one), cost),
  );
  if (!coins) {
    const kept = stay(
      update(order, claim.number, { to, stage: 'kept', kept: { why: 'unlisted', cost, least: undefined } }),
    );
    return withCase(kept, { case: 'unlisted_refund', claim: claim.number, asset: claim.amount.asset });
  }
  const gasSpent = coins.gasSpent ? add(coins.gasSpent, cost) : cost;
  const isUsedUp = isZero(netOf({ ...coins, gasSpent }));
  const taken = stay(update(order, coins.number, { gasSpent, ...(isUsedUp ? { stage: 'completed' } : {}) }));
  return withPostings(
    then(taken, (now) => payClaim(now, claim, to)),
    move(accountAt(order, coins.from), 'gas', cost),
  );
}

/** Shown, joined with what comes later, and priced again ever more rarely: gas may become cheap. */
function keepClaim(order: Order, { number, to }: Claim, kept: KeptClaim, at: Instant, rules: Rules): Step {
  const age = at - order.createdAt;
  const due = later(at, age > rules.repriceAfterMs ? age : rules.repriceAfterMs);
  return withEffects(stay(update(order, number, { to, stage: 'kept', kept: { ...kept, due } })), {
    ...{ effect: 'price_claim', claim: number, due },
  });
}

function payClaim(order: Order, claim: Claim, to: Destination): Step {
  const { number, from } = claim;
  return withPayment(stay(update(order, number, { to, stage: 'paying', kept: undefined })), {
    purpose: { for: 'refund', claim: number },
    from,
    amount: netOf(claim),
    to: to.address,
    binding: to.binding,
  });
}

/** The address serves every claim of its asset that waits for one. */
export function giveRefundAddress(order: Order, to: Destination): Outcome {
  const waiting = order.claims.filter((claim) => isWaiting(claim) && claim.amount.asset === to.asset);
  if (waiting.length === 0) return 'ignore';
  const start = stay({ ...order, refundTo: order.refundTo ?? to });
  return waiting.reduce((step, claim) => then(step, (now) => priceClaim(now, claim, to)), start);
}

/** A speck waits for nobody: it is worth less than the asking. */
export const isWaiting = (claim: Claim): boolean => claim.stage === 'address_required' && !claim.isSpeck;

/**
 * Records money as owed back where it is worth giving back, together with what had been too little before. A speck is
 * booked and neither shown nor paid; specks of one asset are one claim, which is emptied and stays, so that nobody can make many of them.
 */
export function oweBack(order: Order, claim: NewClaim, isSpeck: boolean): Step {
  const speck = order.claims.find(
    (one) =>
      one.isSpeck &&
      one.stage === 'address_required' &&
      one.kind === claim.kind &&
      one.amount.asset === claim.amount.asset,
  );
  if (!isSpeck && !speck) return openClaim(order, claim);
  if (!isSpeck && speck) {
    // What was spent of it is nobody's any more.
    const emptied = update(order, speck.number, { amount: speck.gasSpent ?? zero(claim.amount.asset) });
    return openClaim(emptied, { ...claim, amount: add(netOf(speck), claim.amount) });
  }
  const kept = speck
    ? update(order, speck.number, { amount: add(speck.amount, claim.amount) })
    : { ...order, claims: [...order.claims, speckOf(order, claim)] };
  return coinsCame(kept, claim);
}

const speckOf = ({ claims }: Order, claim: NewClaim): Claim => ({
  ...{ ...claim, to: undefined, number: claims.length + 1 },
  ...{ stage: 'address_required', isSpeck: true },
});

function update(order: Order, number: number, change: Partial<Claim>): Order {
  return { ...order, claims: order.claims.map((claim) => (claim.number === number ? { ...claim, ...change } : claim)) };
}

/** A person decided that it goes back, whatever that costs: a refund that was kept is made, one that was refused is asked for anew. */
export function claimDecided(order: Order, number: number): Outcome {
  const claim = order.claims.find((one) => one.number === number);
  if (claim?.stage !== 'kept' || !claim.to) return replaceClaim(order, number);
  return priceClaim(update(order, number, { isDecided: true }), claim, claim.to);
}

/**
 * The chain refuses the address for good, so the customer is asked for another. The money is still on the account that it
 * was to leave; the claim that could not be paid is over, and a new one stands for it.
 */
function replaceClaim(order: Order, number: number): Outcome {
  const claim = order.claims.find((one) => one.number === number);
  const isRefused = claim && refundPayment(order, claim)?.state.state === 'refused';
  if (claim?.stage !== 'blocked' || !isRefused) return 'ignore';
  const next: Claim = { ...claim, number: order.claims.length + 1, to: undefined, stage: 'address_required' };
  const replaced = outcomeMoved(update(order, number, { stage: 'replaced' }), number, next.number);
  return stay({ ...replaced, claims: [...replaced.claims, next] });
}

/** What a refund's payment means for its claim; whether the order is over then is told by `closeRefund`. */
export function refundHeard(order: Order, { claim: number }: PurposeOf<'refund'>, heard: Heard): Step {
  switch (heard.heard) {
    case 'paid':
      return stay(update(order, number, { stage: 'completed' }));
    case 'settled':
      return stay(order);
    case 'unpaid': {
      const claim = order.claims.find((one) => one.number === number);
      const spent = claim && spentInVain(claim, heard.wasted);
      const gasSpent = spent && { gasSpent: claim.gasSpent ? add(claim.gasSpent, spent) : spent };
      const blocked = stay(update(order, number, { stage: 'blocked', charged: undefined, ...gasSpent }));
      const told = withCase(blocked, { case: 'refund_refused', claim: number, reason: heard.reason });
      if (!claim?.charged) return told;
      // What was deducted for a refund that is not made is owed again.
      const { amount: charged, to } = claim.charged;
      return withPostings(told, move(to, accountAt(order, claim.from), spent ? subtract(charged, spent) : charged));
    }
  }
}

/** A refund that pays for itself took coins from where they lay though it failed; more than was deducted is not their owner's to bear. */
function spentInVain({ charged }: Claim, wasted: Amount | undefined): Amount | undefined {
  if (charged?.to !== 'gas' || !wasted) return undefined;
  return atLeast(wasted, charged.amount) ? charged.amount : wasted;
}
