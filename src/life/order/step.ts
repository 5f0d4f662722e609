import { type Amount, add, isZero, subtract, zero } from '../../kernel/amount.ts';
import { type AssetId, chainOf, intentId } from '../../kernel/ids.ts';
import type { Account } from '../../world/chains/chain.ts';
import type { Effect, LedgerAccount, NewIntent, Posting } from './effect.ts';
import type { Order } from './order.ts';
import type { State } from './state.ts';

/** What a fact leads to: the order after it, and what must be committed together with it. */
export interface Step {
  readonly order: Order;
  readonly effects: readonly Effect[];
  readonly postings: readonly Posting[];
  readonly intents: readonly NewIntent[];
}

export type Outcome = Step | 'ignore';

export const stay = (order: Order): Step => ({ order, effects: [], postings: [], intents: [] });

export const enter = (order: Order, state: State, ...effects: readonly Effect[]): Step => ({
  ...stay({ ...order, state }),
  effects,
});

export const withEffects = (step: Step, ...effects: readonly Effect[]): Step => ({
  ...step,
  effects: [...step.effects, ...effects],
});

/** Zero moves nothing, so it is left out. */
export const withPostings = (step: Step, ...postings: readonly Posting[]): Step => ({
  ...step,
  postings: [...step.postings, ...postings.filter((posting) => !isZero(posting.amount))],
});

/** Both steps, the second made from the order that the first left. */
export function then(first: Step, next: (order: Order) => Step): Step {
  const second = next(first.order);
  return {
    order: second.order,
    effects: [...first.effects, ...second.effects],
    postings: [...first.postings, ...second.postings],
    intents: [...first.intents, ...second.intents],
  };
}

export const accountOf = (order: Order): LedgerAccount => `order:${order.id}`;

export const move = (from: LedgerAccount, to: LedgerAccount, amount: Amount): Posting => ({ from, to, amount });

export interface Payment {
  readonly kind: NewIntent['kind'];
  readonly leg: number;
  readonly from: Account;
  readonly amount: Amount;
  readonly to: NewIntent['to'];
  readonly toDeposit?: number;
  readonly binding?: string;
}

/** A payment to be made once. The caller posts the money to `intentAccount` in the same step. */
export function withIntent(step: Step, payment: Payment): Step {
  const id = intentId(step.order.id, payment.kind, payment.leg);
  const intent: NewIntent = {
    id,
    kind: payment.kind,
    leg: payment.leg,
    from: payment.from,
    amount: payment.amount,
    to: payment.to,
    toDeposit: payment.toDeposit,
    binding: payment.binding,
  };
  return withEffects(
    { ...step, intents: [...step.intents, intent] },
    { effect: 'sign_intent', intent: id, lane: laneOf(intent) },
  );
}

/** One signing account is one lane. */
export function laneOf(intent: Pick<NewIntent, 'amount' | 'from'>): string {
  const account = intent.from === 'hot' ? 'hot' : intent.from.deposit;
  return `${chainOf(intent.amount.asset)}:${account}`;
}

export function intentAccount(order: Order, kind: NewIntent['kind'], leg: number): LedgerAccount {
  return `intent:${intentId(order.id, kind, leg)}`;
}

export const total = (asset: AssetId, parts: readonly Amount[]): Amount => parts.reduce(add, zero(asset));

/** What is confirmed of the deposit and neither carried out nor in a claim yet. */
export function unclaimed(order: Order): Amount {
  const claimed = order.claims
    .filter(({ kind, amount }) => kind === 'source' && amount.asset === order.from.id)
    .map((claim) => claim.amount);
  return subtract(order.funds.confirmed, add(order.used, total(order.from.id, claimed)));
}

export const depositAccount = (order: Order): Account => (order.collects ? { deposit: order.depositIndex } : 'hot');

/** Whose coins pay for what leaves the deposit address. */
export const depositPayer = (order: Order): LedgerAccount => (order.feePayer === 'hot' ? 'treasury' : 'gas');

export const raiseCase = (reason: string): Effect => ({ effect: 'raise_case', reason });

/**
 * What is signed may take effect until the chain shows that it was executed and failed, which has a cost. A refusal
 * without one is from before anything was signed: told later, it proves nothing.
 */
export const isProven = (refusal: { readonly cost: Amount | undefined }, isSigned: boolean): boolean =>
  isSigned === (refusal.cost !== undefined);

/** What a failed execution cost all the same. */
export const wasted = (fact: { readonly cost: Amount | undefined }, from: LedgerAccount): readonly Posting[] =>
  fact.cost ? [move(from, 'world', fact.cost)] : [];
