import { type Amount, atLeast, isZero, scale } from '../../../kernel/amount.ts';
import type { Instant } from '../../../kernel/clock.ts';
import type { Address } from '../../../kernel/ids.ts';
import { percent, type Ratio, ratio } from '../../../kernel/ratio.ts';
import type { Heard } from '../../payment/advance.ts';
import type { CostsNow, Of } from '../fact.ts';
import type { Order } from '../order.ts';
import type { Rules } from '../rules.ts';
import type { State } from '../state.ts';
import { depositAccount, enter, type Outcome, type Step, stay, withCase, withPayment } from '../step.ts';
import { claimDecided } from './claim.ts';
import { giveBack, giveBackPart } from './deposit.ts';
import { withFeeSettled } from './fees.ts';
import { enterLeg } from './leg.ts';

/** Cleared deposits are collected first where they lie on an address of their own; then the first leg begins. */
export function screened(order: Order, fact: Of<'deposit_screened'>, rules: Rules): Step {
  const known = repriced({ ...order, sender: fact.sender }, fact.costs);
  const from = depositAccount(order);
  if (!fact.clear) {
    const reason = 'the deposit did not pass screening';
    return giveBack(known, { amount: order.used, from, reason });
  }
  if (fact.costs && !carriesItself(order, fact.costs, rules))
    return giveBack(known, { amount: order.used, from, reason: TOO_DEAR });
  if (!order.collects) return enterLeg(known, 0, known.used, fact.at);
  return collect(known, fact.hot, 0);
}

const collect = (order: Order, to: Address, again: number): Step =>
  withPayment(enter(order, { phase: 'collecting' }), {
    ...{ purpose: { for: 'collection', again }, from: depositAccount(order), amount: order.used, to },
  });

/** Gas is measured narrowly, and what the account of a token costs may change in between: then it is measured anew. */
const MOST_COLLECTIONS = 3;

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
  if (order.state.phase !== 'collecting') return stay(order);
  switch (heard.heard) {
    case 'paid':
      return enterLeg(order, 0, order.used, at);
    case 'settled':
      return stay(order);
    case 'unpaid': {
      const { purpose, to } = heard.payment;
      const next = purpose.for === 'collection' ? (purpose.again ?? 0) + 1 : MOST_COLLECTIONS;
      if (heard.wasExecuted && next < MOST_COLLECTIONS) return collect(order, to, next);
      // The deposit cannot be moved from where it lies (a token may freeze accounts): a person must look.
      const state: State = { phase: 'failed', code: NOT_COLLECTABLE, at };
      return withCase(enter(order, state), { case: 'collection_refused', reason: heard.reason });
    }
  }
}
