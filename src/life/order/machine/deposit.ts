import { type Amount, add, atLeast, equal, isZero, scale, subtract, zero } from '../../../kernel/amount.ts';
import { type Instant, later } from '../../../kernel/clock.ts';
import { showUsd, type UsdMicros, usdValue } from '../../../kernel/usd.ts';
import { move } from '../../payment/posting.ts';
import type { Of } from '../fact.ts';
import { type Destination, netOf, type Order } from '../order.ts';
import type { Rules } from '../rules.ts';
import type { In, Phase, RestWait } from '../state.ts';
import {
  accountAt,
  depositAccount,
  enter,
  type Outcome,
  type Step,
  stay,
  then,
  unclaimed,
  withCase,
  withEffects,
  withPostings,
} from '../step.ts';
import { isFull, oweBack } from './claim.ts';

/** Complete by type: whether nothing was done with the deposit yet, so that the chain may still take it back. */
const IS_UNTOUCHED: Readonly<Record<Phase, boolean>> = {
  awaiting_deposit: true,
  confirming: true,
  below_minimum: true,
  screening: false,
  collecting: false,
  stocking: false,
  trading: false,
  placing: false,
  swapping: false,
  provider_failed: false,
  payout_due: false,
  paying: false,
  payout_refused: false,
  refunding: false,
  completed: false,
  refunded: false,
  expired: false,
  failed: false,
};

/** Takes over what the chain shows. What became final is credited; credit already given out is never taken back silently. */
export function observe(order: Order, fact: Of<'deposit_observed'>): Step {
  const before = order.funds.confirmed;
  const orphaned = !atLeast(fact.confirmed, before);
  const kept = orphaned && !IS_UNTOUCHED[order.state.phase];
  const confirmed = kept ? before : fact.confirmed;
  const { seen, txHash, sender, senders, isCrowd, have, need } = fact;
  const crowd = isCrowd ? { isCrowd } : {};
  const firstSeenAt = seenSince(order, fact.firstSeenAt);
  const funds = { seen, confirmed, firstSeenAt, txHash, sender, senders, ...crowd, have, need };
  if (kept) return orphan({ ...order, funds }, subtract(before, fact.confirmed));
  const step = stay({ ...order, funds });
  const account = accountAt(order, depositAccount(order));
  return orphaned
    ? withPostings(step, move(account, 'world', subtract(before, confirmed)))
    : withPostings(step, move('world', account, subtract(confirmed, before)));
}

/**
 * Enough was seen in time. A wallet that bids more, or a block that is replaced, brings the same money back under another name, which was
 * seen later: nobody is late for that, and prices are those of the moment in which it is final.
 */
function seenSince({ state, funds }: Order, now: Instant): Instant {
  const wasInTime = state.phase === 'confirming' || (state.phase === 'awaiting_deposit' && state.until !== undefined);
  return wasInTime && funds.firstSeenAt !== undefined && funds.firstSeenAt < now ? funds.firstSeenAt : now;
}

/** The order is held from here on, at every step, until it is back; and a person is told what may be lost. */
function orphan(order: Order, missing: Amount): Step {
  const usd = showUsd(usdValue(missing, order.route.fromPrice));
  const { asset, atoms } = missing;
  return withCase(stay({ ...order, funds: { ...order.funds, missing } }), {
    ...{ case: 'deposit_orphaned', asset, atoms, usd },
  });
}

/** Enough to go on without waiting for more: of all that was seen, or of what is final of it. */
export function isEnough(order: Order, rules: Rules, sum = order.funds.seen): boolean {
  if (isZero(sum) || isLate(order)) return false;
  return atLeast(sum, order.deposits === 'top_up' ? scale(order.asked, rules.enough, 'up') : order.minimum);
}

/** First seen after the deadline: it does not fund the order, it is owed back. */
export const isLate = (order: Order): boolean =>
  order.funds.firstSeenAt !== undefined && order.funds.firstSeenAt > order.expiresAt;

/** Strictly under 1 % of what was asked shows no notice. */
export const isDust = (order: Order, rules: Rules): boolean =>
  !atLeast(order.funds.seen, scale(order.asked, rules.dust, 'up')) || isZero(order.funds.seen);

/** Worth going on with, once nobody waits for more. */
function isWorthwhile(order: Order, rules: Rules, sum = order.funds.seen): boolean {
  if (order.deposits !== 'top_up' || isZero(sum) || isLate(order)) return false;
  return usdValue(sum, order.route.fromPrice) >= rules.continueFrom;
}

/** Where an unfinished deposit stands, whatever phase it was in. A wait that was closed on what has gone is open again. */
function weigh(order: Order, before: Amount, rules: Rules, at: Instant): Step {
  if (isEnough(order, rules)) return settle(order, false, at, rules);
  const until = comesBackBy(order, before, at, rules);
  const phase = until === undefined && isSettledShort(order, rules) ? 'below_minimum' : 'awaiting_deposit';
  if (order.state.phase === phase && until === undefined) return stay(order);
  const state: Order['state'] = phase === 'awaiting_deposit' && until !== undefined ? { phase, until } : { phase };
  const due = until ?? (at > order.expiresAt ? at : order.expiresAt);
  return withEffects(keep({ ...order, waitClosed: false }, state), { effect: 'judge_deadline', due });
}

/** All that came is final, and it is too little to be carried out as it comes. */
function isSettledShort(order: Order, rules: Rules): boolean {
  const { seen, confirmed } = order.funds;
  const isWhole = !isZero(confirmed) && equal(seen, confirmed);
  return order.deposits === 'as_it_comes' && isWhole && !isLate(order) && !isDust(order, rules);
}

/**
 * A block that is replaced takes its payments with it, and most are in another soon: whoever paid in time is not late for that, whatever
 * else lies there. Specks that go are nothing to wait for, and however often it happens, the wait has an end.
 */
function comesBackBy(order: Order, before: Amount, at: Instant, rules: Rules): Instant | undefined {
  const { expiresAt, funds } = order;
  const by = later(at, rules.comesBackMs);
  if (by <= expiresAt || at >= later(expiresAt, rules.topUpPatienceMs)) return undefined;
  if (atLeast(funds.seen, before) || isLate(order)) return undefined;
  return isSpeckHere(order, subtract(before, funds.seen), rules) ? undefined : by;
}

/**
 * Goes on with everything that arrived, as soon as all of it is final. Anybody can send more, again and again or so that no
 * block ever takes it: a speck is not waited for, and all else only until a time that no transfer puts off.
 */
function settle(order: Order, closed: boolean, at: Instant, rules: Rules): Step {
  const { seen, confirmed } = order.funds;
  if (equal(seen, confirmed)) return goOn(order);
  if (isNothingFinal(order, rules)) return keep(order, { phase: 'confirming', closed });
  if (goesAlone(order, rules, closed) && isSpeckHere(order, subtract(seen, confirmed), rules)) return goOn(order);
  const known = order.state.phase === 'confirming' ? order.state.rest : undefined;
  const rest = restWait(order, known, at, rules);
  if (rest.until <= at) return goesAlone(order, rules, true) ? goOn(order) : giveUp(order, at, rules);
  const step = keep(order, { phase: 'confirming', closed, rest });
  return rest === known ? step : withEffects(step, { effect: 'judge_deadline', due: rest.until });
}

/** Specks are anybody's, and must not set a limit to a deposit that is still under way. */
const isNothingFinal = (order: Order, rules: Rules): boolean =>
  isZero(order.funds.confirmed) || isSpeckHere(order, order.funds.confirmed, rules);

/** Whether what is final is enough without the rest. */
const goesAlone = (order: Order, rules: Rules, isClosed: boolean): boolean =>
  isEnough(order, rules, order.funds.confirmed) || (isClosed && isWorthwhile(order, rules, order.funds.confirmed));

/** Until when the rest is waited for: by what is final and by the clock, for what is merely seen costs a stranger nothing. */
function restWait(order: Order, known: RestWait | undefined, at: Instant, rules: Rules): RestWait {
  const isReady = goesAlone(order, rules, order.waitClosed);
  if (known?.isReady === isReady) return known;
  const until = isReady ? later(at, rules.restPatienceMs) : later(order.expiresAt, rules.topUpPatienceMs);
  return { until, isReady };
}

/** What is final goes on without the rest, or is owed back; whatever of the rest becomes final is owed back as any extra. */
export function restOverdue(order: Order, state: In<'confirming'>, at: Instant, rules: Rules): Outcome {
  const isTooEarly = state.rest !== undefined && at < state.rest.until;
  return isTooEarly || isNothingFinal(order, rules) ? 'ignore' : settle(order, state.closed, at, rules);
}

const goOn = (order: Order): Step =>
  enter({ ...order, used: order.funds.confirmed }, { phase: 'screening' }, { effect: 'screen_deposit' });

/** What is final of it is owed; whoever was told that it is too little is told that it is his, too. */
const giveUp = (order: Order, at: Instant, rules: Rules): Step =>
  then(enter(order, { phase: 'expired', at }), (now) => claimRest(now, rules, order.state.phase === 'below_minimum'));

function keep(order: Order, state: Order['state']): Step {
  return stay({ ...order, state });
}

export function whileAwaiting(order: Order, fact: Of<'deposit_observed'>, rules: Rules): Step {
  return then(observe(order, fact), (now) => weigh(now, order.funds.seen, rules, fact.at));
}

export function whileConfirming(order: Order, fact: Of<'deposit_observed'>, rules: Rules): Step {
  const closed = order.state.phase === 'confirming' && order.state.closed;
  return then(observe(order, fact), (now) =>
    closed && isWorthwhile(now, rules)
      ? settle(now, true, fact.at, rules)
      : weigh(now, order.funds.seen, rules, fact.at),
  );
}

/** After the deposit was taken up or given up: whatever more becomes final is owed to its sender. */
export function afterwards(order: Order, fact: Of<'deposit_observed'>, rules: Rules): Step {
  return then(observe(order, fact), (now) => claimRest(now, rules));
}

/** What comes to an order that has claims enough is for a person to look at. */
function claimRest(order: Order, rules: Rules, wasShown = false): Step {
  const rest = unclaimed(order);
  if (isZero(rest)) return stay(order);
  if (isFull(order, rules)) return withCase(stay(order), { case: 'claims_full' });
  const from = depositAccount(order);
  const claim = { kind: 'source', amount: rest, from, to: bySender(order), reason: whyOwed(order) } as const;
  const worth = usdValue(withSpecks(order, rest), order.route.fromPrice);
  return oweBack(order, claim, !wasShown && isSpeck(order, worth, rules));
}

/** So much of an asset, with what of it had been too little before. */
export const withSpecks = (order: Order, more: Amount): Amount =>
  order.claims
    .filter(({ isSpeck, stage, amount }) => isSpeck && stage === 'address_required' && amount.asset === more.asset)
    .reduce((total, claim) => add(total, netOf(claim)), more);

/** Dust beside what was asked for, and little in itself: one percent of a large order is real money. */
export function isSpeck(order: Order, worth: UsdMicros, rules: Rules): boolean {
  const dust = usdValue(scale(order.asked, rules.dust, 'up'), order.route.fromPrice);
  return worth < dust && worth < rules.speckBelow;
}

const isSpeckHere = (order: Order, sum: Amount, rules: Rules): boolean =>
  isSpeck(order, usdValue(sum, order.route.fromPrice), rules);

/**
 * In v2 the customer is asked where late and extra money goes (D64). v1 shows an order's outcome and nothing beside it, so
 * there it goes back by itself where all of it, this included, came from the one plain account that was shown before (D65).
 */
const bySender = ({ generation, sender, funds }: Order): Destination | undefined =>
  generation === 'v1' && sender !== undefined && sender.address === funds.sender ? sender : undefined;

function whyOwed(order: Order): string {
  if (order.state.phase !== 'expired') return 'arrived after the deposit was settled';
  return isLate(order) ? 'arrived after the deadline' : 'too small to be carried out';
}

/** The deadline, or the customer's word not to wait: continue on what arrived, unless it is worth too little. */
export function closeWait(order: Order, at: Instant, rules: Rules): Step {
  return isWorthwhile(order, rules) ? settle(order, true, at, rules) : giveUp(order, at, rules);
}

/**
 * Money on another chain, or of another asset: never carried out, always owed back to an address the customer names. It
 * stands beside the order, which waits for what was asked for as before.
 */
export function stray(order: Order, fact: Of<'stray_observed'>, rules: Rules): Outcome {
  const { asset } = fact.total;
  const known = order.strays.find((amount) => amount.asset === asset) ?? zero(asset);
  if (!atLeast(fact.total, known) || equal(fact.total, known)) return 'ignore';
  if (isFull(order, rules)) return withCase(stay(order), { case: 'claims_full' });
  const delta = subtract(fact.total, known);
  const strays = [...order.strays.filter((amount) => amount.asset !== asset), fact.total];
  const credited = withPostings(stay({ ...order, strays }), move('world', accountAt(order, fact.from), delta));
  const reason = 'sent on another chain or in another asset';
  const claim = { kind: 'wrong_chain', amount: delta, from: fact.from, to: undefined, reason } as const;
  return then(credited, (now) => oweBack(now, claim, fact.isSpeck ?? false));
}

export const isBelowExpected = (order: Order, rules: Rules): boolean =>
  order.state.phase === 'awaiting_deposit' &&
  order.deposits === 'top_up' &&
  !isDust(order, rules) &&
  !isEnough(order, rules) &&
  !isLate(order) &&
  order.state.until === undefined;
