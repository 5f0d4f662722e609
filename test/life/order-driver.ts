import assert from 'node:assert/strict';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { type Instant, instant } from '../../src/kernel/clock.ts';
import { type Address, type IntentId, txHash } from '../../src/kernel/ids.ts';
import { judge } from '../../src/life/deposit/judge.ts';
import { type Command, commandFact, may } from '../../src/life/order/command.ts';
import { firstEffects } from '../../src/life/order/create.ts';
import type { Effect, EffectKind, NewIntent } from '../../src/life/order/effect.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import { venueLegOf } from '../../src/life/order/machine/execution.ts';
import { payoutTo } from '../../src/life/order/machine/payout.ts';
import type { Order } from '../../src/life/order/order.ts';
import { resume } from '../../src/life/order/resume.ts';
import type { Rules } from '../../src/life/order/rules.ts';
import type { KeptSighting } from '../../src/life/order/sighting.ts';
import { customerState, refundRecovery } from '../../src/life/order/view/v2-customer.ts';
import { traded } from './market.ts';
import {
  coin,
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
import { CREATED, minute, place, tripOrder } from './world.ts';

interface Item {
  readonly due: number;
  readonly seq: number;
  readonly isEffect: boolean;
  run(): void;
}

const MOST_STEPS = 5_000;

/** Carries out what the order asks for, in a world that follows the script, until nothing is left to do. */
export function drive(script: Script, rules: Rules, trouble: Trouble = NO_TROUBLE) {
  const first = tripOrder(script.trip);
  const beside = witness(first, rules);
  const sightings: KeptSighting[] = [];
  const attempts = new Set<IntentId>();
  const paid = new Set<IntentId>();
  const lanes = new Map<IntentId, string>();
  const shortages = new Map<string, number>();
  const tickets = new Map<string, Fact>();
  const asked = new Set<string>();
  let agenda: Item[] = [];
  let now: Instant = CREATED;
  let seq = 0;

  const plan = (due: number, isEffect: boolean, run: () => void) => {
    seq += 1;
    agenda.push({ due: Math.max(now, due), seq, isEffect, run });
  };
  const enqueue = (effects: readonly Effect[]) => {
    for (const effect of effects) {
      const delay = effect.effect === 'judge_deadline' ? 0 : (script.delays[seq % script.delays.length] ?? 0);
      plan(('due' in effect ? effect.due : now) + delay, true, () => carryOut(effect));
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
      tell({ fact: 'deposit_screened', clear: script.isClear, sender, at: now });
    },
    price_gas: ({ forWhat, from, amount: value }) => {
      const isRefused = from !== 'hot' && script.refuses.includes('gas') && script.gas === 0n;
      const needed = coin(value, from === 'hot' ? 0n : script.gas);
      if (isRefused) tell({ fact: 'intent_refused', intent: forWhat, reason: 'frozen', cost: undefined, at: now });
      else tell({ fact: 'gas_priced', forWhat, needed, hot: 'hot' as Address, at: now });
    },
    reserve_stock: (effect) => reserve(effect, { fact: 'stock_reserved', at: now }),
    reserve_payout: (effect) => reserve(effect, { fact: 'payout_reserved', at: now }),
    work_ticket: ({ chunk, attempt }) => work(chunk, attempt),
    place_leg: ({ number }) => placeLeg(number),
    watch_leg: ({ number }) => watch(number),
    sign_intent: ({ intent, lane }) => {
      assert.equal(lane, lanes.get(intent) ?? lane, 'one payment, one lane');
      lanes.set(intent, lane);
      sign(intentOf(intent));
    },
    send_intent: ({ intent }) => {
      assert.ok(attempts.has(intent), 'sent before it was saved');
      tell({ fact: 'intent_sent', intent: intentOf(intent), at: now });
    },
    confirm_intent: ({ intent }) => confirm(intentOf(intent)),
    raise_case: () => {},
  };
  const carryOut = (effect: Effect) => (handlers[effect.effect] as (effect: Effect) => void)(effect);

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

  const intentOf = (id: IntentId): NewIntent => {
    const intent = beside.intents.get(id);
    assert.ok(intent, id);
    return intent;
  };

  function sign(intent: NewIntent): void {
    if (!attempts.has(intent.id) && script.refuses.includes(nameOf(intent))) {
      tell({ fact: 'intent_refused', intent, reason: 'refused', cost: undefined, at: now });
      return;
    }
    const isTaken = tell({ fact: 'intent_signed', intent, txHash: txHash(`0x${intent.id}`), at: now });
    if (isTaken) attempts.add(intent.id);
  }

  function confirm(intent: NewIntent): void {
    const cost = coin(intent.amount, 2n);
    if (script.fails.includes(nameOf(intent))) {
      tell({ fact: 'intent_refused', intent, reason: 'failed', cost, at: now });
      return;
    }
    paid.add(intent.id);
    tell({ fact: 'intent_final', intent, txHash: txHash(`0x${intent.id}`), amount: intent.amount, cost, at: now });
  }

  function look(): void {
    for (const fact of judge(beside.order, sightings, () => ({ have: 3, need: 10 }), now)) tell(fact);
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
    const shown = customerState(beside.order);
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
    if (trouble.losesQueueAt.includes(steps)) agenda = agenda.filter(({ isEffect }) => !isEffect);
    if ([...trouble.losesQueueAt, ...trouble.doublesQueueAt].includes(steps)) enqueue(resume(beside.order, now));
    agenda.sort((a, b) => a.due - b.due || a.seq - b.seq);
    const next = agenda.shift();
    if (!next) break;
    now = instant(next.due);
    next.run();
    customerReads();
  }
  return { order: beside.order, paid, toldPaid: beside.paid, steps };
}
