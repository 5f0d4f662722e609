import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Amount } from '../../src/kernel/amount.ts';
import { later } from '../../src/kernel/clock.ts';
import type { Fault } from '../../src/kernel/fault.ts';
import type { TradeParts } from '../../src/life/execution/stock-trade.ts';
import type { Venue } from '../../src/world/venues/venue.ts';
import { type Change, COIN, LIFE_MS, openTradeRoom, type TradeRoom } from './trade-room.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

let desk: TradeRoom;
before(async () => {
  desk = await openTradeRoom();
});
after(() => desk?.close());

const engine = (change?: Change) => desk.engine(change);
const stock = (...wanted: readonly Amount[]) => desk.stock(...wanted);
const xmr1 = (coins: bigint) => desk.xmr1(coins);
const dollars = (whole: bigint) => desk.dollars(whole);
const has = (of: Amount) => desk.has(of);
const last = () => desk.last();
const wait = (ms: number) => desk.room.wait(ms);
const tradedSince = (from: number) => desk.tradedSince(from);
const assertBalanced = (why?: string) => desk.assertBalanced(why);

describe('coins of the book that run low', () => {
  test('are bought for dollars above their own target, up to what is wanted, and posted from the fills', async () => {
    await stock(xmr1(2n), dollars(30_000n));
    const came = () => desk.sentByOthers(xmr1(0n).asset);
    const before = await came();
    for (let turn = 0; turn < 3; turn += 1) await engine()();
    assert.equal(await last(), 1, 'once');
    assert.equal(await came(), before, 'nobody has sent it here');
    assert.equal(await tradedSince(0), 8n * COIN);
    const spent = dollars(30_000n).atoms - (await has(dollars(0n)));
    assert.ok(spent > 2_400n * COIN && spent < 2_424n * COIN, `${spent}`);
    await assertBalanced();
  });

  test('and dollars for coins, in the other direction', async () => {
    wait(DAY_MS);
    await stock(xmr1(40n), dollars(500n));
    for (let turn = 0; turn < 3; turn += 1) await engine()();
    assert.equal(await last(), 2);
    assert.ok((await has(dollars(0n))) > 9_300n * COIN, 'thirty coins were to spare');
    assert.equal(await has(xmr1(0n)), xmr1(10n).atoms, 'and ten are kept');
    await assertBalanced();
  });

  test('never in circles, nor before the account was read', async () => {
    wait(DAY_MS);
    const before = await last();
    for (const [coins, money] of [
      [4n, 10_000n],
      [4n, 900n],
      [10n, 900n],
      [5n, 90_000n],
    ] as const) {
      await stock(xmr1(coins), dollars(money));
      await engine()();
    }
    await stock(xmr1(2n), dollars(90_000n));
    await engine({
      parts: (parts) => ({ ...parts, books: { ...parts.books, beyondLedger: async () => undefined } }),
    })();
    assert.equal(await last(), before);
  });
});

describe('each bound holds', () => {
  test('a book that is dearer than the bound is not traded on', async () => {
    desk.setBook({ mid: '304' });
    await stock(xmr1(2n), dollars(90_000n));
    const before = await last();
    await engine()();
    assert.equal(await last(), before);
    desk.setBook({});
  });

  test('of a thin book only what is offered within the bound is taken, and the rest later', async () => {
    desk.setBook({ depthUsd: 1_500 });
    const from = desk.journal.size;
    await engine()();
    const first = await tradedSince(from);
    assert.ok(first > 0n && first < 8n * COIN, `${first}`);
    await assertBalanced();
    desk.setBook({});
    await engine()();
    assert.ok((await has(xmr1(0n))) >= 5n * COIN);
    await assertBalanced();
  });

  test('no more at once than may be lost, and no more in a day than that allows', async () => {
    wait(DAY_MS + 1);
    const bounds = { usdAtOnce: 900_000_000n, usdPerDay: 1_500_000_000n };
    const sizes: bigint[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      await stock(xmr1(2n), dollars(90_000n));
      const from = desk.journal.size;
      await engine(bounds)();
      sizes.push(await tradedSince(from));
    }
    assert.ok((sizes[0] ?? 0n) <= 3n * COIN && (sizes[0] ?? 0n) > 2n * COIN, `${sizes}`);
    assert.ok((sizes[1] ?? 0n) <= 2n * COIN + COIN / 10n && (sizes[1] ?? 0n) > COIN, `${sizes}`);
    assert.deepEqual(sizes.slice(2), [0n, 0n]);
  });

  test('money that an order took meanwhile is not spent: the ticket is left to its time, and uses nothing of the day', async () => {
    wait(DAY_MS + 1);
    await stock(xmr1(2n), dollars(90_000n));
    const from = desk.journal.size;
    await engine({
      parts: (parts) => ({
        ...parts,
        trades: {
          ...parts.trades,
          note: async (trade) => {
            await stock(dollars(10n));
            return parts.trades.note(trade);
          },
        },
      }),
    })();
    assert.equal(desk.journal.size, from, 'nothing is signed');
    await stock(dollars(90_000n));
    wait(LIFE_MS + 6_000);
    await engine()();
    assert.equal(await desk.books.stockTrades.since(xmr1(0n).asset, later(desk.room.clock.now(), -DAY_MS)), 0n);
    await assertBalanced();
  });
});

describe('what is unknown stays so until the venue says', () => {
  test('an answer that was lost is looked for by its client id, and nothing is traded twice', async () => {
    wait(DAY_MS + 1);
    await stock(xmr1(2n), dollars(90_000n));
    const from = desk.journal.size;
    desk.simulator.setFault({ mode: 'error_after_effect', count: 1 });
    await engine()().catch(() => {});
    assert.equal(await tradedSince(from), 8n * COIN);
    for (let turn = 0; turn < 3; turn += 1) await engine()();
    assert.equal(await tradedSince(from), 8n * COIN);
    await assertBalanced();
  });

  test('one that never came there is posted again as it was, and past its time it is void', async () => {
    wait(DAY_MS + 1);
    await stock(xmr1(2n), dollars(90_000n));
    const [from, number] = [desk.journal.size, (await last()) + 1];
    const lost = engine({
      parts: (parts) => ({ ...parts, venue: { ...parts.venue, post: async () => assert.fail('no line') } }),
    });
    await assert.rejects(lost(), /no line/);
    await assert.rejects(lost(), /no line/);
    assert.deepEqual([await last(), desk.journal.size], [number, from + 1], 'one ticket, signed once');
    assert.ok(
      (await desk.books.ledger.balance(`payment:treasury:trade:${number}`, dollars(0n).asset)) > 0n,
      'set apart',
    );
    wait(LIFE_MS + 6_000);
    await engine({ parts: (parts) => ({ ...parts, levels: [] }) })();
    assert.equal(await desk.books.stockTrades.open(), undefined);
    await assertBalanced();
    await engine()();
    assert.equal(await tradedSince(from), 8n * COIN);
    await assertBalanced();
  });
});

/** The same, which ends at its nth call to the outside or to the database: before it, or after it took effect. */
function endedAt(nth: number, when: 'before' | 'after') {
  let calls = 0;
  const wrapped = <T extends object>(of: T, but: readonly string[] = []): T =>
    new Proxy(of, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== 'function' || but.includes(String(name))) return value;
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
  return {
    parts: (parts: TradeParts): TradeParts => ({
      ...parts,
      trades: wrapped(parts.trades),
      books: wrapped(parts.books),
      signer: wrapped(parts.signer),
      venue: wrapped(parts.venue as Venue, ['priceText']),
    }),
    isReached: () => calls >= nth,
  };
}

describe('whoever is ended', () => {
  for (const when of ['before', 'after'] as const)
    test(`${when} any of its calls trades once`, async () => {
      let points = 0;
      for (let nth = 1; ; nth += 1) {
        wait(DAY_MS + 1);
        await stock(xmr1(2n), dollars(90_000n));
        const from = desk.journal.size;
        const end = endedAt(nth, when);
        await engine({ parts: end.parts })().catch((error: Error) => assert.equal(error.message, 'ended'));
        if (!end.isReached()) break;
        points += 1;
        // The next engine goes on with whatever it finds.
        for (let turn = 0; turn < 3; turn += 1) await engine()();
        assert.equal(await tradedSince(from), 8n * COIN, `${when} call ${nth}`);
        assert.equal(await desk.books.stockTrades.open(), undefined, `${when} call ${nth}`);
        await assertBalanced(`${when} call ${nth}`);
      }
      assert.ok(points >= 15, `${points} calls`);
    });

  test('and comes back after its ticket was given up trades nothing, and keeps nothing', async () => {
    wait(DAY_MS + 1);
    await stock(xmr1(2n), dollars(90_000n));
    const from = desk.journal.size;
    const slow = engine({
      parts: (parts) => ({
        ...parts,
        books: {
          ...parts.books,
          commit: async (work) => {
            wait(LIFE_MS + 6_000);
            await engine()();
            return parts.books.commit(work);
          },
        },
      }),
    });
    await slow();
    assert.equal(desk.journal.size, from, 'whoever came first found it over, and the late one signs nothing');
    await assertBalanced();
  });
});

test('fills that the venue does not show are asked for again, and whoever asks names the ticket', async () => {
  wait(DAY_MS + 1);
  await stock(xmr1(2n), dollars(90_000n));
  const from = desk.journal.size;
  const blind = engine({
    parts: (parts) => ({ ...parts, venue: Object.assign(Object.create(parts.venue), { fills: async () => [] }) }),
  });
  const named = async (error: Fault) => {
    const trade = await desk.books.stockTrades.open();
    assert.ok(trade && error.kind === 'transient', error.message);
    assert.ok(error.message.includes(`stock trade ${trade.number} (ticket ${trade.ticket.clientId})`), error.message);
  };
  for (let turn = 0; turn < 2; turn += 1) await blind().then(() => assert.fail('nobody was told'), named);
  await engine()();
  assert.equal(await tradedSince(from), 8n * COIN);
  await assertBalanced();
});

test('two engines at once trade once', async () => {
  wait(DAY_MS + 1);
  await stock(xmr1(2n), dollars(90_000n));
  const from = desk.journal.size;
  await Promise.allSettled([engine()(), engine()(), engine()()]);
  for (let turn = 0; turn < 2; turn += 1) await engine()();
  assert.equal(await tradedSince(from), 8n * COIN);
  await assertBalanced();
});

test('a database from the past finds by its number what was traded, posts it and trades nothing for it', async () => {
  wait(DAY_MS + 1);
  await stock(xmr1(2n), dollars(90_000n));
  const from = desk.journal.size;
  const number = (await last()) + 1;
  // All of the database but this trade: only the signer and the venue know of it.
  await engine({
    parts: (parts) => ({
      ...parts,
      trades: { ...parts.trades, note: async () => true, saveSigned: async () => {}, close: async () => {} },
      books: {
        ...parts.books,
        balance: async (account, asset) =>
          account === 'treasury' ? parts.books.balance(account, asset) : dollars(1_000_000n).atoms,
        commit: async () => 'ok',
      },
    }),
  })();
  assert.equal(await tradedSince(from), 8n * COIN);
  assert.equal(await last(), number - 1);
  for (let turn = 0; turn < 2; turn += 1) await engine()();
  assert.equal(await tradedSince(from), 8n * COIN, 'once');
  assert.equal(await last(), number);
  await assertBalanced();
});
