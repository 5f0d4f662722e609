import assert from 'node:assert/strict';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { type Instant, instant } from '../../src/kernel/clock.ts';
import type { IntentId } from '../../src/kernel/ids.ts';
import type { Part } from '../../src/kernel/transfer-part.ts';
import { judge } from '../../src/life/deposit/judge.ts';
import { type Command, commandFact, may } from '../../src/life/order/command.ts';
import { firstEffects } from '../../src/life/order/create.ts';
import type { Effect, EffectKind } from '../../src/life/order/effect.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import { isHeldBack } from '../../src/life/order/hold.ts';
import { venueLegOf } from '../../src/life/order/machine/execution.ts';
import { payoutTo } from '../../src/life/order/machine/payout.ts';
import type { Order } from '../../src/life/order/order.ts';
import { resume } from '../../src/life/order/resume.ts';
import type { Rules } from '../../src/life/order/rules.ts';
import type { KeptSighting } from '../../src/life/order/sighting.ts';
import { customerState, refundRecovery } from '../../src/life/order/view/v2-customer.ts';
import type { PaymentFact } from '../../src/life/payment/fact.ts';
import { intentOf, type Payment, progressOf } from '../../src/life/payment/payment.ts';
import { encode } from '../../src/store/codec.ts';
import { traded } from './market.ts';
import {
  type Deposit,
  dealNews,
  filled,
  lifeOf,
  NO_TROUBLE,
  nameOf,
  offerNews,
  type Script,
  sighting,
  type Trouble,
  worthOf,
} from './order-script.ts';
import { witness } from './order-witness.ts';
import { newsOf } from './payment-facts.ts';
import { CREATED, claimPriced, measuresAt, minute, place, screenedFact, tripOrder } from './world.ts';

interface Item {
  readonly due: number;
  readonly seq: number;
  readonly isEffect: boolean;
  /** Of an effect. */
  readonly name: string | undefined;
  run(): void;
}

const MOST_STEPS = 5_000;

/** Carries out what the order asks for, in a world that follows the script, until nothing is left to do. */
export function drive(script: Script, rules: Rules, trouble: Trouble = NO_TROUBLE) {
  const first = tripOrder(script.trip);
  const beside = witness(first, rules);
  const sightings: KeptSighting[] = [];
  const attempts = new Set<IntentId>();
  /** What the chains have really paid, by payment. */
  const paid = new Set<IntentId>();
  const lanes = new Map<IntentId, string>();
  const shortages = new Map<string, number>();
  const tickets = new Map<string, Fact>();
  const asked = new Set<string>();
  let agenda: Item[] = [];
  let now: Instant = CREATED;
  let seq = 0;

  const plan = (due: number, isEffect: boolean, run: () => void, name?: string) => {
    seq += 1;
    agenda.push({ due: Math.max(now, due), seq, isEffect, run, name });
  };
  /** By what it is, not by when it comes: a queue that is doubled makes nothing else late. */
  const delayOf = (effect: Effect, name: string): number => {
    if (effect.effect === 'judge_deadline') return 0;
    const sum = [...name].reduce((before, char) => (before * 31 + char.charCodeAt(0)) % 1_000_003, 0);
    return script.delays[sum % script.delays.length] ?? 0;
  };
  /** What was queued before is due when it was: trouble with the queue is to be the only difference. */
  const enqueue = (effects: readonly Effect[], dues: ReadonlyMap<string | undefined, number> = new Map()) => {
    for (const effect of effects) {
      const name = encode(effect);
      const due = dues.get(name) ?? ('due' in effect ? effect.due : now) + delayOf(effect, name);
      plan(due, true, () => carryOut(effect), name);
    }
  };

  function tell(fact: Fact): boolean {
    const outcome = beside.tell(fact);
    if (outcome !== 'ignore') enqueue(outcome.effects);
    return outcome !== 'ignore';
  }

  /** What handlers do, each finding what it did before. */
  const handlers: { readonly [K in EffectKind]: (effect: Extract<Effect, { readonly effect: K }>) => void } = {
    judge_deadline: () => tell({ fact: 'deadline_passed', at: now }),
    screen_deposit: () => {
      const sender = script.showsSender ? place(first.from.id, 'sender') : undefined;
      tell(screenedFact(script.isClear, sender, now));
    },
    pay_fee: () => assert.fail('no script has an integration'),
    price_claim: ({ claim }) => tell(claimPriced(beside.order, claim, now)),
    price_payment: ({ payment: id }) => {
      const payment = paymentOf(id);
      const isRefused = payment.from !== 'hot' && script.refuses.includes('gas') && script.gas === 0n;
      const { refused, priced } = newsOf(payment, now);
      tell(isRefused ? refused : priced(payment.from === 'hot' ? 0n : script.gas));
    },
    reserve_stock: (effect) => reserve(effect, { fact: 'stock_reserved', at: now }),
    reserve_payout: (effect) => reserve(effect, { fact: 'payout_reserved', at: now }),
    work_ticket: ({ chunk, attempt }) => work(chunk, attempt),
    place_leg: ({ number }) => placeLeg(number),
    watch_leg: ({ number }) => watch(number),
    sign_transfer: ({ payment: id, part, lane, replaces }) => {
      const payment = paymentOf(id);
      const intent = intentOf(payment, part);
      assert.equal(lane, lanes.get(intent) ?? lane, 'one payment, one lane');
      lanes.set(intent, lane);
      const { signedAnew, overdue } = newsOf(payment, now, part);
      if (!replaces) sign(payment, part);
      else if (script.sticks.length > 1) tell(overdue);
      else if (replaces !== signedAnew.txHash) tell(signedAnew);
    },
    send_transfer: ({ payment: id, part }) => {
      assert.ok(attempts.has(intentOf(paymentOf(id), part)), 'sent before it was saved');
      tell(newsOf(paymentOf(id), now, part).sent);
    },
    watch_transfer: ({ payment: id, part }) => watchTransfer(paymentOf(id), part),
    check_settlement: () => assert.fail('only a person asks for this'),
    collect_again: () => assert.fail('only a person asks for this'),
    open_adopted: () => assert.fail('no order asks for it'),
    adopt_drift: () => assert.fail('no order asks for it'),
    count_cold: () => assert.fail('no order asks for it'),
  };
  const carryOut = (effect: Effect) => {
    if (!isHeldBack(beside.order, effect)) (handlers[effect.effect] as (effect: Effect) => void)(effect);
  };

  function reserve(effect: Effect, fact: Fact): void {
    const times = (shortages.get(effect.effect) ?? 0) + 1;
    shortages.set(effect.effect, times);
    if (times > script.shortages) {
      tell(fact);
      return;
    }
    tell({ fact: 'inventory_short', asset: beside.order.to.id, at: now });
    plan(now + 2_000, true, () => carryOut(effect));
  }

  function work(chunk: number, attempt: number): void {
    if (beside.order.state.phase !== 'trading') return;
    const key = `${chunk}:${attempt}`;
    const done = tickets.get(key) ?? fill(beside.order, chunk, attempt, now);
    tickets.set(key, done);
    tell(done);
  }

  function fill(order: Order, chunk: number, attempt: number, at: Instant): Fact {
    assert.ok(order.state.phase === 'trading');
    const { chunkLeft } = order.state.run;
    const { side, receive } = venueLegOf(order, order.state.leg);
    const spent = filled(script.market, chunkLeft.atoms, chunk, attempt);
    const got = amount(receive, traded(side, spent));
    const last = script.market === 'lots' || script.market === 'crumbs';
    return { fact: 'ticket_done', chunk, attempt, spent: amount(chunkLeft.asset, spent), got, last, at };
  }

  function placeLeg(number: number): void {
    const news = offerNews(script, beside.order, number, now);
    if (news) tell(news);
  }

  function watch(number: number): void {
    const news = dealNews(script, beside.order, number, now);
    if (news) tell(news);
  }

  const paymentOf = (id: IntentId): Payment => {
    const payment = beside.order.payments.find((one) => one.id === id);
    assert.ok(payment, id);
    return payment;
  };

  function sign(payment: Payment, part: Part): void {
    const intent = intentOf(payment, part);
    const { refused, signed } = newsOf(payment, now, part);
    if (!attempts.has(intent) && script.refuses.includes(nameOf(payment, part))) {
      tell(refused);
      return;
    }
    if (tell(signed)) attempts.add(intent);
  }

  /** Every version of it is looked at, so what is mined is told under the name that it has. */
  function watchTransfer(payment: Payment, part: Part): void {
    const progress = progressOf(payment, part);
    const name = nameOf(payment, part);
    const { failed, stuck, confirmed, settled } = newsOf(payment, now, part);
    if (!progress || !('txHash' in progress)) return;
    const { txHash } = progress;
    const as = (fact: PaymentFact): Fact => ({ ...fact, txHash }) as Fact;
    const isStuck = progress.state === 'sent' && progress.raised === 0 && script.sticks.includes(name);
    const isUndone = progress.state === 'confirmed' && script.undoes.includes(name);
    if (script.fails.includes(name)) tell(as(failed));
    else if (isStuck) tell(as(stuck));
    else if (isUndone) {
      paid.delete(payment.id);
      tell(as(failed));
    } else {
      if (part === 'main') paid.add(payment.id);
      tell(as(progress.state === 'confirmed' ? settled : confirmed));
    }
  }

  function look(): void {
    for (const fact of judge(beside.order, sightings, { ...measuresAt(3, 10), rules }, now)) tell(fact);
  }

  function show(index: number, state: KeptSighting['state']): void {
    const value = worthOf(first, script.deposits[index] as Deposit);
    const known = sightings.find(({ key }) => key === `${index}`);
    const credited = state === 'final' ? value.atoms : atoms(0n);
    const firstSeenAt = known?.firstSeenAt ?? now;
    const seen: KeptSighting = { ...sighting(index, value), credited, firstSeenAt, state };
    if (known) sightings.splice(sightings.indexOf(known), 1, seen);
    else sightings.push(seen);
    look();
  }

  function command(wanted: Command): void {
    if (may(beside.order, wanted, rules) === undefined) {
      assert.ok(tell(commandFact(wanted, now)), `${wanted.command} was allowed and then ignored`);
    }
  }

  /** The customer reads the order as its page shows it, and answers a minute later. */
  function customerReads(): void {
    const shown = customerState(beside.order, rules);
    if (shown.kind !== 'action_required') return;
    const isRefund = shown.action === 'refund_address' || script.wantsItBack;
    const asset =
      shown.action === 'refund_address' ? refundRecovery(beside.order)?.asset : payoutTo(beside.order).asset;
    const gives = isRefund ? script.givesRefundAddress : script.givesPayoutAddress;
    if (!asset || !gives || asked.has(asset)) return;
    asked.add(asset);
    plan(now + 60_000, false, () => {
      asked.delete(asset);
      if (isRefund) command({ command: 'give_refund_address', to: place(asset, 'home') });
      else command({ command: 'give_payout_address', to: place(asset, 'other') });
    });
  }

  enqueue(firstEffects(first));
  for (const [index, deposit] of script.deposits.entries()) {
    for (const { at, state } of lifeOf(deposit)) plan(minute(at), false, () => show(index, state));
  }
  const { closesWaitAt } = script;
  if (closesWaitAt !== undefined) plan(minute(closesWaitAt), false, () => command({ command: 'close_wait' }));

  let steps = 0;
  for (; agenda.length > 0; steps += 1) {
    assert.ok(steps < MOST_STEPS, `no end in sight: ${beside.order.state.phase}`);
    const dues = new Map(agenda.map(({ name, due }) => [name, due]));
    if (trouble.losesQueueAt.includes(steps)) agenda = agenda.filter(({ isEffect }) => !isEffect);
    if ([...trouble.losesQueueAt, ...trouble.doublesQueueAt].includes(steps)) enqueue(resume(beside.order, now), dues);
    agenda.sort((a, b) => a.due - b.due || a.seq - b.seq);
    const next = agenda.shift();
    if (!next) break;
    now = instant(next.due);
    next.run();
    customerReads();
  }
  return { order: beside.order, paid, toldPaid: beside.paid, steps };
}
