import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact } from '../../src/life/order/fact.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { transition } from '../../src/life/order/transition.ts';
import { usdc } from './market.ts';
import { AT, advanced, filled, news } from './order-phases.ts';
import { buyOrder, final } from './world.ts';

/** What one fact leads to: the phase, the postings without the order's own name, and the instructions. */
interface Line {
  readonly fact: string;
  readonly phase: string;
  readonly postings: readonly string[];
  readonly effects: readonly string[];
}

function tell(order: Order, fact: Fact): { readonly order: Order; readonly line: Line } {
  const step = transition(order, fact, RULES);
  assert.ok(step !== 'ignore', fact.fact);
  const short = (account: string) => account.replace(order.id, '…').replace(':…:', ':').replace(':…', '');
  return {
    order: step.order,
    line: {
      fact: 'part' in fact ? `${fact.fact} ${fact.part}` : fact.fact,
      phase: step.order.state.phase,
      postings: step.postings.map(({ from, to }) => `${short(from)} > ${short(to)}`),
      effects: step.effects.map((effect) => ('part' in effect ? `${effect.effect} ${effect.part}` : effect.effect)),
    },
  };
}

test('100 USDC become Monero: each fact with the state, the postings and the instructions that it leads to', () => {
  let order = buyOrder();
  const lines: Line[] = [];
  const next = (fact: Fact) => {
    const told = tell(order, fact);
    order = told.order;
    lines.push(told.line);
  };
  const payment = (
    purpose: 'collection' | 'payout',
    part: 'main' | 'gas',
    ...steps: ('signed' | 'sent' | 'confirmed' | 'settled')[]
  ) => {
    for (const step of steps) next(news(order, purpose, part)[step]);
  };
  next(final(usdc('100'), AT));
  next(advanced);
  next({ fact: 'stock_reserved', at: AT });
  next(filled(order));
  next({ fact: 'payout_reserved', at: AT });
  payment('payout', 'main', 'signed', 'sent', 'confirmed', 'settled');
  next(news(order, 'collection').priced(5n));
  payment('collection', 'gas', 'signed', 'sent', 'confirmed');
  payment('collection', 'main', 'signed', 'sent', 'confirmed', 'settled');
  payment('collection', 'gas', 'settled');

  const line = (fact: string, phase: string, postings: readonly string[], effects: readonly string[]): Line => ({
    ...{ fact, phase, postings, effects },
  });
  const trade = ['order > treasury', 'treasury > world', 'world > treasury', 'treasury > order'];
  assert.deepEqual(lines, [
    line('deposit_observed', 'screening', ['world > deposit'], ['screen_deposit']),
    line('deposit_screened', 'stocking', ['treasury > order', 'deposit > left'], ['price_payment', 'reserve_stock']),
    line('stock_reserved', 'trading', ['order > treasury', 'treasury > order'], ['work_ticket']),
    line('ticket_done', 'payout_due', ['order > fees', ...trade], ['reserve_payout']),
    line(
      'payout_reserved',
      'paying',
      ['order > treasury', 'treasury > order', 'order > fees', 'order > payment:payout:0'],
      ['sign_transfer main'],
    ),
    line('transfer_signed main', 'paying', [], ['send_transfer main']),
    line('transfer_sent main', 'paying', [], ['watch_transfer main']),
    line(
      'transfer_confirmed main',
      'completed',
      ['payment:payout:0 > world', 'treasury > world'],
      ['watch_transfer main'],
    ),
    line('transfer_settled main', 'completed', [], ['watch_transfer main']),
    line('payment_priced', 'completed', ['treasury > payment:gas_sweep:0'], ['sign_transfer gas']),
    line('transfer_signed gas', 'completed', [], ['send_transfer gas']),
    line('transfer_sent gas', 'completed', [], ['watch_transfer gas']),
    line(
      'transfer_confirmed gas',
      'completed',
      ['payment:gas_sweep:0 > gas', 'treasury > world'],
      ['sign_transfer main', 'watch_transfer gas'],
    ),
    line('transfer_signed main', 'completed', [], ['send_transfer main']),
    line('transfer_sent main', 'completed', [], ['watch_transfer main']),
    line('transfer_confirmed main', 'completed', ['left > treasury', 'gas > world'], ['watch_transfer main']),
    line('transfer_settled main', 'completed', [], ['watch_transfer main']),
    line('transfer_settled gas', 'completed', [], ['watch_transfer gas']),
  ]);
});
