import { atLeast, equal, isZero, subtract, zero } from '../../../kernel/amount.ts';
import { move } from '../../payment/posting.ts';
import type { Of } from '../fact.ts';
import type { Claim, Order } from '../order.ts';
import { accountAt, enter, type Outcome, type Step, stay, withCase, withPostings } from '../step.ts';

/** Owed like any deposit, and given back by hand: nobody knows an address that a reward can be sent on to at once. */
export function rewarded(order: Order, { total, from }: Of<'reward_observed'>): Outcome {
  const known = order.strays.find(({ asset }) => asset === total.asset) ?? zero(total.asset);
  if (!atLeast(total, known) || equal(total, known)) return 'ignore';
  const amount = subtract(total, known);
  const reason = 'a mining reward cannot be carried out';
  const number = order.claims.length + 1;
  const claim: Claim = { number, kind: 'reward', amount, from, stage: 'blocked', to: undefined, reason };
  const strays = [...order.strays.filter(({ asset }) => asset !== total.asset), total];
  const owed = { ...order, strays, claims: [...order.claims, claim] };
  const isAll = order.state.phase === 'awaiting_deposit' && isZero(order.funds.seen);
  const step: Step = isAll ? enter(owed, { phase: 'refunding', claim: number, reason }) : stay(owed);
  const noted = withCase(step, { case: 'reward_received', asset: amount.asset, atoms: amount.atoms });
  return withPostings(noted, move('world', accountAt(order, from), amount));
}
