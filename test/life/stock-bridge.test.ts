import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Amount } from '../../src/kernel/amount.ts';
import { percent } from '../../src/kernel/ratio.ts';
import type { FillParts } from '../../src/life/execution/stock-fill.ts';
import type { Provider } from '../../src/world/providers/provider.ts';
import { type BridgeRoom, type Change, openBridgeRoom } from './bridge-room.ts';
import { XMR, XMR1, xmr, xmr1 } from './market.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

let desk: BridgeRoom;
before(async () => {
  desk = await openBridgeRoom();
});
after(() => desk?.close());

const engine = (change?: Change) => desk.engine(change);
const stock = (...wanted: readonly Amount[]) => desk.stock(...wanted);
const pays = (number: number) => desk.pays(number);
const refuse = (number: number) => desk.refuse(number);
const paidFrom = (first: number) => desk.paidFrom(first);
const last = () => desk.last();

describe('a coin and its wrapped form', () => {
  test('are bridged where one runs low and the other is above its target, down to that and up to the other', async () => {
    await stock(xmr('2'), xmr1('14'));
    const round = engine();
    for (let turn = 0; turn < 3; turn += 1) await round();
    const payment = await desk.paymentOf(1);
    assert.deepEqual(payment?.amount, xmr1('4'), 'eight are missing, and only four are above the target');
    assert.equal(payment?.binding, `bound ${XMR1.id} ${payment?.to}`);
    assert.equal(await last(), 1, 'one at a time');
    const [at] = (await desk.books.solvency.positions()).filter(({ asset }) => asset === XMR1.id);
    assert.equal(at?.providers, 0n, 'nothing has left yet');
    await pays(1);
    const [then] = (await desk.books.solvency.positions()).filter(({ asset }) => asset === XMR1.id);
    assert.equal(then?.providers, xmr1('4').atoms, 'on its way it is ours');
    await round();
    // A thousandth and the flat fee stay with the bridge.
    assert.equal(await desk.received(xmr('1')), xmr('3.995').atoms);
    assert.equal(await desk.books.stockFills.open(XMR.id), undefined);
  });

  test('and back, in the other direction', async () => {
    desk.room.wait(DAY_MS);
    await stock(xmr('30'), xmr1('1'));
    const round = engine();
    await round();
    assert.deepEqual((await desk.paymentOf(2))?.amount, xmr('9'));
    await pays(2);
    await round();
    assert.equal(await desk.received(xmr1('1')), xmr1('8.991').atoms);
    assert.equal(await desk.books.stockFills.open(XMR1.id), undefined);
  });

  test('never in circles: what is low gives nothing, and neither does what is not above its target', async () => {
    desk.room.wait(DAY_MS);
    const before = await last();
    for (const [native, wrapped] of [
      ['2', '3'],
      ['4.9', '10'],
      ['5', '90'],
    ] as const) {
      await stock(xmr(native), xmr1(wrapped));
      await engine()();
    }
    assert.equal(await last(), before);
  });
});

describe('each bound refuses', () => {
  test('a bridge that takes more than the bound is not dealt with', async () => {
    await stock(xmr('2'), xmr1('40'));
    const before = await last();
    await engine({ mostCost: percent('0.05') })();
    assert.equal(await last(), before);
  });

  test('nothing is moved while the account was not looked at, or holds enough that was not counted yet', async () => {
    const before = await last();
    for (const drift of [undefined, xmr('3').atoms])
      await engine({ parts: (parts) => ({ ...parts, books: { ...parts.books, beyondLedger: async () => drift } }) })();
    assert.equal(await last(), before);
  });

  test('no more is under way at once than may be lost, and no more in a day than that allows', async () => {
    const first = (await last()) + 1;
    const bounds = { usdAtOnce: 900_000_000n, usdPerDay: 1_500_000_000n };
    for (let turn = 0; turn < 4; turn += 1) {
      const number = (await last()) + 1;
      await engine(bounds)();
      if ((await last()) === number) await pays(number);
      await engine(bounds)();
      await stock(xmr('2'), xmr1('40'));
    }
    assert.deepEqual(await paidFrom(first), [xmr1('3'), xmr1('2')], '900 dollars, then what 1,500 leave');
  });

  test('what was noted and not paid has spent nothing of the day', async () => {
    desk.room.wait(DAY_MS + 1);
    const bounds = { usdAtOnce: 900_000_000n, usdPerDay: 900_000_000n };
    const dies = engine({ ...bounds, parts: (parts) => ({ ...parts, books: { ...parts.books, open: died } }) });
    await assert.rejects(dies(), /ended/);
    const number = (await last()) + 1;
    await engine(bounds)();
    await engine(bounds)();
    const [paid] = await paidFrom(number);
    assert.deepEqual(paid, xmr1('3'), 'the whole day is there');
    await refuse(await last());
    await engine(bounds)();
    await engine(bounds)();
    assert.deepEqual((await paidFrom(number)).length, 2, 'nor has one that was refused before it was signed');
    await refuse(await last());
    await engine(bounds)();
  });
});

const died = async () => {
  throw new Error('ended');
};

/** The same, which ends at its nth call to the outside or to the database: before it, or after it took effect. */
function endedAt(nth: number, when: 'before' | 'after') {
  let calls = 0;
  const wrapped = <T extends object>(of: T): T =>
    new Proxy(of, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== 'function') return value;
        return async (...given: unknown[]) => {
          calls += 1;
          const isNow = calls === nth;
          if (isNow && when === 'before') throw new Error('ended');
          const answer = await (value as (...all: unknown[]) => unknown).apply(target, given);
          if (isNow) throw new Error('ended');
          return answer;
        };
      },
    });
  const supported = (provider: Provider): Provider => ({ ...wrapped(provider), supports: provider.supports });
  return {
    parts: (parts: FillParts): FillParts => ({
      ...parts,
      fills: wrapped(parts.fills),
      books: wrapped(parts.books),
      providers: parts.providers.map((one) => ({ ...supported(one), name: one.name, quote: one.quote })),
    }),
    isReached: () => calls >= nth,
  };
}

describe('whoever is ended', () => {
  for (const when of ['before', 'after'] as const)
    test(`${when} any of its calls moves once`, async () => {
      let points = 0;
      for (let nth = 1; ; nth += 1) {
        desk.room.wait(DAY_MS + 1);
        await stock(xmr('2'), xmr1('14'));
        const first = (await last()) + 1;
        const end = endedAt(nth, when);
        const dying = engine({ parts: end.parts });
        await dying().catch((error: Error) => assert.equal(error.message, 'ended'));
        if (!end.isReached()) break;
        points += 1;
        // The next engine goes on with whatever it finds.
        for (let turn = 0; turn < 3; turn += 1) await engine()();
        assert.deepEqual(await paidFrom(first), [xmr1('4')], `${when} call ${nth}`);
        await pays(await last());
        await engine()();
        assert.equal(await desk.books.stockFills.open(XMR.id), undefined, `${when} call ${nth}`);
      }
      assert.ok(points >= 10, `${points} calls`);
      for (let turn = 0; turn < 2; turn += 1) await engine()();
      await pays(await last());
      await engine()();
    });

  test('and comes back late finds its note given up, and pays nothing', async () => {
    desk.room.wait(DAY_MS + 1);
    await stock(xmr('2'), xmr1('14'));
    const first = (await last()) + 1;
    let others = async () => {};
    const slow = engine({
      parts: (parts) => ({
        ...parts,
        books: {
          ...parts.books,
          open: async (payment) => {
            await others();
            await parts.books.open(payment);
          },
        },
      }),
    });
    // Meanwhile another engine has seen the note, given it up and moved itself.
    others = async () => {
      for (let turn = 0; turn < 2; turn += 1) await engine()();
    };
    await assert.rejects(slow(), /given up/);
    assert.deepEqual(await paidFrom(first), [xmr1('4')]);
    await pays(await last());
    await engine()();
  });
});

test('two engines at once move once', async () => {
  desk.room.wait(DAY_MS + 1);
  await stock(xmr('2'), xmr1('14'));
  const first = (await last()) + 1;
  await Promise.allSettled([engine()(), engine()(), engine()()]);
  for (let turn = 0; turn < 2; turn += 1) await engine()();
  assert.deepEqual(await paidFrom(first), [xmr1('4')]);
  await pays(await last());
  await engine()();
});

describe('a bridge that takes and never delivers', () => {
  test('is a case after two hours, and nothing more goes there for a day, of whatever kind', async () => {
    desk.room.wait(DAY_MS + 1);
    await stock(xmr('2'), xmr1('14'));
    await engine()();
    desk.room.wait(3 * HOUR_MS);
    await engine()();
    assert.equal(await desk.room.caseOf('provider_failed'), undefined, 'whoever was not paid owes nothing');
    await refuse(await last());
    await engine()();
    desk.simulator.setFault({ mode: 'no_delivery' });
    await engine()();
    const number = await last();
    await pays(number);
    await engine()();
    assert.equal(await desk.room.caseOf('provider_failed'), undefined);
    desk.room.wait(3 * HOUR_MS);
    await engine()();
    const shown = await desk.room.caseOf('provider_failed');
    assert.match(`${shown?.reason}`, /bridge/);
    desk.simulator.clearFaults();
    for (const [native, wrapped] of [
      ['2', '40'],
      ['40', '2'],
    ] as const) {
      await stock(xmr(native), xmr1(wrapped));
      await engine()();
    }
    assert.equal(await last(), number, 'in neither direction');
    desk.room.wait(DAY_MS + 1);
    await engine()();
    assert.equal(await last(), number + 1);
  });
});
