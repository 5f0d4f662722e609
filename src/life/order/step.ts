import type { Account } from '../../kernel/account.ts';
import { type Amount, add, smaller, subtract, zero } from '../../kernel/amount.ts';
import type { AssetId } from '../../kernel/ids.ts';
import type { Case } from '../case/case.ts';
import { type Advanced, opened } from '../payment/advance.ts';
import { type NewPayment, newPayment } from '../payment/payment.ts';
import { type LedgerAccount, moving, type Posting } from '../payment/posting.ts';
import type { Effect } from './effect.ts';
import type { Order } from './order.ts';
import type { State } from './state.ts';

/** What a fact leads to: the order after it, and what must be committed together with it. */
export interface Step {
  readonly order: Order;
  readonly effects: readonly Effect[];
  readonly postings: readonly Posting[];
  readonly cases: readonly Case[];
}

export type Outcome = Step | 'ignore';

export const stay = (order: Order): Step => ({ order, effects: [], postings: [], cases: [] });

export const enter = (order: Order, state: State, ...effects: readonly Effect[]): Step => ({
  ...stay({ ...order, state }),
  effects,
});

export const withEffects = (step: Step, ...effects: readonly Effect[]): Step => ({
  ...step,
  effects: [...step.effects, ...effects],
});

export const withCase = (step: Step, raised: Case): Step => ({ ...step, cases: [...step.cases, raised] });

export const withPostings = (step: Step, ...postings: readonly Posting[]): Step => ({
  ...step,
  postings: [...step.postings, ...moving(postings)],
});

/** Both steps, the second made from the order that the first left. */
export function then(first: Step, next: (order: Order) => Step): Step {
  const second = next(first.order);
  return {
    order: second.order,
    effects: [...first.effects, ...second.effects],
    postings: [...first.postings, ...second.postings],
    cases: [...first.cases, ...second.cases],
  };
}

/** Owed to the customer, on the hot account or the venue. */
export const accountOf = (order: Order): LedgerAccount => `order:${order.id}`;

/** Where the ledger has what is owed to the customer and lies on that account. */
export const accountAt = (order: Order, from: Account): LedgerAccount =>
  from === 'hot' ? accountOf(order) : `deposit:${order.id}`;

/** Ours, on the order's deposit address. */
export const leftOf = (order: Order): LedgerAccount => `left:${order.id}`;

/** A payment to be made once: its money is set apart in the same step. */
export function withPayment(
  step: Step,
  wanted: Omit<NewPayment, 'owner' | 'payer' | 'feePayer' | 'source'> & Partial<Pick<NewPayment, 'source'>>,
): Step {
  return then(step, (order) => {
    const { depositAddress: address, depositIndex: index, feePayer } = order;
    const { source = accountAt(order, wanted.from) } = wanted;
    return withPaid(
      order,
      opened(newPayment({ ...wanted, owner: order.id, source, payer: { address, index }, feePayer })),
    );
  });
}

/** The order with the payment as it is now. */
export function withPaid(order: Order, { payment, effects, postings, cases }: Advanced): Step {
  const others = order.payments.filter(({ id }) => id !== payment.id);
  const isNew = others.length === order.payments.length;
  const payments = isNew
    ? [...others, payment]
    : order.payments.map((known) => (known.id === payment.id ? payment : known));
  return { order: { ...order, payments }, effects, postings, cases };
}

export const total = (asset: AssetId, parts: readonly Amount[]): Amount => parts.reduce(add, zero(asset));

/**
 * What is confirmed of the deposit and neither carried out nor in a claim yet. Nothing, where more goes back than came: a provider may bring
 * more of the very asset than it was paid.
 */
export function unclaimed(order: Order): Amount {
  const claimed = order.claims
    .filter(({ kind, amount, stage }) => kind === 'source' && stage !== 'replaced' && amount.asset === order.from.id)
    .map((claim) => claim.amount);
  const { confirmed } = order.funds;
  return subtract(confirmed, smaller(confirmed, add(order.used, total(order.from.id, claimed))));
}

export const depositAccount = (order: Order): Account => (order.collects ? { deposit: order.depositIndex } : 'hot');
