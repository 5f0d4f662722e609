import { type Amount, isZero } from '../../kernel/amount.ts';
import type { Part } from '../../kernel/transfer-part.ts';
import type { Case } from '../case/case.ts';
import type { PaymentEffect } from './effect.ts';
import type { PaymentFact, PaymentFactOf } from './fact.ts';
import { arrivedAhead, givenUp, isLoan } from './loan.ts';
import {
  apartOf,
  arrivesAt,
  gasApartOf,
  isBackDue,
  isGasOver,
  nextRound,
  type Payment,
  type PaymentState,
  type Progress,
  progressOf,
  sentBy,
} from './payment.ts';
import { move, moving, type Posting } from './posting.ts';
import { again, bearerOf, gasBack, spent } from './spent.ts';
import { firstEffect, send, sign, watch } from './steps.ts';

/** What its owner hears of a payment, and nothing else. */
export type Heard =
  | { readonly heard: 'paid'; readonly payment: Payment }
  | { readonly heard: 'settled'; readonly payment: Payment }
  /** The money is back where it came from. `wasPaid`: the owner had heard `paid` before. */
  | {
      readonly heard: 'unpaid';
      readonly payment: Payment;
      readonly reason: string;
      readonly wasPaid: boolean;
      /** Its own transfer was in a block and failed there, which cost so much: another might work. */
      readonly wasted?: Amount;
    };

export interface Advanced {
  readonly payment: Payment;
  readonly effects: readonly PaymentEffect[];
  readonly postings: readonly Posting[];
  readonly cases: readonly Case[];
  readonly heard: readonly Heard[];
}

/** The one function that moves a payment. Pure: whatever it needs to know is in the fact. */
export function advance(payment: Payment, fact: PaymentFact): Advanced | 'ignore' {
  const advanced = answer(payment, fact);
  if (advanced === 'ignore') return 'ignore';
  const now: Payment = { ...advanced.payment, version: payment.version + 1 };
  const back = isBackDue(now) && !isBackDue(payment) ? [sign(now, 'back')] : [];
  return { ...advanced, payment: now, effects: [...advanced.effects, ...back], postings: moving(advanced.postings) };
}

/** A payment is created together with the posting that sets its money apart. */
export const opened = (payment: Payment): Advanced => ({
  ...still(payment, firstEffect(payment)),
  postings: moving([move(payment.source, apartOf(payment), payment.amount)]),
});

function answer(payment: Payment, fact: PaymentFact): Advanced | 'ignore' {
  if (fact.fact === 'payment_priced') return priced(payment, fact);
  if (fact.fact === 'gas_short') return gasShort(payment);
  const before = progressOf(payment, fact.part);
  if (!before) return 'ignore';
  switch (fact.fact) {
    case 'payment_refused':
      if (isLoan(payment, fact.part)) return loanRefused(payment, fact.part, fact.reason);
      return canBeRefused(before, fact) ? refused(payment, fact) : 'ignore';
    case 'transfer_signed':
      return signed(payment, before, fact);
    case 'transfer_sent':
      if (before.state !== 'signed') return 'ignore';
      return still(moved(payment, fact.part, { ...before, state: 'sent', since: fact.at }), watch(payment, fact.part));
    case 'transfer_confirmed':
      return canBeMined(before) ? confirmed(payment, before, fact) : 'ignore';
    case 'transfer_settled':
      if (!isUnsettled(before)) return 'ignore';
      return fact.worked ? settled(payment, before, fact) : failed(payment, before, fact);
    case 'transfer_stuck':
      return stuck(payment, before, fact);
    case 'transfer_dead':
      return dead(payment, before, fact);
    case 'settlement_refused':
      return settlementRefused(payment, before, fact);
  }
}

/** What is signed may be mined before anybody tells that it was sent, and what is held may be mined after all. */
const canBeMined = (before: PaymentState): before is Extract<PaymentState, { state: 'signed' | 'sent' | 'held' }> =>
  before.state === 'signed' || before.state === 'sent' || before.state === 'held';

/** There are no bytes of it, or they are the very ones that can never take effect. */
const canBeRefused = (before: PaymentState, { afterDead }: PaymentFactOf<'payment_refused'>): boolean =>
  before.state === 'due' || before.state === 'reserved' || (canBeMined(before) && before.txHash === afterDead);

/** There are bytes of it, and nothing is final yet. */
const isUnsettled = (before: PaymentState) => canBeMined(before) || before.state === 'confirmed';

const still = (payment: Payment, ...effects: readonly PaymentEffect[]): Advanced => ({
  ...{ payment, effects, postings: [], cases: [], heard: [] },
});

function moved(payment: Payment, part: Part, progress: Progress): Payment {
  if (part === 'main') return { ...payment, state: progress };
  if (part === 'back') return payment.back ? { ...payment, back: { ...payment.back, progress } } : payment;
  return payment.gas ? { ...payment, gas: { ...payment.gas, progress } } : payment;
}

/** Coins for the fee go ahead where the account lacks them; the payment itself follows when they have arrived. */
function priced(payment: Payment, fact: PaymentFactOf<'payment_priced'>): Advanced | 'ignore' {
  const { gas, isDelegated = false, isLent = false } = fact;
  if (payment.state.state !== 'due') return 'ignore';
  const sent = sentBy(payment, isDelegated);
  if (isZero(gas)) return still({ ...sent, state: { state: 'reserved' } }, sign(sent, 'main'));
  const round = nextRound(payment);
  const ahead = { amount: gas, progress: { state: 'reserved' } as const, ...(round ? { round } : {}) };
  const awaiting: Payment = { ...sent, gas: isLent ? { ...ahead, isLent } : ahead, state: { state: 'awaiting_gas' } };
  const apart = isLent ? [] : [move('treasury', gasApartOf(awaiting), gas)];
  return { ...still(awaiting, sign(awaiting, 'gas')), postings: apart };
}

/** It is priced anew, and gets what it lacks by another transfer; the one before can change no more. */
function gasShort(payment: Payment): Advanced | 'ignore' {
  if (payment.state.state !== 'reserved' || payment.from === 'hot' || !isGasOver(payment)) return 'ignore';
  const due: Payment = { ...payment, state: { state: 'due' } };
  return still(due, firstEffect(due));
}

/**
 * The same bytes again are no news; others were made because the ones before were dead, or were outbid. They may be mined, so they
 * are saved and sent, also of what is held: that a person was to look is over. What a customer was shown stays shown, and whoever
 * watches it sends what its chain does not know.
 */
function signed(
  payment: Payment,
  before: PaymentState,
  { part, txHash, isUnnamed }: PaymentFactOf<'transfer_signed'>,
): Advanced | 'ignore' {
  if (before.state !== 'reserved' && !(isUnsettled(before) && before.txHash !== txHash)) return 'ignore';
  if (before.state === 'confirmed') {
    const { proof: _, ...shown } = before;
    return still(moved(payment, part, shown), watch(payment, part));
  }
  const raised = 'raised' in before ? before.raised : 0;
  return still(
    moved(payment, part, { state: 'signed', txHash, raised, ...(isUnnamed ? { isUnnamed } : {}) }),
    send(payment, part),
  );
}

function confirmed(
  payment: Payment,
  before: PaymentState,
  { part, txHash, cost }: PaymentFactOf<'transfer_confirmed'>,
): Advanced {
  const now = moved(payment, part, { state: 'confirmed', txHash, cost });
  const paid = hearPaid(now, part, before);
  return { ...paid, effects: [...paid.effects, watch(payment, part)], postings: spent(payment, part, cost) };
}

/** Mined again in another block it may have cost something else. Bytes of ours are looked at once more, ever more rarely. */
function settled(
  payment: Payment,
  before: PaymentState,
  { part, txHash, cost, byHand }: PaymentFactOf<'transfer_settled'>,
): Advanced {
  const now = moved(payment, part, { state: 'settled', txHash, cost, ...(byHand ? { byHand } : {}) });
  const paid = hearPaid(now, part, before);
  const heard: readonly Heard[] = part === 'main' ? [...paid.heard, { heard: 'settled', payment: now }] : [];
  const postings = before.state === 'confirmed' ? again(payment, part, before.cost, cost) : spent(payment, part, cost);
  const effects = byHand ? paid.effects : [...paid.effects, watch(payment, part)];
  return { ...paid, effects, heard, postings };
}

/** A payment goes on when its gas is there, and its owner when it is paid; either once. */
function hearPaid(now: Payment, part: Part, before: PaymentState): Advanced {
  if (before.state === 'confirmed') return still(now);
  if (part === 'main') return { ...still(now), heard: [{ heard: 'paid', payment: now }] };
  if (part === 'back') return still(now);
  const there = arrivedAhead(now);
  return there.state.state === 'awaiting_gas'
    ? still({ ...there, state: { state: 'reserved' } }, sign(there, 'main'))
    : still(there);
}

/** Nothing was signed that can take effect: the money goes back, that for gas as well where it was to go ahead. */
function refused(payment: Payment, { part, reason }: PaymentFactOf<'payment_refused'>): Advanced {
  const isAhead = part === 'gas';
  const gas = isAhead ? gasBack(payment) : [];
  const now: Payment = { ...payment, gas: isAhead ? undefined : payment.gas, state: { state: 'refused', reason } };
  return {
    ...still(now),
    postings: [move(apartOf(payment), payment.source, payment.amount), ...gas],
    heard: [{ heard: 'unpaid', payment: now, reason, wasPaid: false }],
  };
}

const EXECUTED = 'the chain executed it and it failed';

/** Nobody lost what it was about: what was to be lent is sent as coins instead, and what was to come back is there already. */
function loanRefused(payment: Payment, part: Part, reason: string): Advanced | 'ignore' {
  const now = givenUp(payment, part, reason);
  if (now === 'ignore') return 'ignore';
  if (now.state.state !== 'awaiting_gas') return still(now);
  const due: Payment = { ...now, state: { state: 'due' } };
  return still(due, firstEffect(due));
}

/** Executed and failed for good. Until that was final nothing was believed of it, for a reorganisation could have made it work. */
function failed(
  payment: Payment,
  before: PaymentState,
  { part, txHash, cost }: PaymentFactOf<'transfer_settled'>,
): Advanced | 'ignore' {
  const { amount, source } = payment;
  const wasPaid = before.state === 'confirmed';
  // What went on meanwhile was paid for by other coins; what went ahead, or did not come back, is a person's to look at.
  if (part !== 'main' && wasPaid)
    return {
      ...still(moved(payment, part, { state: 'settled', txHash, cost })),
      postings: again(payment, part, before.cost, cost),
      cases: [{ case: 'payment_undone', payment: payment.id, txHash }],
    };
  const wasted = [move(bearerOf(payment, part), 'world', cost)];
  if (isLoan(payment, part)) {
    const given = loanRefused(payment, part, EXECUTED);
    return given === 'ignore' ? given : { ...given, postings: wasted };
  }
  if (part === 'gas') {
    const now: Payment = { ...payment, gas: undefined, state: { state: 'refused', reason: EXECUTED } };
    return {
      ...still(now),
      postings: [...gasBack(payment), move(apartOf(payment), source, amount), ...wasted],
      heard: [{ heard: 'unpaid', payment: now, reason: EXECUTED, wasPaid: false }],
    };
  }
  const now: Payment = { ...payment, state: { state: 'refused', reason: EXECUTED } };
  // What had arrived on an account of ours was passed on to the treasury since; what had left comes back from outside.
  const arrived = arrivesAt(payment);
  const back = wasPaid
    ? [move(arrived === 'world' ? 'world' : 'treasury', source, amount), move('world', payment.bearer, before.cost)]
    : [move(apartOf(payment), source, amount)];
  return {
    ...still(now),
    postings: [...back, ...wasted],
    cases: wasPaid ? [{ case: 'payment_undone', payment: payment.id, txHash }] : [],
    heard: [{ heard: 'unpaid', payment: now, reason: EXECUTED, wasPaid, wasted: cost }],
  };
}

function stuck(
  payment: Payment,
  before: PaymentState,
  { part, txHash, replaceable, reason, at }: PaymentFactOf<'transfer_stuck'>,
): Advanced | 'ignore' {
  if (before.state !== 'sent' || before.txHash !== txHash) return 'ignore';
  const later = moved(payment, part, { ...before, since: at, raised: before.raised + 1 });
  if (replaceable) return still(later, { ...sign(payment, part), replaces: txHash });
  return {
    ...still(later, watch(payment, part)),
    cases: [{ case: 'payment_stuck', payment: payment.id, part, txHash, reason }],
  };
}

function dead(
  payment: Payment,
  before: PaymentState,
  { part, txHash, proof }: PaymentFactOf<'transfer_dead'>,
): Advanced | 'ignore' {
  if (before.state !== 'signed' && before.state !== 'sent' && before.state !== 'confirmed') return 'ignore';
  if (before.proof !== undefined) return 'ignore';
  if (part === 'gas' && before.state !== 'confirmed' && isLoan(payment, part)) return loanRefused(payment, part, proof);
  const cases: readonly Case[] = [{ case: 'payment_dead', payment: payment.id, part, txHash, proof }];
  const isMain = part === 'main' && before.state !== 'confirmed';
  // Gas, and what a customer was shown, stay what they are: that a person was told is all that changes.
  const now: Payment = isMain
    ? { ...payment, state: { state: 'held', txHash, proof } }
    : moved(payment, part, { ...before, proof });
  return { ...still(now, watch(payment, part)), cases };
}

/** Somebody named a transaction that did not pay this: whoever named it must hear that, and nothing else changes. */
function settlementRefused(
  payment: Payment,
  before: PaymentState,
  { part, txHash, reason }: PaymentFactOf<'settlement_refused'>,
): Advanced | 'ignore' {
  if (!isUnsettled(before)) return 'ignore';
  return { ...still(payment), cases: [{ case: 'settlement_refused', payment: payment.id, part, txHash, reason }] };
}
