import { isZero } from '../../../kernel/amount.ts';
import type { Instant } from '../../../kernel/clock.ts';
import type { Heard } from '../../payment/advance.ts';
import type { Of } from '../fact.ts';
import type { Order } from '../order.ts';
import type { State } from '../state.ts';
import { depositAccount, enter, type Outcome, type Step, stay, withCase, withPayment } from '../step.ts';
import { claimDecided } from './claim.ts';
import { giveBack, giveBackPart } from './deposit.ts';
import { enterLeg } from './leg.ts';

/** Cleared deposits are collected first where they lie on an address of their own; then the first leg begins. */
export function screened(order: Order, fact: Of<'deposit_screened'>): Step {
  const known = { ...order, sender: fact.sender };
  const from = depositAccount(order);
  if (!fact.clear) {
    const reason = 'the deposit did not pass screening';
    return giveBack(known, { amount: order.used, from, reason });
  }
  if (!order.collects) return enterLeg(known, 0, known.used, fact.at);
  return withPayment(enter(known, { phase: 'collecting' }), {
    purpose: { for: 'collection' },
    from,
    amount: order.used,
    to: fact.hot,
  });
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
      // The deposit cannot be moved from where it lies (a token may freeze accounts): a person must look.
      const state: State = { phase: 'failed', code: NOT_COLLECTABLE, at };
      return withCase(enter(order, state), { case: 'collection_refused', reason: heard.reason });
    }
  }
}
