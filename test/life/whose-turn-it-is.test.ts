import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { amount } from '../../src/kernel/amount.ts';
import { type Instant, instant, later } from '../../src/kernel/clock.ts';
import { type Address, type AssetId, chainOf, type OrderId } from '../../src/kernel/ids.ts';
import { newPayment, type Purpose } from '../../src/life/payment/payment.ts';
import { sign } from '../../src/life/payment/steps.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openOutbox } from '../../src/store/outbox.ts';
import { openPayoutPrices, PRICE_ASKED } from '../../src/store/payout-prices.ts';
import { ADDRESS_TAKEN, openSightings } from '../../src/store/sightings.ts';
import { SEAL_KEY } from '../seal-key.ts';

const prepare = async (url: string) => void (await migrate(url));
const NOW = instant(1_800_000_000_000);
const WORKER = 1;
const USDC = '42161:0xaf88d065e77c8cC2239327C5EDb3A432268e5831' as AssetId;
const HOUSE: Purpose = { for: 'collection', forHouse: true };
const PAYOUT: Purpose = { for: 'payout', number: 0 };

let database: Awaited<ReturnType<typeof testDatabase>>;
let db: Db;
before(async () => {
  database = await testDatabase(prepare);
  db = openDb(database.url, 2);
});
after(async () => {
  await db.close();
  await database.drop();
});

/** The hot account signs each of these. */
function signing(name: string, purpose: Purpose) {
  const owner = `sw_${name.padEnd(26, '0')}` as OrderId;
  const payment = newPayment({
    ...{ owner, purpose, from: 'hot', source: `order:${owner}` },
    ...{ amount: amount(USDC, 5n), to: 'somebody' as Address },
  });
  return { owner, key: name, effect: sign(payment, 'main') };
}

async function add(name: string, purpose: Purpose, at: Instant): Promise<void> {
  const { owner, key, effect } = signing(name, purpose);
  await openOutbox(db).add(owner, [{ key, effect }], at);
}

/** In the order in which the lane gives them out, one after the other. */
async function turns(at: Instant): Promise<readonly string[]> {
  const outbox = openOutbox(db);
  const given: string[] = [];
  for (;;) {
    const jobs = await outbox.claim(WORKER, at, 16);
    assert.ok(jobs.length <= 1, 'one of a lane at a time');
    const [job] = jobs;
    if (!job) return given;
    given.push(job.key);
    await outbox.complete(job.key, WORKER);
  }
}

test('what an order waits for is signed before what is only fetched for the house, though it came later', async () => {
  await add('swept', HOUSE, NOW);
  await add('awaited', { for: 'collection' }, later(NOW, 1));
  await add('paid', PAYOUT, later(NOW, 2));
  await add('put-away', { for: 'cold_sweep', number: 1 }, later(NOW, 3));
  await add('funded', { for: 'provider_deal', deal: 0 }, later(NOW, 4));
  assert.deepEqual(await turns(later(NOW, 10)), ['awaited', 'paid', 'funded', 'swept', 'put-away']);
});

test('what is fetched for the house is signed in the end, however many orders there are', async () => {
  await add('swept', HOUSE, NOW);
  await add('soon', PAYOUT, later(NOW, 29_999));
  await add('late', PAYOUT, later(NOW, 30_001));
  assert.deepEqual(await turns(later(NOW, 30_002)), ['soon', 'swept', 'late']);
});

/** Instructions that need no account, some of them in trouble, the first of all due first. */
async function addMany(name: string, count: number, at: Instant, trouble?: string): Promise<void> {
  const outbox = openOutbox(db);
  for (let n = 0; n < count; n += 1) {
    const key = `${name}-${n}`;
    await outbox.add(signing(key, PAYOUT).owner, [{ key, effect: { effect: 'reserve_payout' } }], later(at, n));
  }
  await db.query({ name: 'in_trouble', text: 'UPDATE effect SET trouble = $2 WHERE key LIKE $1' }, [
    `${name}-%`,
    trouble ?? null,
  ]);
}

test('what is well goes before what is in trouble, of which one comes along all the same, and no more than may', async () => {
  await addMany('ill', 12, NOW, 'its node is down');
  await addMany('well', 6, later(NOW, 100));
  await add('paid', PAYOUT, later(NOW, 200));
  const outbox = openOutbox(db);
  const claimed = async (...room: [number, number?]) => {
    const jobs = await outbox.claim(WORKER, later(NOW, 1_000), ...room);
    for (const { key } of jobs) await outbox.complete(key, WORKER);
    return jobs.map(({ key }) => key).sort();
  };
  assert.deepEqual(await claimed(4), ['ill-0', 'paid', 'well-0', 'well-1', 'well-2'], 'four, and one in trouble');
  assert.deepEqual(await claimed(2, 0), ['well-3', 'well-4'], 'none in trouble where there are enough of them');
  assert.deepEqual(await claimed(4), ['ill-1', 'ill-2', 'ill-3', 'well-5']);
  assert.deepEqual(await claimed(16, 2), ['ill-4', 'ill-5']);
  assert.deepEqual((await claimed(16)).length, 6);
});

test('an account that signs gives out one at a time to however many ask, and the next when that one is done', async () => {
  for (let n = 0; n < 4; n += 1) await add(`paid-${n}`, PAYOUT, later(NOW, n));
  const outbox = openOutbox(db);
  const ask = async (worker: number) => (await outbox.claim(worker, later(NOW, 10), 16)).map(({ key }) => key);
  const together = await Promise.all(Array.from({ length: 6 }, (_, n) => ask(10 + n)));
  assert.deepEqual(together.flat(), ['paid-0']);
  assert.deepEqual(await ask(1), [], 'somebody works on it');
  const holder = 10 + together.findIndex((keys) => keys.length > 0);
  await outbox.putBack('paid-0', holder, later(NOW, 60_000), { what: 'no answer', at: NOW });
  assert.deepEqual(await ask(1), ['paid-1'], 'what is put back lets the others pass until it is due');
  await outbox.complete('paid-1', 1);
  assert.deepEqual(await turns(later(NOW, 20)), ['paid-2', 'paid-3']);
  assert.deepEqual(await turns(later(NOW, 60_000)), ['paid-0']);
});

test('who makes addresses, or prices payouts, is told when somebody waits for it', async () => {
  const session = await db.session();
  const heard: string[] = [];
  for (const channel of [ADDRESS_TAKEN, PRICE_ASKED]) await session.listen(channel, (of) => heard.push(channel + of));
  const told = async () => {
    await session.query({ name: 'settled', text: 'SELECT 1' });
    return heard.splice(0);
  };
  const addresses = Array.from({ length: 32 }, (_, n) => `address-${n}` as Address);
  await openSightings(db, SEAL_KEY).issue('somewhere', 0, addresses);
  const take = (index: number) =>
    db.query(
      { name: 'take', text: `UPDATE deposit_address SET order_id = $2 WHERE space = 'somewhere' AND index = $1` },
      [index, `sw_${index}`],
    );
  for (let index = 0; index < 15; index += 1) await take(index);
  assert.deepEqual(await told(), []);
  await take(15);
  assert.deepEqual(await told(), [ADDRESS_TAKEN], 'of sixteen, one tells it');
  await openPayoutPrices(db).ask(USDC, 'somebody' as Address, NOW);
  assert.deepEqual(await told(), [`${PRICE_ASKED}${chainOf(USDC)}`], 'and of which chain');
  await session.close();
});
