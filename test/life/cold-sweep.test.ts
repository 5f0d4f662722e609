import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openEngineBooks } from '../../src/app/engine-books.ts';
import { openMetrics } from '../../src/app/metrics.ts';
import { showStock } from '../../src/app/metrics-rounds.ts';
import { amount, atoms } from '../../src/kernel/amount.ts';
import type { Address, IntentId } from '../../src/kernel/ids.ts';
import { move } from '../../src/life/payment/posting.ts';
import { countCold } from '../../src/life/transfer/count-cold.ts';
import type { Statement } from '../../src/store/db.ts';
import { eventually } from '../run/patience.ts';
import { SEAL_KEY } from '../seal-key.ts';
import { type CaseRoom, openCaseRoom } from './case-room.ts';
import { levelDesk } from './level-desk.ts';
import { USDC, usdc } from './market.ts';
import { TOKENS } from './operator-room.ts';
import { coin, newsOf } from './payment-facts.ts';
import { buyOrder } from './world.ts';

const STORE = { address: 'cold store' as Address, perDay: usdc('600').atoms };
const LEVEL = { asset: USDC.id, low: usdc('100').atoms, target: usdc('200').atoms, high: usdc('500').atoms };
const NUMBERED = (number: number) => `treasury:cold:${number}` as IntentId;
const WAITS: Statement = {
  name: 'cold_waits',
  text: 'UPDATE orders SET short_of = $1, short_atoms = $2 WHERE id = $3',
};
const LASTING_MS = 10_000;
const DAY_MS = 24 * 60 * 60 * 1000;

let room: CaseRoom;
let books: ReturnType<typeof openEngineBooks>;
let desk: ReturnType<typeof levelDesk>;
before(async () => {
  room = await openCaseRoom();
  books = openEngineBooks(room.db, room.clock, SEAL_KEY);
  desk = levelDesk(room, [LEVEL], [[USDC.id, STORE]]);
  await room.submit.commitHouse({ key: 'coins', postings: [move('world', 'treasury', coin(usdc('1'), 100n))] });
});
after(() => room.close());

let came = 0;
const gets = async (account: 'treasury' | 'order:unclaimed', value: string) => {
  came += 1;
  await room.submit.commitHouse({ key: `came ${came}`, postings: [move('world', account, usdc(value))] });
};
const pays = (value: string) => {
  came += 1;
  return room.submit.commitHouse({ key: `paid ${came}`, postings: [move('treasury', 'world', usdc(value))] });
};
const held = (account: string) => books.ledger.balance(account, USDC.id);
const lasts = async () => {
  await desk.keep();
  room.wait(LASTING_MS);
  await desk.keep();
};
/** The payment goes its whole way, as every payment does. */
async function arrives(number: number): Promise<void> {
  const payment = await books.payments.find(NUMBERED(number));
  assert.ok(payment);
  const news = newsOf(payment, room.clock.now());
  for (const what of ['signed', 'sent', 'settled'] as const)
    await room.submit.submitHouse(`${number} ${what}`, news[what]);
}

describe('what the hot account need not hold', () => {
  test('stays while it is within the ceiling, and while it is too much for a moment', async () => {
    await gets('treasury', '500');
    await gets('order:unclaimed', '5000');
    await lasts();
    await gets('treasury', '300');
    await desk.keep();
    await pays('300');
    await lasts();
    assert.equal(await books.payments.lastNumber('treasury', 'cold_sweep'), 0);
  });

  test('goes to the cold store down to the target, once, and nothing that is owed with it', async () => {
    await gets('treasury', '50');
    await lasts();
    for (let round = 0; round < 5; round += 1) await lasts();
    const payment = await books.payments.find(NUMBERED(1));
    assert.deepEqual([payment?.amount, payment?.to, payment?.from], [usdc('350'), STORE.address, 'hot']);
    assert.equal(await books.payments.lastNumber('treasury', 'cold_sweep'), 1);
    assert.deepEqual([await held('treasury'), await held('order:unclaimed')], [LEVEL.target, usdc('5000').atoms]);
  });

  test('is still ours when it has arrived: nothing is missing on the chain, and solvency counts it as cold', async () => {
    const before = await books.ledger.expectedOnHot(USDC.id);
    await gets('treasury', '1');
    await arrives(1);
    assert.equal(await held('cold'), usdc('350').atoms);
    const expected = await books.ledger.expectedOnHot(USDC.id);
    assert.ok(expected < before, 'the hot account is not expected to hold it any more');
    await books.ledger.saveReading(USDC.id, {
      spendable: expected,
      locked: atoms(0n),
      expected,
      unfinal: atoms(0n),
      cost: undefined,
    });
    const [position] = (await books.solvency.positions()).filter(({ asset }) => asset === USDC.id);
    assert.equal(position?.cold, usdc('350').atoms);
    assert.equal(position?.hot, expected);
  });

  test('goes there in a day as much as its limit allows, and the rest when the day is over', async () => {
    await gets('treasury', '2000');
    await lasts();
    assert.equal((await books.payments.find(NUMBERED(2)))?.amount.atoms, undefined, 'less than half of what is wanted');
    room.wait(DAY_MS);
    await lasts();
    assert.deepEqual((await books.payments.find(NUMBERED(2)))?.amount, usdc('600'));
    await arrives(2);
    await lasts();
    assert.equal(await books.payments.lastNumber('treasury', 'cold_sweep'), 2);
  });

  test('is left alone while orders wait for it', async () => {
    room.wait(DAY_MS);
    const lacks = await held('treasury');
    const waiting = await room.keep(buyOrder());
    await room.db.query(WAITS, [USDC.id, lacks.toString(), waiting]);
    await lasts();
    assert.equal(await books.payments.lastNumber('treasury', 'cold_sweep'), 2);
    await room.db.query(WAITS, [null, null, waiting]);
  });

  test('is put away once where two engines look, one of which stood still since it had read what is there', async () => {
    room.wait(DAY_MS);
    await gets('treasury', '2000');
    const store = { ...STORE, perDay: STORE.perDay * 10n };
    const other = levelDesk(room, [LEVEL], [[USDC.id, store]]);
    const standStill = async () => {
      await other.keep();
      if (!(await books.payments.find(NUMBERED(3)))) return;
      await arrives(3);
      await gets('treasury', '5000');
    };
    const slow = levelDesk(room, [LEVEL], [[USDC.id, store]], undefined, standStill);
    await other.keep();
    await slow.keep();
    room.wait(LASTING_MS);
    await slow.keep();
    assert.equal(await books.payments.lastNumber('treasury', 'cold_sweep'), 3);
  });
});

describe('what a person counts in a cold store', () => {
  const handler = countCold({
    balance: (account, asset) => books.ledger.balance(account, asset),
    commit: async (work) => void (await room.submit.commitHouse(work)),
  });
  const count = (value: string, by: string = TOKENS.ada) =>
    room.ask('PUT', `/operator/cold/${USDC.id}`, { atoms: value, reason: 'brought some back' }, `Bearer ${by}`);
  const until = (value: bigint) => eventually(async () => (await held('cold')) === value, 5_000);

  test('is booked, more or less than before, under a name and with a reason', async () => {
    await room.whileWorking({ count_cold: handler, sign_transfer: async () => ({ againInMs: 1e9 }) }, async () => {
      for (const value of [100n, 7_000n, 0n]) {
        room.wait(1);
        assert.equal((await count(`${value}`)).status, 200);
        await until(value);
      }
    });
    const { acts } = (await room.ask('GET', '/operator/audit?limit=1')).json();
    assert.deepEqual([acts[0].operator, acts[0].reason], ['ada', 'brought some back']);
    assert.equal((await count('-1')).status, 400);
    assert.equal(
      (await room.ask('PUT', `/operator/cold/${USDC.id}`, { atoms: '1' }, `Bearer ${TOKENS.ada}`)).status,
      400,
    );
  });
});

test('an asset that nobody knows is not counted: a wrong spelling would be booked for ever', async () => {
  const wrong = `${USDC.id}x`;
  const answer = await room.ask(
    'PUT',
    `/operator/cold/${wrong}`,
    { atoms: '5', reason: 'counted' },
    `Bearer ${TOKENS.ada}`,
  );
  assert.equal(answer.status, 404);
  assert.ok(answer.json().error.includes(`${USDC.id} (${USDC.symbol})`), answer.text);
});

describe('stock that runs low', () => {
  test('is told of once the accounts were looked at, and what lies there uncounted is there', async () => {
    const low = (await held('treasury')) + 5n;
    const level = { ...LEVEL, low, target: low, high: undefined };
    await levelDesk(room, [{ ...level, low: 0n }]).keep();
    for (const uncounted of [undefined, 5n]) {
      await levelDesk(room, [level], [], async () => uncounted).keep();
      assert.equal(await room.caseOf('stock_low'), undefined, `${uncounted} more than the ledger has`);
    }
    await levelDesk(room, [level], [], async () => 4n).keep();
    assert.ok(await room.caseOf('stock_low'));
    await levelDesk(room, [{ ...level, low: 0n }]).keep();
  });

  test('is a case while nobody waits, with what is there and what is wanted, and closes by itself', async () => {
    const free = await held('treasury');
    const high = levelDesk(room, [{ ...LEVEL, low: free + 1n, target: free + 2n, high: undefined }]);
    await high.keep();
    await high.keep();
    const shown = await room.caseOf('stock_low');
    assert.ok(shown?.reason.includes(USDC.id) && shown.reason.includes(`${free + 1n}`), shown?.reason);
    await room.submit.commitHouse({
      key: 'one more',
      postings: [move('world', 'treasury', amount(USDC.id, 10n ** 9n))],
    });
    await high.keep();
    assert.equal(await room.caseOf('stock_low'), undefined);
    await levelDesk(room, [{ ...LEVEL, low: 10n ** 30n, target: 10n ** 30n, high: undefined }]).keep();
    assert.ok(await room.caseOf('stock_low'));
    await levelDesk(room, [LEVEL]).keep();
    const metrics = openMetrics('api');
    await showStock(metrics, [LEVEL], books.ledger, [USDC]);
    const page = await metrics.registry.metrics();
    for (const level of ['free', 'low', 'target', 'high'])
      assert.match(
        page,
        new RegExp(`wherry_stock\\{asset="${USDC.id}",symbol="USDC",level="${level}",role="api"\\} \\d`),
      );
    assert.equal(await room.caseOf('stock_low'), undefined, 'also where another process had raised it');
  });
});
