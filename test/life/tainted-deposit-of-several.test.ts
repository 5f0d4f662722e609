import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { present } from '../../src/kernel/assert.ts';
import type { Address } from '../../src/kernel/ids.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { transition } from '../../src/life/order/transition.ts';
import { customerState, errorOf } from '../../src/life/order/view/v2-customer.ts';
import { usdc } from './market.ts';
import { clean, listed, screened, sent, showing, verdict } from './screening-room.ts';
import { after, buyOrder, minute, place } from './world.ts';

const THIRD = 'third' as Address;
const named = place(buyOrder().from.id, 'a fresh one');
const owed = ({ claims }: Order) =>
  claims.map(({ to, amount, stage, isSpeck }) => [to?.address, amount.atoms, isSpeck ? 'speck' : stage]);
const of = (value: string): bigint => usdc(value).atoms;
const sumOf = ({ claims }: Order): bigint => claims.reduce((sum, { amount }) => sum + amount.atoms, 0n);

describe('a deposit of several accounts, one of which is listed', () => {
  test('goes back to each of them in a claim of its own, whatever address was named, and nobody is asked for one', async () => {
    const mixed = showing({ ...buyOrder(), refundTo: named }, [
      sent(0, usdc('40'), clean),
      sent(1, usdc('60'), listed),
    ]);
    const back = await screened(mixed);
    assert.deepEqual(owed(back), [
      [listed, of('60'), 'pricing'],
      [clean, of('40'), 'pricing'],
    ]);
    assert.deepEqual([back.state.phase === 'refunding' && back.state.claim, back.used.atoms], [1, 0n]);
    assert.notEqual(customerState(back, RULES).kind, 'action_required');
  });

  test('ends when all of it is paid back', async () => {
    const back = await screened(showing(buyOrder(), [sent(0, usdc('40'), clean), sent(1, usdc('60'), listed)]));
    const paid = (order: Order, claim: number): Order => {
      const cost = { cost: usdc('0'), inAsset: usdc('0'), at: minute(6) };
      const paying = after(order, { fact: 'claim_priced', claim, ...cost });
      const { id: payment } = present(paying.payments.at(-1), 'the refund');
      const done = { part: 'main', payment, at: minute(7) } as const;
      const txHash = `0x${claim}` as never;
      return after(
        paying,
        { fact: 'payment_priced', payment, gas: usdc('0'), cost: usdc('0'), at: minute(6) },
        { fact: 'transfer_signed', txHash, ...done },
        { fact: 'transfer_sent', ...done },
        { fact: 'transfer_confirmed', txHash, cost: usdc('0'), ...done },
      );
    };
    const first = paid(back, 1);
    assert.deepEqual([first.state.phase, owed(first)[0]?.[2]], ['refunding', 'completed']);
    assert.equal(paid(first, 2).state.phase, 'refunded');
  });

  test('asks for an address, and says why, only for what no account is shown for', async () => {
    const mixed = [sent(0, usdc('30'), listed), sent(1, usdc('50'), clean), sent(2, usdc('20'), undefined)];
    const back = await screened(showing(buyOrder(), mixed));
    assert.deepEqual(owed(back), [
      [clean, of('50'), 'pricing'],
      [listed, of('30'), 'pricing'],
      [undefined, of('20'), 'address_required'],
    ]);
    assert.deepEqual(customerState(back, RULES), { kind: 'action_required', action: 'refund_address' });
    assert.equal(errorOf(back)?.code, 'refund_address_required');
    const elsewhere = await screened(showing({ ...buyOrder(), refundTo: named }, mixed));
    assert.deepEqual(owed(elsewhere)[2], [named.address, of('20'), 'pricing']);
  });

  test('is given back to the last atom, and what is next to nothing goes with the last', async () => {
    const mixed = [
      ...[sent(0, usdc('33.333333'), clean), sent(1, usdc('10.000001'), listed), sent(2, usdc('23.333333'), listed)],
      ...[
        sent(3, usdc('33.000001'), THIRD),
        sent(4, usdc('0.4'), undefined),
        sent(5, usdc('0.000001'), 'x' as Address),
      ],
    ];
    const back = await screened(showing(buyOrder(), mixed));
    assert.deepEqual(owed(back), [
      [listed, of('33.333334'), 'pricing'],
      [clean, of('33.333333'), 'pricing'],
      [THIRD, of('33.400002'), 'pricing'],
    ]);
    assert.equal(sumOf(back), back.funds.confirmed.atoms);
  });

  test('a top-up that came after the order went on is no part of what it used', async () => {
    const went = showing(buyOrder(), [sent(0, usdc('60'), listed), sent(1, usdc('40'), clean)]);
    const more = showing(went, [
      ...[sent(0, usdc('60'), listed), sent(1, usdc('40'), clean), sent(2, usdc('70'), THIRD)],
    ]);
    const back = await screened(more);
    assert.deepEqual(owed(back), [
      [undefined, of('70'), 'address_required'],
      [listed, of('60'), 'pricing'],
      [clean, of('40'), 'pricing'],
    ]);
    assert.deepEqual([back.state.phase === 'refunding' && back.state.claim, sumOf(back)], [2, of('170')]);
  });

  test('is given back once, however often that it was screened is told', async () => {
    const mixed = showing(buyOrder(), [sent(0, usdc('40'), clean), sent(1, usdc('60'), listed)]);
    const fact = await verdict(mixed);
    const back = after(mixed, fact);
    assert.equal(transition(back, fact, RULES), 'ignore');
  });

  test('makes no more claims than an order may have: the smallest go where all else does', async () => {
    const many = Array.from({ length: RULES.mostClaims + 6 }, (_, n) => sent(n, usdc('5'), `${n}` as Address));
    const back = await screened(showing(buyOrder(), [...many, sent(99, usdc('6'), listed)]));
    const asked = owed(back).filter(([to]) => to === undefined);
    assert.deepEqual([back.claims.length, asked], [RULES.mostClaims + 1, [[undefined, of('35'), 'address_required']]]);
    assert.equal(sumOf(back), back.funds.confirmed.atoms);
  });

  test('is given back by what there is, should a worker say that more was sent', async () => {
    const mixed = showing(buyOrder(), [sent(0, usdc('40'), clean), sent(1, usdc('60'), listed)]);
    const fact = await verdict(mixed);
    const parts = (fact.parts ?? []).map((part) => ({ ...part, amount: usdc('70') }));
    const back = after(mixed, { ...fact, parts });
    assert.deepEqual(
      owed(back).map(([, sum]) => sum),
      [of('70'), of('30')],
    );
  });
});

test('a crowd is looked through by nobody: all of it goes where all else does', async () => {
  const many = Array.from({ length: RULES.mostSenders + 6 }, (_, n) => sent(n, usdc('5'), `${n}` as Address));
  const back = await screened(showing(buyOrder(), many));
  assert.deepEqual([back.funds.isCrowd, owed(back)], [true, [[undefined, of('350'), 'address_required']]]);
});
