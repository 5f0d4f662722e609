import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { guardHandlers } from '../../src/app/gates.ts';
import { holdOrphaned } from '../../src/engine/hold.ts';
import type { Handlers } from '../../src/engine/worker.ts';
import { zero } from '../../src/kernel/amount.ts';
import { type Instant, later } from '../../src/kernel/clock.ts';
import type { OrderId } from '../../src/kernel/ids.ts';
import { usd } from '../../src/kernel/usd.ts';
import { casesOver } from '../../src/life/order/cases-over.ts';
import type { Effect, EffectKind } from '../../src/life/order/effect.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import { isHeld, isHeldBack } from '../../src/life/order/hold.ts';
import type { Order } from '../../src/life/order/order.ts';
import { resume } from '../../src/life/order/resume.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { Phase } from '../../src/life/order/state.ts';
import { transition } from '../../src/life/order/transition.ts';
import { customerState } from '../../src/life/order/view/v2-customer.ts';
import { why } from '../../src/operator/why.ts';
import { type DepositRoom, openDepositRoom } from './deposit-room.ts';
import { usdc } from './market.ts';
import { AT, filled, ORDER_IN, paid, screened } from './order-phases.ts';
import { transfer } from './scripted-chain.ts';
import { after as afterFacts, buyOrder, final, isIgnored, observed } from './world.ts';

/** The deposit is not where it was: neither in a block nor in the pool. */
const gone = (order: Order) => observed(zero(order.from.id), zero(order.from.id), AT);
/** It is in the pool again, where a conflicting transaction may take its place. */
const inPool = (order: Order) => observed(order.funds.confirmed, zero(order.from.id), AT);
const back = (order: Order) => final(order.funds.confirmed, AT);

const CREDITED: readonly Phase[] = [
  ...(['screening', 'collecting', 'stocking', 'trading', 'placing', 'swapping', 'provider_failed'] as const),
  ...(['payout_due', 'paying', 'payout_refused', 'refunding', 'completed', 'refunded', 'failed'] as const),
];
const kinds = (effects: readonly Effect[]): readonly EffectKind[] => effects.map(({ effect }) => effect);
/** What takes up, exchanges or signs. Trades are followed, and none is begun: `unit/ticket-held`. */
const SPENDING: ReadonlySet<EffectKind> = new Set([
  ...(['screen_deposit', 'reserve_stock', 'place_leg', 'reserve_payout', 'price_payment', 'sign_transfer'] as const),
]);

describe('9.2: a deposit that left the chain after it was credited', () => {
  for (const phase of CREDITED)
    test(`holds the order in ${phase}: nothing of it is taken up, traded, funded, paid or signed, and it goes on when it is back`, () => {
      const before = ORDER_IN[phase];
      for (const left of [gone(before), inPool(before)]) {
        const held = afterFacts(before, left);
        assert.ok(isHeld(held));
        assert.equal(held.state.phase, phase, 'it stays where it was');
        assert.deepEqual(held.funds.confirmed, before.funds.confirmed, 'what was credited is not forgotten');
        const wanted = resume(held, AT);
        assert.deepEqual(
          kinds(wanted.filter((effect) => !isHeldBack(held, effect))).filter((kind) => SPENDING.has(kind)),
          [],
        );
        assert.ok(!casesOver(held).some((one) => one.case === 'deposit_orphaned'), 'the case stays');
        const step = transition(held, back(held), RULES);
        assert.ok(step !== 'ignore' && !isHeld(step.order));
        for (const kind of kinds(resume(step.order, AT)))
          assert.ok(kinds(step.effects).includes(kind), `${kind} is asked for`);
        assert.ok(
          casesOver(step.order).some((one) => one.case === 'deposit_orphaned'),
          'the case closes by itself',
        );
      }
    });

  test('is shown: to the customer as checked, to the operator as held, and as a case that says what may be lost', () => {
    const step = transition(ORDER_IN.trading, gone(ORDER_IN.trading), RULES);
    assert.ok(step !== 'ignore');
    const { order, cases } = step;
    assert.deepEqual(cases, [
      { case: 'deposit_orphaned', asset: order.from.id, atoms: usdc('100').atoms, usd: '100.00' },
    ]);
    assert.deepEqual(customerState(order, RULES), { kind: 'notice', notice: 'checking', observedDepositAmount: '0' });
    const nothing = { integrationId: undefined, keyId: undefined, history: [], postings: [], attempts: [], work: [] };
    assert.match(why({ order, ...nothing }), /^HELD: 100000000 atoms of .* are not on the chain/);
  });

  test('takes nothing from a worker that had not heard of it, but all that the world did', () => {
    for (const [phase, fact] of [
      ['screening', screened(true)],
      ['stocking', { fact: 'stock_reserved', at: AT }],
      ['payout_due', { fact: 'payout_reserved', at: AT }],
    ] as const)
      assert.ok(isIgnored(afterFacts(ORDER_IN[phase], gone(ORDER_IN[phase])), fact), phase);
    const traded = afterFacts(ORDER_IN.trading, gone(ORDER_IN.trading), filled(ORDER_IN.trading));
    assert.deepEqual([traded.state.phase, isHeld(traded)], ['payout_due', true]);
  });

  test('9.2: an order that does not know what is missing is paid all the same, and its case closes: so it was won', () => {
    const forgetful = (order: Order): Order => {
      const { missing: _, ...funds } = order.funds;
      return { ...order, funds };
    };
    const left = afterFacts(ORDER_IN.screening, gone(ORDER_IN.screening));
    assert.ok(isIgnored(left, screened(true)), 'with the hold it goes nowhere');
    let order = afterFacts(forgetful(left), screened(true));
    assert.equal(order.state.phase, 'collecting');
    order = afterFacts(paid(order, 'collection'), { fact: 'stock_reserved', at: AT });
    order = afterFacts(order, filled(order), { fact: 'payout_reserved', at: AT });
    order = paid(order, 'payout');
    assert.deepEqual([order.state.phase, order.funds.seen], ['completed', zero(order.from.id)]);
    assert.ok(
      casesOver(order).some((one) => one.case === 'deposit_orphaned'),
      'nobody is told any more',
    );
  });

  test('is made up for by whatever else comes to the same address', () => {
    const held = afterFacts(ORDER_IN.trading, gone(ORDER_IN.trading));
    assert.deepEqual(held.funds.missing, usdc('100'));
    const more = afterFacts(held, observed(usdc('40'), usdc('40'), AT));
    assert.deepEqual(more.funds.missing, usdc('60'), 'another transfer makes up for part of it');
  });
});

/** The book gave nothing acceptable. */
function nothingTraded({ state }: Order, at: Instant): Fact {
  assert.ok(state.phase === 'trading');
  const { chunk, attempt, spent, got } = state.run;
  return { fact: 'ticket_done', chunk, attempt, spent: zero(spent.asset), got: zero(got.asset), last: false, at };
}

test('an order that was held for longer than its patience asks as often as one that was not', () => {
  const much = later(AT, 10 * RULES.tradePatienceMs);
  const held = (order: Order) => afterFacts(order, gone(order));
  const released = (order: Order) => afterFacts(order, { ...back(order), at: much });

  const declined = { fact: 'leg_declined', number: 0, refused: false, at: much } as const;
  assert.equal(afterFacts(ORDER_IN.placing, declined).state.phase, 'refunding', 'patience ends');
  assert.equal(afterFacts(released(held(ORDER_IN.placing)), declined).state.phase, 'placing');

  const idle = afterFacts(ORDER_IN.trading, nothingTraded(ORDER_IN.trading, AT));
  assert.equal(afterFacts(idle, nothingTraded(idle, much)).state.phase, 'refunding', 'patience ends');
  const again = released(held(idle));
  assert.equal(afterFacts(again, nothingTraded(again, much)).state.phase, 'trading');
});

describe('9.2: in the engine', () => {
  let room: DepositRoom;
  before(async () => {
    room = await openDepositRoom({ mostOrphaned: usd(250) });
    await room.round();
  });
  after(() => room.close());

  const rounds = async (count = 6) => {
    for (let n = 0; n < count; n += 1) {
      room.mine(1);
      await room.round();
    }
  };
  let paid = 0;
  /** An order whose hundred dollars are credited, and the height under them. */
  async function credited(): Promise<{ readonly id: OrderId; readonly height: number; again(): void }> {
    const id = await room.keep(buyOrder());
    const { depositAddress } = await room.find(id);
    const height = room.tip();
    paid += 1;
    const again = (
      (name: string) => () =>
        room.mine(1, transfer(name, depositAddress, usdc('100')))
    )(`paid ${paid}`);
    again();
    await rounds();
    assert.equal((await room.find(id)).state.phase, 'screening');
    return { id, height, again };
  }

  /** What a worker was asked to do for the order, with or without the hold. */
  async function asked(order: Order, hold: (handlers: Handlers) => Handlers): Promise<readonly EffectKind[]> {
    const done: EffectKind[] = [];
    const note = async ({ effect }: { readonly effect: Effect }) => {
      done.push(effect.effect);
      return 'done' as const;
    };
    const all = Object.fromEntries([...SPENDING].map((kind) => [kind, note])) as unknown as Handlers;
    const handlers = hold(guardHandlers(all, room.books.breakers, room.books.payments)) as unknown as Record<
      EffectKind,
      (...args: unknown[]) => Promise<unknown>
    >;
    for (const effect of resume(order, AT))
      await handlers[effect.effect]?.({ key: '', owner: order.id, effect, tries: 0, troubledSince: undefined }, order);
    return done;
  }

  test('a deposit of 100 USDC that a reorganisation takes away is not carried out until it is deep in the chain again', async () => {
    const { id, height, again } = await credited();
    room.reorganise(height);
    await rounds(3);
    const held = await room.find(id);
    assert.equal((await room.caseOf('deposit_orphaned'))?.orderId, id);
    assert.deepEqual(await asked(held, holdOrphaned), []);
    assert.deepEqual(await asked(held, (handlers) => handlers), ['screen_deposit'], 'without the hold it would go on');
    const { version } = held;
    await rounds(3);
    assert.equal((await room.find(id)).version, version, 'and it is told once');
    again();
    await room.round();
    assert.deepEqual(await asked(await room.find(id), holdOrphaned), [], 'one block is not deep enough');
    await rounds();
    assert.equal(await room.caseOf('deposit_orphaned'), undefined);
    assert.deepEqual(await asked(await room.find(id), holdOrphaned), ['screen_deposit']);
  });

  test('when more than the limit has left a chain its breaker opens by itself, with the reason, and its deposits wait', async () => {
    const scope = `chain:${room.chain.facts.id}`;
    const isOpen = async () => (await room.books.breakers.all()).find((one) => one.scope === scope);
    const orders = [await credited(), await credited(), await credited()];
    const [first, second] = [...orders].reverse();
    assert.ok(first && second);
    room.reorganise(first.height);
    await rounds(2);
    room.reorganise(second.height);
    await rounds(2);
    assert.equal(await isOpen(), undefined, '$200 is under the limit of $250');
    const other = await credited();
    assert.deepEqual(await asked(await room.find(other.id), holdOrphaned), ['screen_deposit']);
    room.reorganise(orders[0]?.height ?? 0);
    await rounds(2);
    const opened = await isOpen();
    assert.equal(opened?.open, true);
    assert.equal(
      opened?.reason,
      'credited deposits of 4 orders, worth $400.00, have left this chain; at most $250.00 is let pass',
    );
    const { breakers } = (await room.ask('GET', '/operator/breakers')).json();
    assert.ok(breakers.some((one: { scope: string; open: boolean }) => one.scope === scope && one.open));
    const next = await credited();
    room.wait(1_000);
    assert.deepEqual(
      await asked(await room.find(next.id), (handlers) => handlers),
      [],
      'its deposits are not taken up',
    );
  });
});
