import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { amount } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import type { Fault } from '../../src/kernel/fault.ts';
import { type Address, type AssetId, assetId, type OrderId, type TokenId } from '../../src/kernel/ids.ts';
import type { Order } from '../../src/life/order/order.ts';
import { move } from '../../src/life/payment/posting.ts';
import { COIN, openDriftRoom } from './drift-room.ts';
import { USDC, usdc } from './market.ts';
import { AT, news, screened } from './order-phases.ts';
import { openPast } from './past.ts';
import { buyOrder, final, place } from './world.ts';

const UNLISTED = assetId(USDC.chainId, '0xunlisted' as TokenId);
const TEN_MINUTES = 10 * 60 * 1000;
const GAS = 1_000n;

let room: Awaited<ReturnType<typeof openDriftRoom>>;
before(async () => {
  room = await openDriftRoom();
  const stock = [usdc('5000'), amount(COIN.id, 10n ** 6n)];
  await room.submit.commitHouse({ key: 'stock', postings: stock.map((one) => move('world', 'treasury', one)) });
  for (const one of stock) room.holds('hot', one);
});
after(() => room.close());

const credited = async (): Promise<OrderId> => {
  const id = await room.keep(buyOrder());
  await room.tell(id, final(usdc('100'), AT));
  room.holds(await room.at(id), usdc('100'));
  return id;
};

/** The deposit was taken to the hot account with gas that went ahead, and a part of that was left behind. */
async function swept(): Promise<OrderId> {
  const id = await credited();
  const part = (of: 'main' | 'gas', what: 'signed' | 'sent' | 'confirmed') => (order: Order) =>
    news(order, 'collection', of)[what];
  await room.tell(id, screened(true), (order) => news(order, 'collection').priced(GAS));
  for (const of of ['gas', 'main'] as const)
    await room.tell(id, part(of, 'signed'), part(of, 'sent'), part(of, 'confirmed'));
  const account = await room.at(id);
  room.holds(account, usdc('0'));
  room.holds(account, amount(COIN.id, GAS - 2n));
  for (const asset of [USDC.id, COIN.id])
    room.holds('hot', amount(asset, await room.books.ledger.expectedOnHot(asset)));
  return id;
}

const driftOf = async (asset: AssetId) => (await room.line(asset)).drift;

/** Looks for ten minutes, and once more. */
async function looksForLong(look = room.look): Promise<void> {
  for (let looks = 0; looks <= 20; looks += 1) {
    await look();
    room.wait(TEN_MINUTES / 20);
  }
}

describe('9.19: drift that is not there', () => {
  test('what a reading shows for a moment is none: ten of them must have it in common, and what they have is shown', async () => {
    const stock = await room.books.ledger.expectedOnHot(USDC.id);
    const after = async (...beyond: readonly bigint[]) => {
      for (const one of beyond) {
        room.holds('hot', amount(USDC.id, stock + one));
        await room.readHot();
      }
      return driftOf(USDC.id);
    };
    assert.equal(await after(0n, -40n, 0n, 30n, -10n, -30n, 30n, 0n), 0n);
    assert.equal(await after(-40n, -10n, -20n, -5n, -5n, -5n, -5n, -5n, -5n), 0n, 'nine');
    assert.equal(await after(-5n), -5n);
    assert.equal(await after(-1n), -1n, 'what came back is not missing any more');
    assert.equal(await after(1n), 0n);
    await after(0n);
  });

  test('an extra deposit on an order that was swept is no drift, though the hot account does not hold it', async () => {
    const id = await swept();
    await room.tell(id, final(usdc('150'), AT));
    room.holds(await room.at(id), usdc('50'));
    await room.readHot();
    await room.look();
    const { held, chain, deposits, missing, drift } = await room.line(USDC.id);
    assert.deepEqual([drift, missing], [0n, 0n]);
    assert.equal(deposits, usdc('50').atoms);
    assert.equal(
      held - present(chain, 'a reading'),
      usdc('50').atoms,
      'what a comparison with the hot account alone calls missing',
    );
  });

  test('what a collection has just taken away is not missing while nobody has heard that it was mined; what else is gone, is', async () => {
    const id = await credited();
    const account = await room.at(id);
    const collection = (of: 'main' | 'gas', what: 'signed' | 'sent' | 'confirmed') => (order: Order) =>
      news(order, 'collection', of)[what];
    await room.tell(id, screened(true), (order) => news(order, 'collection').priced(GAS));
    await room.tell(id, collection('gas', 'signed'), collection('gas', 'sent'), collection('gas', 'confirmed'));
    room.holds(account, amount(COIN.id, GAS));
    room.holds(account, usdc('60'));
    await room.readHot();
    await room.look();
    assert.equal(await driftOf(USDC.id), -usdc('40').atoms, 'nothing was signed that could have taken it');

    await room.tell(id, collection('main', 'signed'), collection('main', 'sent'));
    room.holds(account, usdc('100'));
    await room.look();
    room.holds(account, usdc('0'));
    room.holds(account, amount(COIN.id, GAS - 2n));
    await room.look();
    assert.deepEqual([(await room.line(USDC.id)).missing, (await room.line(COIN.id)).missing], [0n, 0n]);

    await room.tell(id, collection('main', 'confirmed'));
    room.holds(account, amount(COIN.id, GAS - 5n));
    await room.look();
    const { missing } = await room.line(COIN.id);
    assert.equal(missing, 3n, 'once it is booked, what is short beyond it shows');
    room.holds(account, amount(COIN.id, GAS - 2n));
    await room.look();
    for (const asset of [USDC.id, COIN.id])
      room.holds('hot', amount(asset, await room.books.ledger.expectedOnHot(asset)));
  });

  test('coins that are missing on a deposit address are drift, a case after a while, and over when they are back', async () => {
    const id = await credited();
    const { depositAddress } = await room.find(id);
    const account = await room.at(id);
    room.holds(account, usdc('70'));
    await room.readHot();
    assert.equal(await driftOf(USDC.id), 0n, 'whoever reads the hot account alone sees nothing');
    await room.look();
    assert.equal(await driftOf(USDC.id), -usdc('30').atoms);
    assert.deepEqual(await room.drifts(), [], 'a payment that was mined a moment ago looks the same');
    await looksForLong();
    assert.deepEqual(await room.drifts(), [[id, depositAddress, -usdc('30').atoms]]);
    assert.ok((await room.caseOf('drift'))?.reason.includes(depositAddress));
    room.holds(account, usdc('100'));
    await room.look();
    assert.equal(await driftOf(USDC.id), 0n);
    assert.deepEqual(await room.drifts(), []);
  });

  test('a case that an engine left behind is closed by the next one, also where nothing lies any more', async () => {
    const id = await credited();
    room.holds(await room.at(id), usdc('0'));
    await looksForLong();
    assert.equal((await room.drifts()).length, 1);
    await room.submit.commitHouse({ key: 'gone', postings: [move(`deposit:${id}`, 'world', usdc('100'))] });
    await room.openReader()();
    assert.deepEqual(await room.drifts(), []);
    assert.equal(await driftOf(USDC.id), 0n);
  });
});

describe('9.19: whatever lies on a deposit address is looked for there', () => {
  const missesAll = async (id: OrderId, asset: AssetId, value: bigint) => {
    const account = await room.at(id);
    await room.look();
    assert.equal(await driftOf(asset), 0n);
    room.holds(account, amount(asset, 0n));
    await room.look();
    assert.equal(await driftOf(asset), -value);
    room.holds(account, amount(asset, value));
    await room.look();
    assert.equal(await driftOf(asset), 0n);
  };

  test('a deposit that is set apart for its collection', async () => {
    const id = await credited();
    await room.tell(id, screened(true));
    await missesAll(id, USDC.id, usdc('100').atoms);
  });

  test('gas that was left behind', async () => missesAll(await swept(), COIN.id, GAS - 2n));

  test('coins that strayed there, and wait for an address', async () => {
    const id = await room.keep(buyOrder());
    const from = await room.at(id);
    room.holds(from, amount(COIN.id, 500n));
    await room.tell(id, { fact: 'stray_observed', total: amount(COIN.id, 500n), from, at: AT });
    await missesAll(id, COIN.id, 500n);
  });

  test('what was deducted from a refund for its cost, and stays there', async () => {
    const id = await room.keep(buyOrder({ refundTo: place(USDC.id, 'home') }));
    await room.tell(id, final(usdc('100'), AT), screened(false));
    const cost = { cost: amount(COIN.id, 2n), inAsset: usdc('1') };
    await room.tell(id, { fact: 'claim_priced', claim: 1, ...cost, at: AT });
    await room.tell(id, (order) => news(order, 'refund').priced(0n));
    for (const what of ['signed', 'sent', 'confirmed'] as const)
      await room.tell(id, (order) => news(order, 'refund')[what]);
    room.holds(await room.at(id), usdc('1'));
    await missesAll(id, USDC.id, usdc('1').atoms);
  });

  test('a deposit to an address that no order has', async () => {
    const past = openPast(room);
    const address = 'deposit 900' as Address;
    await room.books.sightings.issue(room.chain.facts.family, 900, [address]);
    room.holds({ deposit: 900 }, usdc('100'));
    await past.pays(address);
    await room.look();
    assert.equal(await driftOf(USDC.id), 0n);
    room.holds({ deposit: 900 }, usdc('99'));
    await room.look();
    assert.equal(await driftOf(USDC.id), -usdc('1').atoms);
    room.holds({ deposit: 900 }, usdc('100'));
    await room.look();
  });
});

describe('9.19: what the comparison costs, and who can disturb it', () => {
  test('a round asks for a page of addresses, and each on which something lies has its turn', async () => {
    const many: OrderId[] = [];
    for (let n = 0; n < 40; n += 1) many.push(await credited());
    const empty = await room.keep(buyOrder());
    const stolen = present(many.at(-1), 'the last');
    room.holds(await room.at(stolen), usdc('0'));
    const seen = new Set<string>();
    for (let rounds = 0; rounds < 5; rounds += 1) {
      room.asked.length = 0;
      await room.look();
      const ofUsdc = room.asked.filter((one) => one.endsWith(USDC.id));
      assert.ok(ofUsdc.length <= 32, `${ofUsdc.length} addresses in one round`);
      for (const one of ofUsdc) seen.add(one);
    }
    for (const id of many) assert.ok(seen.has(`${(await room.find(id)).depositIndex} ${USDC.id}`));
    assert.ok(!seen.has(`${(await room.find(empty)).depositIndex} ${USDC.id}`), 'nothing was ever there');
    assert.equal(await driftOf(USDC.id), -usdc('100').atoms);
    room.holds(await room.at(stolen), usdc('100'));
    await room.look();
    assert.equal(await driftOf(USDC.id), 0n);
  });

  test('more than was booked is no drift, and hides nothing that is missing elsewhere', async () => {
    const [gift, robbed] = [await credited(), await credited()];
    room.holds(await room.at(gift), usdc('1000'));
    room.holds(await room.at(robbed), usdc('40'));
    for (let rounds = 0; rounds < 5; rounds += 1) await room.look();
    assert.equal(await driftOf(USDC.id), -usdc('60').atoms);
    room.holds(await room.at(robbed), usdc('100'));
    await room.look();
    assert.equal(await driftOf(USDC.id), 0n);
  });

  test('a token that nobody lists is never asked what it holds', async () => {
    const id = await room.keep(buyOrder());
    const total = amount(UNLISTED, 5n);
    await room.tell(id, { fact: 'stray_observed', total, from: await room.at(id), at: AT });
    room.asked.length = 0;
    for (let rounds = 0; rounds < 5; rounds += 1) await room.look();
    assert.ok(room.asked.length > 0 && !room.asked.some((one) => one.endsWith(UNLISTED)));
  });

  test('an address that cannot be asked fails the round, after all others had their turn', async () => {
    const [bad, robbed] = [await credited(), await credited()];
    room.unreadable.add((await room.find(bad)).depositIndex);
    room.holds(await room.at(robbed), usdc('99'));
    let failures = 0;
    for (let rounds = 0; rounds < 5; rounds += 1)
      await room.look().catch((error: Fault) => {
        failures += error.message.includes('nonsense') ? 1 : 0;
      });
    assert.ok(failures > 0);
    assert.equal(await driftOf(USDC.id), -usdc('1').atoms);
  });
});
