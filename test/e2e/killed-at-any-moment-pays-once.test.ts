import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { patiently } from '../run/patience.ts';
import { seeded } from '../run/seeded.ts';
import { astrayIn, type BooksLine } from './books.ts';
import type { Box } from './box.ts';
import { assertPaidOnce, ending, type Placed, pay, placeV2 } from './customer.ts';
import { sharedBox } from './shared-box.ts';

const ORDERS = 50;
const KILLS = 8;
/** Kills fall somewhere in this time after the first payment. */
const DANGEROUS_MS = 30_000;
const ALL_WITHIN_MS = 180_000;
const SETTLED_WITHIN_MS = 60_000;

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32));
let box: Box;

before(async () => {
  box = await sharedBox();
});

test(`${ORDERS} orders while the engine and the signer are killed (seed ${seed})`, async (t) => {
  const placed: Placed[] = [];
  const outputs: unknown[] = [];

  await t.test('customers order in both directions', async () => {
    for (let i = 0; i < ORDERS; i += 1) placed.push(await placeV2(box, i % 2 === 0 ? 'usdc_to_xmr' : 'xmr_to_usdc'));
  });
  const endings = Promise.all(placed.map((order) => ending(box, order, ALL_WITHIN_MS)));

  await t.test('they pay, and processes die', async () => {
    const killing = killAtRandom(seeded(seed));
    for (const order of placed) await pay(box, order);
    await killing;
  });
  await t.test('every order completes', async () => {
    for (const order of await endings) {
      assert.equal(order.status, 'completed', JSON.stringify(order));
      outputs.push(order.actualOutput);
    }
  });
  await t.test('every destination got one transfer of exactly that', async () => {
    for (const [i, order] of placed.entries()) await assertPaidOnce(box, order, outputs[i]);
  });
  await t.test('the ledger and the chains agree, and nobody has to look', async () => {
    await assertNoDrift();
    assert.deepEqual((await box.operator('GET', '/operator/cases')).body.cases, []);
  });
});

async function killAtRandom(random: () => number): Promise<void> {
  const moments = Array.from({ length: KILLS }, () => Math.floor(random() * DANGEROUS_MS)).sort((a, b) => a - b);
  let now = 0;
  for (const moment of moments) {
    await sleep(moment - now);
    now = moment;
    const role = random() < 0.5 ? 'engine' : 'signer';
    assert.equal((await box.control('POST', '/sandbox/kill', { role, signal: 'SIGKILL' })).status, 200);
  }
}

/** The ledger follows the chains by their final blocks, a little later than the customers. */
function assertNoDrift(): Promise<void> {
  return patiently('balanced books', SETTLED_WITHIN_MS, async (bound) => {
    for (;;) {
      const { body } = await box.operator('GET', '/operator/ledger');
      const lines = body.assets as readonly BooksLine[];
      const drifting = astrayIn(lines);
      if (lines.length > 0 && drifting.length === 0) return;
      assert.ok(!bound.isOver(), `the ledger and the chains disagree: ${JSON.stringify(drifting)}`);
      await sleep(500);
    }
  });
}
