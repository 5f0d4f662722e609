import assert from 'node:assert/strict';
import { after as afterAll, before, describe, test } from 'node:test';
import { amount } from '../../src/kernel/amount.ts';
import type { OrderId } from '../../src/kernel/ids.ts';
import { type DepositStage, depositHandlers } from '../../src/life/deposit/handlers.ts';
import { casesOver } from '../../src/life/order/cases-over.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { leftOf, type Step } from '../../src/life/order/step.ts';
import { transition } from '../../src/life/order/transition.ts';
import { move } from '../../src/life/payment/posting.ts';
import type { Statement } from '../../src/store/db.ts';
import { eventually } from '../run/patience.ts';
import { type CaseRoom, openCaseRoom } from './case-room.ts';
import { USDC, usdc } from './market.ts';
import { AT, filled, advanced as fromStock, news, paid, screened } from './order-phases.ts';
import { witness } from './order-witness.ts';
import { after, buyOrder, final, place } from './world.ts';

const collected = screened(true);
const screening = after(buyOrder(), final(usdc('100'), AT));

const step = (order: Order, fact: Fact): Step => {
  const outcome = transition(order, fact, RULES);
  assert.ok(outcome !== 'ignore', fact.fact);
  return outcome;
};

/** As far as the customer is concerned, with the collection still where it began. */
function completed(): ReturnType<typeof witness> {
  const beside = witness(buyOrder(), RULES);
  beside.tell(final(usdc('100'), AT));
  beside.tell(fromStock);
  beside.tell({ fact: 'stock_reserved', at: AT });
  beside.tell(filled(beside.order));
  beside.tell({ fact: 'payout_reserved', at: AT });
  for (const fact of ['signed', 'sent', 'confirmed'] as const) beside.tell(news(beside.order, 'payout')[fact]);
  assert.equal(beside.order.state.phase, 'completed');
  return beside;
}

const isCollecting = ({ payments }: Order) => payments.filter(({ purpose }) => purpose.for === 'collection').length;

describe('an order goes on from stock while its deposit is collected', () => {
  test('the customer is paid before anything of the deposit has moved, and then it becomes the treasury’s', () => {
    const beside = completed();
    const { order } = beside;
    const [owed, ours] = [`deposit:${order.id}` as const, leftOf(order)];
    assert.equal(beside.order.payments.find(({ purpose }) => purpose.for === 'collection')?.state.state, 'due');
    assert.deepEqual([beside.balance(owed, USDC.id), beside.balance(ours, USDC.id)], [0n, usdc('100').atoms]);
    const stock = beside.balance('treasury', USDC.id);
    beside.tell(news(beside.order, 'collection').priced(0n));
    for (const fact of ['signed', 'sent', 'confirmed', 'settled'] as const)
      beside.tell(news(beside.order, 'collection')[fact]);
    assert.equal(beside.balance('treasury', USDC.id) - stock, usdc('100').atoms);
    assert.equal(beside.balance(ours, USDC.id), 0n);
    assert.equal(beside.order.state.phase, 'completed');
  });

  test('a deposit that is worth much is collected first, as is every one that stock is short for', () => {
    // Exactly at the line, and an atom below it.
    const price = screening.route.fromPrice;
    const dear = (num: bigint): Order => ({
      ...screening,
      route: { ...screening.route, fromPrice: { num, den: price.den * screening.used.atoms } as typeof price },
    });
    const line = RULES.collectFirstFrom * price.den;
    assert.equal(after(dear(line), fromStock).state.phase, 'collecting');
    assert.equal(after(dear(line - price.den), fromStock).state.phase, 'stocking');
    assert.equal(after(screening, collected).state.phase, 'collecting');
    assert.equal(paid(after(screening, collected), 'collection').state.phase, 'stocking');
  });

  test('what goes back after that goes back from the hot account, and the deposit is fetched all the same', () => {
    const stocking = after(screening, fromStock);
    const overdue = { ...stocking, state: { ...stocking.state, isOverdue: true } } as Order;
    const back = after(overdue, { fact: 'refund_address_given', to: place(USDC.id, 'home'), at: AT });
    assert.deepEqual(
      [back.state.phase, back.claims[0]?.from, back.claims[0]?.amount],
      ['refunding', 'hot', usdc('100')],
    );
    assert.equal(paid(back, 'collection').state.phase, 'refunding');
  });

  test('a collection that failed on the chain is made anew, twice, and nothing is done to the order by it', () => {
    const beside = completed();
    for (const tries of [1, 2, 3]) {
      assert.equal(isCollecting(beside.order), tries);
      const collection = () => news(beside.order, 'collection');
      beside.tell(collection().priced(0n));
      beside.tell(collection().signed);
      const failed = beside.tell(collection().failed);
      assert.deepEqual(
        failed !== 'ignore' && failed.cases.map((one) => one.case),
        tries === 3 ? ['advance_not_collected'] : [],
      );
    }
    assert.deepEqual([beside.order.state.phase, isCollecting(beside.order)], ['completed', 3]);
    assert.equal(beside.balance(leftOf(beside.order), USDC.id), usdc('100').atoms, 'it lies there, and it is ours');
  });

  test('a person has it tried again once the token lets go of it; the case is over when it has arrived', () => {
    const beside = completed();
    beside.tell(news(beside.order, 'collection').refused);
    assert.equal(
      beside.tell({ ...{ fact: 'give_back_decided', what: 'deposit', at: AT }, byHand: { by: 'Ada', reason: 'x' } }),
      'ignore',
    );
    const isOver = () => casesOver(beside.order).some((one) => one.case === 'advance_not_collected');
    assert.equal(isOver(), false);
    assert.notEqual(beside.tell({ fact: 'collection_retried', at: AT }), 'ignore');
    assert.equal(beside.tell({ fact: 'collection_retried', at: AT }), 'ignore', 'once');
    beside.tell(news(beside.order, 'collection').priced(0n));
    for (const fact of ['signed', 'sent', 'confirmed'] as const) beside.tell(news(beside.order, 'collection')[fact]);
    assert.equal(isOver(), true);
    assert.equal(beside.balance(leftOf(beside.order), USDC.id), 0n);
  });

  test('what was collected for the order itself is given back by a person, not tried again', () => {
    const failed = step(after(screening, collected), news(after(screening, collected), 'collection').refused).order;
    assert.equal(failed.state.phase, 'failed');
    assert.equal(transition(failed, { fact: 'collection_retried', at: AT }, RULES), 'ignore');
  });
});

const EFFECTS: Statement = {
  name: 'from_stock_effects',
  text: 'SELECT kind FROM effect WHERE owner = $1 ORDER BY kind',
};
const BALANCE: Statement = {
  name: 'from_stock_balance',
  text: 'SELECT account, atoms FROM balance WHERE asset = $1 AND atoms > 0 ORDER BY account',
};

describe('the ledger decides whether there is stock', () => {
  let room: CaseRoom;
  before(async () => {
    room = await openCaseRoom();
    room.wait(AT - room.clock.now());
  });
  afterAll(() => room.close());

  /** Screened by a worker, as the desk does it, with so much in the treasury. */
  async function screenedWith(stock: string): Promise<{ order: Order; kinds: unknown; held: unknown }> {
    const id: OrderId = await room.keep(buyOrder());
    await room.submit.commitHouse({ key: `stock ${id}`, postings: [move('world', 'treasury', usdc(stock))] });
    await room.tell(id, final(usdc('100'), AT));
    const handlers = {
      screen_deposit: async () => ({ fact: fromStock, orElse: collected }),
      price_payment: async () => ({ againInMs: 1e9 }),
      reserve_stock: async () => ({ againInMs: 1e9 }),
    };
    await room.whileWorking(handlers, async () => {
      await eventually(async () => (await room.find(id)).state.phase !== 'screening', 5_000);
    });
    const kinds = (await room.db.query(EFFECTS, [id])).map(({ kind }) => kind);
    const held = (await room.db.query(BALANCE, [USDC.id])).map(({ account, atoms }) => [
      account,
      BigInt(atoms as string),
    ]);
    await room.submit.commitHouse({
      key: `gone ${id}`,
      postings: [move('treasury', 'world', amount(USDC.id, stock === '100' ? 1n : usdc(stock).atoms))],
    });
    return { order: await room.find(id), kinds, held };
  }

  test('an atom too little: it is collected first, the instruction is over, and nobody is called', async () => {
    const { order, kinds, held } = await screenedWith('99.999999');
    assert.equal(order.state.phase, 'collecting');
    assert.deepEqual(kinds, ['price_payment']);
    assert.deepEqual(held, [
      [`deposit-payment:${order.id}:sweep:0`, usdc('100').atoms],
      ['treasury', usdc('99.999999').atoms],
    ]);
    assert.deepEqual(await room.shown(), []);
  });

  test('enough: it goes on, and the collection runs beside it', async () => {
    const { order, kinds, held } = await screenedWith('100');
    assert.equal(order.state.phase, 'stocking');
    assert.deepEqual(kinds, ['price_payment', 'reserve_stock']);
    assert.deepEqual((held as unknown[][]).slice(1), [
      [`left:${order.id}`, usdc('100').atoms],
      [`order:${order.id}`, usdc('100').atoms],
    ]);
  });

  test('POST /operator/cases/{id}/retry has an engine collect what was refused, with the rights of the API', async () => {
    const id = await room.keep(buyOrder());
    await room.submit.commitHouse({ key: 'stock for a case', postings: [move('world', 'treasury', usdc('100'))] });
    await room.tell(id, final(usdc('100'), AT), fromStock, (order) => news(order, 'collection').refused);
    const shown = (await room.caseOf('advance_not_collected')) ?? assert.fail('no case');
    const retry = `/operator/cases/${shown.id}/retry`;
    assert.ok(shown.calls.some(({ path }) => path === retry));
    const { collect_again } = depositHandlers({ clock: room.clock } as DepositStage);
    await room.whileWorking({ collect_again, price_payment: async () => ({ againInMs: 1e9 }) }, async () => {
      assert.equal((await room.ask('POST', retry)).status, 200);
      await eventually(async () => isCollecting(await room.find(id)) >= 2, 5_000);
    });
    assert.equal(isCollecting(await room.find(id)), 2);
    assert.equal((await room.ask('POST', retry)).status, 409);
  });
});
