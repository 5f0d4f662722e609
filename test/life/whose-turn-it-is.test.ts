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
