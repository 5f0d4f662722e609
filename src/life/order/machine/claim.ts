import type { Amount } from '../../../kernel/amount.ts';
import { intentId } from '../../../kernel/ids.ts';
import type { Account } from '../../../world/chains/chain.ts';
import type { LedgerAccount } from '../effect.ts';
import type { IntentRef, Of } from '../fact.ts';
import type { Claim, Destination, Order } from '../order.ts';
import {
  accountOf,
  depositPayer,
  intentAccount,
  isProven,
  move,
  type Outcome,
  raiseCase,
  type Step,
  stay,
  then,
  wasted,
  withEffects,
  withIntent,
  withPostings,
} from '../step.ts';

interface NewClaim {
  readonly kind: Claim['kind'];
  readonly amount: Amount;
  readonly from: Account;
  readonly to: Destination | undefined;
  readonly reason: string;
}

/** Records money as owed back; with a destination it is checked and sent at once, without one the customer is asked. */
export function openClaim(order: Order, claim: NewClaim): Step {
  const to = claim.to?.asset === claim.amount.asset ? claim.to : fitting(order, claim.amount);
  const leg = order.claims.length + 1;
  const opened: Claim = { ...claim, leg, to, stage: to ? 'checking' : 'address_required', txHash: undefined };
  const step = stay({ ...order, claims: [...order.claims, opened] });
  return to ? withEffects(step, priceGas(opened)) : step;
}

const fitting = (order: Order, amount: Amount): Destination | undefined =>
  order.refundTo?.asset === amount.asset ? order.refundTo : undefined;

const priceGas = (claim: Claim) =>
  ({
    effect: 'price_gas',
    forWhat: { kind: 'refund', leg: claim.leg },
    from: claim.from,
    amount: claim.amount,
  }) as const;

/** The address serves every claim of its asset that waits for one. */
export function giveRefundAddress(order: Order, to: Destination): Outcome {
  const waiting = order.claims.filter((claim) => isWaiting(claim) && claim.amount.asset === to.asset);
  if (waiting.length === 0) return 'ignore';
  const start = stay({ ...order, refundTo: order.refundTo ?? to });
  return waiting.reduce(
    (step, claim) =>
      withEffects(
        then(step, (now) => stay(update(now, claim.leg, { to, stage: 'checking' }))),
        priceGas(claim),
      ),
    start,
  );
}

export const isWaiting = (claim: Claim): boolean => claim.stage === 'address_required';

/** The check is done: send gas ahead where the money lies on an account of its own, else the refund itself. */
export function gasPriced(order: Order, fact: Of<'gas_priced'>): Outcome {
  const claim = claimOf(order, fact.forWhat);
  if (claim?.stage !== 'checking') return 'ignore';
  if (fact.needed.atoms === 0n) return payClaim(order, claim);
  const queued = stay(update(order, claim.leg, { stage: 'queued' }));
  const gas = withIntent(queued, {
    kind: 'gas',
    leg: claim.leg,
    from: 'hot',
    amount: fact.needed,
    to: order.depositAddress,
    toDeposit: order.depositIndex,
  });
  return withPostings(gas, move('treasury', intentAccount(order, 'gas', claim.leg), fact.needed));
}

export function payClaim(order: Order, claim: Claim): Step {
  const { to } = claim;
  if (!to) return withEffects(stay(order), raiseCase('a claim without an address was to be paid'));
  const paid = withIntent(stay(update(order, claim.leg, { stage: 'sending' })), {
    kind: 'refund',
    leg: claim.leg,
    from: claim.from,
    amount: claim.amount,
    to: to.address,
    binding: to.binding,
  });
  return withPostings(paid, move(accountOf(order), intentAccount(order, 'refund', claim.leg), claim.amount));
}

export function claimOf(order: Order, intent: IntentRef): Claim | undefined {
  return order.claims.find((claim) => claim.leg === intent.leg);
}

export function update(order: Order, leg: number, change: Partial<Claim>): Order {
  return { ...order, claims: order.claims.map((claim) => (claim.leg === leg ? { ...claim, ...change } : claim)) };
}

/** Who bears the network cost: the hot account, or the gas that was sent ahead. */
const payer = (order: Order, claim: Claim, intent: IntentRef): LedgerAccount =>
  intent.kind === 'gas' || claim.from === 'hot' ? 'treasury' : depositPayer(order);

type IntentFact = Of<'intent_signed' | 'intent_sent' | 'intent_final' | 'intent_refused'>;

/** A stage hears only of the payment that it waits for: money that was given up, or paid, is not paid again. */
function isAwaited({ stage, txHash }: Claim, fact: IntentFact): boolean {
  if (fact.intent.kind === 'gas') return stage === 'queued';
  if (fact.fact !== 'intent_refused') return stage === 'sending';
  return (stage === 'checking' || stage === 'sending') && isProven(fact, txHash !== undefined);
}

/** Refund intents and the gas sent ahead of them; what they mean for the order's phase is told by its own machine. */
export function claimIntent(order: Order, fact: IntentFact): Outcome {
  const claim = claimOf(order, fact.intent);
  if (!claim || !isAwaited(claim, fact)) return 'ignore';
  switch (fact.fact) {
    case 'intent_signed':
      if (fact.intent.kind === 'gas') return stay(order);
      return stay(update(order, claim.leg, { txHash: fact.txHash }));
    case 'intent_sent':
      return stay(order);
    case 'intent_refused':
      return withPostings(
        withEffects(
          stay(update(order, claim.leg, { stage: 'blocked' })),
          raiseCase(`${intentId(order.id, fact.intent.kind, fact.intent.leg)} refused: ${fact.reason}`),
        ),
        ...wasted(fact, payer(order, claim, fact.intent)),
      );
    case 'intent_final': {
      if (fact.intent.kind === 'gas') {
        const spent = [
          move(intentAccount(order, 'gas', claim.leg), 'gas', fact.amount),
          move('treasury', 'world', fact.cost),
        ];
        return withPostings(payClaim(order, claim), ...spent);
      }
      return withPostings(
        stay(update(order, claim.leg, { stage: 'completed', txHash: fact.txHash })),
        move(intentAccount(order, 'refund', claim.leg), 'world', fact.amount),
        move(payer(order, claim, fact.intent), 'world', fact.cost),
      );
    }
  }
}
