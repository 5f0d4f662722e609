import type { Instant } from '../../../kernel/clock.ts';
import type { Heard } from '../../payment/advance.ts';
import type { Of } from '../fact.ts';
import type { Order } from '../order.ts';
import type { State } from '../state.ts';
import { depositAccount, enter, type Step, stay, withCase, withPayment } from '../step.ts';
import { giveBack } from './deposit.ts';
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

export function collectionHeard(order: Order, heard: Heard, at: Instant): Step {
  if (order.state.phase !== 'collecting') return stay(order);
  switch (heard.heard) {
    case 'paid':
      return enterLeg(order, 0, order.used, at);
    case 'settled':
      return stay(order);
    case 'unpaid': {
      // The deposit cannot be moved from where it lies (a token may freeze accounts): a person must look.
      const state: State = { phase: 'failed', code: 'deposit_not_collectable', at };
      return withCase(enter(order, state), { case: 'collection_refused', reason: heard.reason });
    }
  }
}
