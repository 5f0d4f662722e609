import { isZero } from '../../../kernel/amount.ts';
import type { Address } from '../../../kernel/ids.ts';
import type { Of } from '../fact.ts';
import type { Order } from '../order.ts';
import type { In, State } from '../state.ts';
import {
  depositAccount,
  depositPayer,
  enter,
  intentAccount,
  move,
  type Outcome,
  raiseCase,
  type Step,
  wasted,
  withIntent,
  withPostings,
} from '../step.ts';
import { giveBack } from './deposit.ts';
import { enterLeg } from './leg.ts';

/** Cleared deposits are collected first where they lie on an address of their own; then the first leg begins. */
export function screened(order: Order, fact: Of<'deposit_screened'>): Step {
  const known = { ...order, sender: fact.sender };
  if (!fact.clear) {
    const reason = 'the deposit did not pass screening';
    return giveBack(known, { amount: order.used, from: depositAccount(order), reason });
  }
  if (!order.collects) return enterLeg(known, 0, known.used, fact.at);
  const forWhat = { kind: 'sweep', leg: 0 } as const;
  return enter(
    known,
    { phase: 'funding_gas', hot: undefined },
    { effect: 'price_gas', forWhat, from: depositAccount(order), amount: order.used },
  );
}

export function collectionPriced(order: Order, state: In<'funding_gas'>, fact: Of<'gas_priced'>): Outcome {
  if (fact.forWhat.kind !== 'sweep' || state.hot) return 'ignore';
  if (isZero(fact.needed)) return collect(order, fact.hot);
  const funded = withIntent(enter(order, { phase: 'funding_gas', hot: fact.hot }), {
    kind: 'gas',
    leg: 0,
    from: 'hot',
    amount: fact.needed,
    to: order.depositAddress,
    toDeposit: order.depositIndex,
  });
  return withPostings(funded, move('treasury', intentAccount(order, 'gas', 0), fact.needed));
}

/** Moves coins between two accounts of ours: nothing is posted but its cost. */
function collect(order: Order, hot: Address): Step {
  return withIntent(enter(order, { phase: 'collecting' }), {
    kind: 'sweep',
    leg: 0,
    from: depositAccount(order),
    amount: order.used,
    to: hot,
  });
}

export function gasArrived(order: Order, state: In<'funding_gas'>, fact: Of<'intent_final'>): Outcome {
  if (!state.hot) return 'ignore';
  return withPostings(
    collect(order, state.hot),
    move(intentAccount(order, 'gas', 0), 'gas', fact.amount),
    move('treasury', 'world', fact.cost),
  );
}

export function collected(order: Order, fact: Of<'intent_final'>): Step {
  return withPostings(enterLeg(order, 0, order.used, fact.at), move(depositPayer(order), 'world', fact.cost));
}

/** The deposit cannot be moved from where it lies (a token may freeze accounts): a person must look. */
export function collectionRefused(order: Order, fact: Of<'intent_refused'>): Step {
  const state: State = { phase: 'failed', code: 'deposit_not_collectable', at: fact.at };
  const reason = `${fact.intent.kind} refused: ${fact.reason}`;
  const freed = fact.intent.kind === 'gas' ? wasted(fact, 'treasury') : wasted(fact, depositPayer(order));
  return withPostings(enter(order, state, raiseCase(reason)), ...freed);
}
