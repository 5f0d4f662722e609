import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { isZero } from '../../src/kernel/amount.ts';
import { type Case, type CaseRef, isNamedIn, subjectOf } from '../../src/life/case/case.ts';
import { casesOver } from '../../src/life/order/cases-over.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import { collectionPayment, type Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { type CaseRoom, openCaseRoom } from './case-room.ts';
import { happens, priced, signedAndPaid } from './case-stories.ts';
import { USDC, usdc, XMR } from './market.ts';
import { histories, live, trips } from './order-histories.ts';
import { AT, filled, news, screened } from './order-phases.ts';
import { type Witness, witness } from './order-witness.ts';
import { buyOrder, final, place, tripOrder } from './world.ts';

describe('9.10: cases that vanish while money is owed', () => {
  let room: CaseRoom;
  before(async () => {
    room = await openCaseRoom();
  });
  after(() => room.close());

  const home = (name: string): Fact => ({ fact: 'refund_address_given', to: place(USDC.id, name), at: AT });
  const refused = async () => (await room.shown()).filter((one) => one.case === 'refund_refused').length;
  const owedOf = async ({ id }: Order) => {
    const [row] = await room.db.query(
      { name: 'owed_case_balance', text: 'SELECT atoms FROM balance WHERE account = $1 AND asset = $2' },
      [`deposit:${id}`, USDC.id],
    );
    return BigInt((row?.['atoms'] as string | undefined) ?? '0');
  };

  test('a blocked refund beside a completed order keeps its case, and its money is the order’s again', async () => {
    const venue = buyOrder().route.legs.flatMap((leg) => (leg.leg === 'venue' ? [leg.spend] : []));
    await room.stock(USDC.id, XMR.id, ...venue);
    const id = await room.keep(buyOrder());
    const paid = await room.tell(
      id,
      ...[final(usdc('100'), AT), screened(true), (order: Order) => news(order, 'collection').priced(0n)],
      ...signedAndPaid('collection'),
      ...[{ fact: 'stock_reserved', at: AT } as const, filled, { fact: 'payout_reserved', at: AT } as const],
      ...signedAndPaid('payout'),
    );
    assert.equal(paid.state.phase, 'completed');

    const extra = await room.tell(id, final(usdc('150'), AT), home('home'), priced);
    assert.equal(await owedOf(extra), 0n, 'set apart for the refund');
    const blocked = await room.tell(id, happens('refund', 'refused'));
    assert.equal(await owedOf(blocked), usdc('50').atoms);
    assert.equal(await refused(), 1);

    // Whatever else happens to the order is no reason to forget it.
    await room.tell(id, happens('payout', 'settled'), happens('collection', 'settled'));
    await room.tell(id, final(usdc('180'), AT));
    assert.equal(await refused(), 1);

    const asked = await room.tell(id, byHand);
    assert.equal(await refused(), 0, 'the customer is asked for another address instead');
    assert.ok(asked.claims.some(({ stage }) => stage === 'address_required'));
    assert.equal(await owedOf(asked), usdc('80').atoms, 'and all of it is still owed');
  });

  const byHand: Fact = {
    ...{ fact: 'give_back_decided', what: { claim: 1 }, byHand: { by: 'Ada', reason: 'frozen' }, at: AT },
  };
});

type Over = (order: Order) => readonly CaseRef[];

/** Which cases are open beside an order that hears one fact after the other; what is owed and has none is told. */
function caseless(beside: Witness, over: Over, found: (what: string) => void): Witness {
  let open: readonly Case[] = [];
  return {
    ...beside,
    get order() {
      return beside.order;
    },
    tell(fact) {
      const outcome = beside.tell(fact);
      if (outcome === 'ignore') return outcome;
      const refs = over(outcome.order);
      // As the database does: what is over closes, then what is raised opens.
      open = [...open.filter((one) => !isNamedIn(one, refs)), ...outcome.cases];
      const has = (kind: Case['case'], subject = '') =>
        open.some((one) => one.case === kind && subjectOf(one) === subject);
      for (const { stage, number, kind, amount } of outcome.order.claims) {
        const isTold = kind === 'reward' ? has('reward_received', amount.asset) : has('refund_refused', `${number}`);
        if (stage === 'blocked' && !isTold) found(`claim ${number}, ${kind}`);
      }
      const { state, used } = outcome.order;
      const isStranded = state.phase === 'failed' && state.code === 'deposit_not_collectable' && !isZero(used);
      if (isStranded && !has('collection_refused')) found('the deposit');
      const collection = collectionPayment(outcome.order);
      const isOurs = collection?.purpose.for === 'collection' && collection.purpose.forHouse;
      if (isOurs && collection.state.state === 'refused' && !has('advance_not_collected')) found('what was advanced');
      return outcome;
    },
  };
}

const LIVES = { seed: 10, numRuns: 1_500 };

function livesWith(over: Over): readonly string[] {
  const found: string[] = [];
  for (const [trip, history] of fc.sample(fc.tuple(trips, histories), LIVES))
    live(
      caseless(witness(tripOrder(trip), RULES), over, (what) => found.push(what)),
      history,
    );
  return found;
}

test('9.10: no history of facts leaves money blocked or stranded without its case', () => {
  assert.deepEqual(livesWith(casesOver), []);
});

test('9.10: cases that close with their order leave owed money without one: so it was won', () => {
  const withTheOrder: Over = (order) => [
    ...casesOver(order),
    ...(order.state.phase === 'completed' ? [{ case: 'refund_refused' } as const] : []),
    ...(order.state.phase === 'failed' ? [{ case: 'collection_refused' } as const] : []),
  ];
  assert.ok(livesWith(withTheOrder).length > 0);
});
