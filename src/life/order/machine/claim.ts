import { type Amount, add } from '../../../kernel/amount.ts';
import type { Account } from '../../../world/chains/chain.ts';
import type { Heard } from '../../payment/advance.ts';
import type { PurposeOf } from '../../payment/payment.ts';
import { type Claim, type Destination, type Order, refundPayment } from '../order.ts';
import { type Outcome, type Step, stay, then, withCase, withPayment } from '../step.ts';

interface NewClaim {
  readonly kind: Claim['kind'];
  readonly amount: Amount;
  readonly from: Account;
  readonly to: Destination | undefined;
  readonly reason: string;
}

/** Records money as owed back; with a destination it is paid at once, without one the customer is asked. */
export function openClaim(order: Order, claim: NewClaim): Step {
  const to = claim.to?.asset === claim.amount.asset ? claim.to : fitting(order, claim.amount);
  const number = order.claims.length + 1;
  const opened: Claim = { ...claim, number, to, stage: 'address_required' };
  const step = stay({ ...order, claims: [...order.claims, opened] });
  if (to) return then(step, (now) => payClaim(now, opened, to));
  return canBeAsked(order) ? step : withCase(step, { case: 'refund_unasked', claim: number });
}

/** The reads of v1's bridge have no word for an address that is needed, so somebody must tell its customer. */
const canBeAsked = ({ generation, product }: Order): boolean => generation === 'v2' || product === 'swap';

const fitting = (order: Order, amount: Amount): Destination | undefined =>
  order.refundTo?.asset === amount.asset ? order.refundTo : undefined;

function payClaim(order: Order, { number, from, amount }: Claim, to: Destination): Step {
  return withPayment(stay(update(order, number, { to, stage: 'paying' })), {
    purpose: { for: 'refund', claim: number },
    from,
    amount,
    to: to.address,
    binding: to.binding,
  });
}

/** The address serves every claim of its asset that waits for one. */
export function giveRefundAddress(order: Order, to: Destination): Outcome {
  const waiting = order.claims.filter((claim) => isWaiting(claim) && claim.amount.asset === to.asset);
  if (waiting.length === 0) return 'ignore';
  const start = stay({ ...order, refundTo: order.refundTo ?? to });
  return waiting.reduce((step, claim) => then(step, (now) => payClaim(now, claim, to)), start);
}

/** A speck waits for nobody: it is worth less than the asking. */
export const isWaiting = (claim: Claim): boolean => claim.stage === 'address_required' && !claim.isSpeck;

/**
 * Records money as owed back where it is worth giving back, together with what had been too little before. A speck is
 * booked and neither shown nor paid; specks of one asset are one claim, so that nobody can make many of them.
 */
export function oweBack(order: Order, claim: NewClaim, isSpeck: boolean): Step {
  const speck = order.claims.find(
    (one) =>
      one.isSpeck &&
      one.stage === 'address_required' &&
      one.kind === claim.kind &&
      one.amount.asset === claim.amount.asset,
  );
  if (!speck && !isSpeck) return openClaim(order, claim);
  const amount = speck ? add(speck.amount, claim.amount) : claim.amount;
  if (!isSpeck && speck) return openClaim(update(order, speck.number, { stage: 'replaced' }), { ...claim, amount });
  if (speck) return stay(update(order, speck.number, { amount }));
  const opened: Claim = {
    ...claim,
    to: undefined,
    number: order.claims.length + 1,
    stage: 'address_required',
    isSpeck,
  };
  return stay({ ...order, claims: [...order.claims, opened] });
}

function update(order: Order, number: number, change: Partial<Claim>): Order {
  return { ...order, claims: order.claims.map((claim) => (claim.number === number ? { ...claim, ...change } : claim)) };
}

/**
 * The chain refuses the address for good, so the customer is asked for another. The money is still on the account that it
 * was to leave; the claim that could not be paid is over, and a new one stands for it.
 */
export function replaceClaim(order: Order, number: number): Outcome {
  const claim = order.claims.find((one) => one.number === number);
  const isRefused = claim && refundPayment(order, claim)?.state.state === 'refused';
  if (claim?.stage !== 'blocked' || !isRefused) return 'ignore';
  const next: Claim = { ...claim, number: order.claims.length + 1, to: undefined, stage: 'address_required' };
  const replaced = update(order, number, { stage: 'replaced' });
  const { state } = order;
  const isOutcome = (state.phase === 'refunding' || state.phase === 'refunded') && state.claim === number;
  return stay({
    ...replaced,
    claims: [...replaced.claims, next],
    state: isOutcome ? { ...state, claim: next.number } : state,
  });
}

/** What a refund's payment means for its claim; whether the order is over then is told by `closeRefund`. */
export function refundHeard(order: Order, { claim: number }: PurposeOf<'refund'>, heard: Heard): Step {
  switch (heard.heard) {
    case 'paid':
      return stay(update(order, number, { stage: 'completed' }));
    case 'settled':
      return stay(order);
    case 'unpaid': {
      const blocked = stay(update(order, number, { stage: 'blocked' }));
      return withCase(blocked, { case: 'refund_refused', claim: number, reason: heard.reason });
    }
  }
}
