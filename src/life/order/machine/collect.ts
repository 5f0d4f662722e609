import { type Amount, atLeast, isZero, scale } from '../../../kernel/amount.ts';
import type { Instant } from '../../../kernel/clock.ts';
import type { Address } from '../../../kernel/ids.ts';
import { percent, type Ratio, ratio } from '../../../kernel/ratio.ts';
import { usdValue } from '../../../kernel/usd.ts';
import type { Heard } from '../../payment/advance.ts';
import { numberOf, type Payment } from '../../payment/payment.ts';
import { move } from '../../payment/posting.ts';
import type { CostsNow, Of } from '../fact.ts';
import { collectionPayment, type Order } from '../order.ts';
import type { Rules } from '../rules.ts';
import {
  accountAt,
  accountOf,
  depositAccount,
  enter,
  leftOf,
  type Outcome,
  type Step,
  stay,
  then,
  withCase,
  withPayment,
  withPostings,
} from '../step.ts';
import { claimDecided } from './claim.ts';
import { withFeeSettled } from './fees.ts';
import { giveBack, giveBackInParts, giveBackPart } from './give-back.ts';
import { enterLeg } from './leg.ts';

/**
 * Cleared deposits go on at once: with coins of the desk's where they lie on an address of their own, and are collected beside.
 * Where the desk has too few, or much is at stake, they are collected first.
 */
export function screened(order: Order, fact: Of<'deposit_screened'>, rules: Rules): Step {
  const known = repriced({ ...order, sender: fact.sender }, fact.costs);
  const from = depositAccount(order);
  if (!fact.clear) {
    const { isTainted = false, sender, parts = [] } = fact;
    const reason = `the ${isTainted ? 'deposit' : 'destination'} did not pass screening`;
    const given = { amount: order.used, from, reason };
    if (!isTainted) return giveBack(known, given);
    // Tainted money goes to nobody but its senders, where the chain shows them: an address that was named would be a way to wash it.
    return sender ? giveBack(known, { ...given, to: sender }) : giveBackInParts(known, given, parts, rules);
  }
  if (fact.costs && !carriesItself(order, fact.costs, rules))
    return giveBack(known, { amount: order.used, from, reason: TOO_DEAR });
  if (!order.collects) return enterLeg(known, 0, known.used, fact.at);
  if (fact.fromStock && mayGoOnFromStock(known, rules)) return goOnFromStock(known, fact.hot, fact.at);
  return collect(enter(known, { phase: 'collecting' }), {
    amount: known.used,
    to: fact.hot,
    again: 0,
    forHouse: false,
  });
}

/** What is lost where a deposit cannot be moved after all is bounded. */
const mayGoOnFromStock = ({ used, route }: Order, { collectFirstFrom }: Rules): boolean =>
  usdValue(used, route.fromPrice) < collectFirstFrom;

interface Collecting extends Pick<Payment, 'amount' | 'to'> {
  readonly again: number;
  readonly forHouse: boolean;
}

const collect = (step: Step, { amount, to, again, forHouse }: Collecting): Step =>
  withPayment(step, {
    ...{ from: depositAccount(step.order), amount, to },
    ...(forHouse
      ? { purpose: { for: 'collection', again, forHouse }, source: leftOf(step.order) }
      : { purpose: { for: 'collection', again } }),
  });

/** The desk gives coins of its own for those that lie there, and fetches these for itself. */
function goOnFromStock(order: Order, to: Address, at: Instant): Step {
  const exchanged = withPostings(
    stay(order),
    move('treasury', accountOf(order), order.used),
    move(accountAt(order, depositAccount(order)), leftOf(order), order.used),
  );
  const collecting = collect(exchanged, { amount: order.used, to, again: 0, forHouse: true });
  return then(collecting, (now) => enterLeg(now, 0, now.used, at));
}

/** Gas is measured narrowly, and what the account of a token costs may change in between: then it is measured anew. */
const MOST_COLLECTIONS = 3;

/** A person has it tried again: the token may have let go of the address. What was the order's own is given back instead. */
export function collectionRetried(order: Order): Outcome {
  const last = refusedForHouse(order);
  return last ? collectAgain(order, last) : 'ignore';
}

/** What was to fetch the desk's own part of the deposit, and was refused for good. */
export function refusedForHouse(order: Order): Payment | undefined {
  const last = collectionPayment(order);
  return last?.state.state === 'refused' && isForHouse(last) ? last : undefined;
}

const collectAgain = (order: Order, last: Payment): Step =>
  collect(stay(order), {
    ...{ amount: last.amount, to: last.to },
    ...{ again: numberOf(last.purpose) + 1, forHouse: isForHouse(last) },
  });

const isForHouse = ({ purpose }: Payment): boolean => purpose.for === 'collection' && purpose.forHouse === true;

const TOO_DEAR = 'network costs rose beyond what the deposit can carry';

/** No option for free: what networks take is fixed when the money is final, and what comes out follows from it. */
function repriced(order: Order, costs: CostsNow | undefined): Order {
  const settled = withFeeSettled(order, costs?.fee);
  const skipped = order.integratorFee && !settled.integratorFee ? percent(`${order.integratorFee.percent}`) : undefined;
  const known = { ...settled, expected: rescaled(order, costs, skipped) };
  if (!costs) return known;
  const others = settled.route.fees.filter(({ type }) => type !== 'network' && type !== 'activation');
  return { ...known, route: { ...settled.route, fees: [...others, ...costs.fees] } };
}

/** The estimate follows what is left of the deposit beside its costs; a fee that is skipped is left, too. */
function rescaled({ asked, expected }: Order, costs: CostsNow | undefined, skipped: Ratio | undefined): Amount {
  const fee = skipped ? scale(asked, skipped, 'down').atoms : 0n;
  const before = asked.atoms - (costs?.quoted.atoms ?? 0n) - fee;
  const left = asked.atoms - (costs?.now.atoms ?? 0n);
  if (before <= 0n || left === before) return expected;
  return scale(expected, ratio(left > 0n ? left : 0n, before), 'down');
}

/** Costs that were known when the order was made are no reason to give it back. */
function carriesItself({ used }: Order, { now, quoted }: CostsNow, rules: Rules): boolean {
  return atLeast(quoted, now) || atLeast(scale(used, rules.mostCostShare, 'down'), now);
}

const NOT_COLLECTABLE = 'deposit_not_collectable';

/** What lies on the deposit address is owed from there, beside an order that stays failed: nothing was carried out with it. */
export function giveBackDecided(order: Order, { what }: Of<'give_back_decided'>): Outcome {
  if (what !== 'deposit') return claimDecided(order, what.claim);
  const { state, used } = order;
  if (state.phase !== 'failed' || state.code !== NOT_COLLECTABLE || isZero(used)) return 'ignore';
  return giveBackPart(order, {
    amount: used,
    from: depositAccount(order),
    reason: 'the deposit could not be collected',
    isOurs: true,
  });
}

export function collectionHeard(order: Order, heard: Heard, at: Instant): Step {
  switch (heard.heard) {
    case 'paid':
      return order.state.phase === 'collecting' ? enterLeg(order, 0, order.used, at) : stay(order);
    case 'settled':
      return stay(order);
    case 'unpaid':
      return uncollected(order, heard, at);
  }
}

/** What cannot be moved from where it lies (a token may freeze accounts) needs a person. An order that has gone on is not touched by it. */
function uncollected(
  order: Order,
  { payment, reason, wasted }: Extract<Heard, { heard: 'unpaid' }>,
  at: Instant,
): Step {
  const forHouse = isForHouse(payment);
  if (!forHouse && order.state.phase !== 'collecting') return stay(order);
  if (wasted && numberOf(payment.purpose) + 1 < MOST_COLLECTIONS) return collectAgain(order, payment);
  if (forHouse) return withCase(stay(order), { case: 'advance_not_collected', reason });
  return withCase(enter(order, { phase: 'failed', code: NOT_COLLECTABLE, at }), { case: 'collection_refused', reason });
}
