import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { amount } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { instant } from '../../src/kernel/clock.ts';
import { assetId, type TokenId } from '../../src/kernel/ids.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { type DepositRoom, openDepositRoom } from './deposit-room.ts';
import { ENDS, USDC, usdc } from './market.ts';
import { HOT, transfer } from './scripted-chain.ts';
import { buyOrder } from './world.ts';

let room: DepositRoom;
let asked = 0;
before(async () => {
  room = await openDepositRoom({ mostTransfers: 2_000 });
  const { query } = room.db;
  Object.assign(room.db, {
    query: (...question: Parameters<typeof query>) => {
      asked += 1;
      return query(...question);
    },
  });
  await room.round();
});
after(() => room.close());

const orderOf = async (): Promise<Order> =>
  room.find(await room.keep({ ...buyOrder(), expiresAt: instant(room.clock.now() + 60_000) }));

/** What each round asks the database for while these come to an address, wait for their depth, and have it. */
async function askedFor(...transfers: readonly ReturnType<typeof transfer>[]): Promise<readonly number[]> {
  const rounds: number[] = [];
  for (const blocks of [transfers, [], [], []]) {
    room.mine(1, ...blocks);
    asked = 0;
    await room.round();
    rounds.push(asked);
  }
  return rounds;
}

const split = (name: string, { depositAddress }: Pick<Order, 'depositAddress'>, parts: number) =>
  Array.from({ length: parts }, (_, n) =>
    transfer(`${name} ${n}`, depositAddress, amount(USDC.id, usdc('50').atoms / BigInt(parts))),
  );

describe('6.5: who splits a deposit into many transfers makes no round longer', () => {
  test('the questions to the database are as many for 500 transfers as for one, and all of it is credited', async () => {
    const [plain, flooded] = [await orderOf(), await orderOf()];
    const one = await askedFor(...split('one', plain, 1));
    const many = await askedFor(...split('many', flooded, 500));
    assert.deepEqual(many, one);
    for (const { id } of [plain, flooded]) assert.deepEqual((await room.find(id)).funds.confirmed, usdc('50'));
  });

  test('one more atom to it asks for no more than one to an address with a single transfer', async () => {
    const [plain, flooded] = [await orderOf(), await orderOf()];
    await askedFor(...split('few', plain, 1), ...split('a lot', flooded, 500));
    const another = (name: string, { depositAddress }: Order) =>
      askedFor(transfer(name, depositAddress, amount(USDC.id, 1n)));
    assert.deepEqual(await another('atom to many', flooded), await another('atom to one', plain));
  });

  test('an order hears of all that is deep at once, though a round settles no more than five hundred', async () => {
    const order = await orderOf();
    room.mine(2, ...split('in two rounds', order, 800));
    await room.round();
    assert.deepEqual((await room.find(order.id)).funds.seen, usdc('0'), 'told of a part, it might begin with that');
    await room.round();
    const { seen, confirmed } = (await room.find(order.id)).funds;
    assert.deepEqual([seen, confirmed], [usdc('50'), usdc('50')]);
  });

  test('nor does what cannot be asked about keep the rest from being settled', async () => {
    const order = await orderOf();
    const bad = assetId(ENDS.buy.chain.id, `0x${'bad'.padStart(40, '0')}` as TokenId);
    room.unreadable.add(bad);
    const poison = Array.from({ length: 500 }, (_, n) =>
      transfer(`poison ${n}`, order.depositAddress, { asset: bad, atoms: 1n }),
    );
    room.mine(2, ...poison, ...split('behind the poison', order, 2));
    await room.round();
    assert.deepEqual((await room.find(order.id)).funds.confirmed, usdc('50'));
  });

  test('what could not be asked about is asked about again a little in every round, however much there is', async () => {
    const fresh = (): Promise<readonly Order[]> => Promise.all(Array.from({ length: 3 }, orderOf));
    const [poisoned, honest] = [await fresh(), await orderOf()];
    const dear = assetId(ENDS.buy.chain.id, `0x${'dea'.padStart(40, '0')}` as TokenId);
    room.unreadable.add(dear);
    const poison = poisoned.flatMap(({ depositAddress }, of) =>
      Array.from({ length: 200 }, (_, n) => transfer(`dear ${of} ${n}`, depositAddress, { asset: dear, atoms: 1n })),
    );
    room.unreadable.add(USDC.id);
    room.mine(2, ...poison, ...split('unread at first', honest, 1));
    await room.round();
    const { standing } = room.chain;
    let calls = 0;
    const counted: typeof standing = (some) => {
      calls += 1;
      return standing(some);
    };
    Object.assign(room.chain, { standing: counted });
    for (let rounds = 1; rounds <= 3; rounds += 1) {
      room.wait(RULES.caseAfterMs);
      await room.round();
      assert.ok(calls <= 40 * rounds, `${calls} questions in ${rounds} rounds`);
    }
    const open = (await room.shown()).filter((one) => one.case === 'deposit_unjudged');
    assert.ok(open.length >= 3, 'a person is told of each address, and nothing of it is taken for well meanwhile');
    room.unreadable.delete(USDC.id);
    await room.round();
    assert.deepEqual(
      (await room.find(honest.id)).funds.confirmed,
      usdc('50'),
      'whoever has little there waits for nobody',
    );
    Object.assign(room.chain, { standing });
    room.unreadable.clear();
    await room.round();
  });

  test('specks to the hot account are booked five hundred a round, and all of them', async () => {
    const treasury = () => room.books.ledger.balance('treasury', USDC.id);
    const before = await treasury();
    room.mine(6, ...split('hot', { depositAddress: HOT }, 800));
    const booked: bigint[] = [];
    for (let n = 0; n < 2; n += 1) {
      await room.round();
      booked.push((await treasury()) - before);
    }
    assert.deepEqual(booked, [(usdc('50').atoms * 5n) / 8n, usdc('50').atoms]);
  });
});

describe('6.6: what strangers can send to one address has a cap', () => {
  const MOST = 20;
  let small: DepositRoom;
  before(async () => {
    small = await openDepositRoom({ mostTransfers: MOST });
    await small.round();
  });
  after(() => small.close());

  const kept = async ({ depositAddress }: Order): Promise<readonly string[]> => {
    const text = "SELECT key FROM sighting WHERE address = $1 AND state <> 'gone' ORDER BY key";
    return (await small.db.query({ name: 'kept_keys', text }, [depositAddress])).map(({ key }) => key as string);
  };
  const specks = (name: string, { depositAddress }: Order, count: number) =>
    Array.from({ length: count }, (_, n) => transfer(`${name} ${n}`, depositAddress, amount(USDC.id, 1n)));
  const fresh = async (): Promise<Order> =>
    small.find(await small.keep({ ...buyOrder(), expiresAt: instant(small.clock.now() + 60_000) }));
  async function mined(...transfers: readonly ReturnType<typeof transfer>[]): Promise<void> {
    small.mine(1, ...transfers);
    for (let n = 0; n < 5; n += 1) {
      await small.round();
      small.mine(1);
    }
  }

  test('beyond it specks are not kept and a person is told, once; what is worth something is credited in full', async () => {
    const [flooded, other] = [await fresh(), await fresh()];
    await mined(
      ...specks('flood', flooded, MOST + 30),
      transfer('honest', flooded.depositAddress, usdc('60')),
      transfer('beside it', other.depositAddress, usdc('100')),
    );
    assert.equal((await kept(flooded)).length, MOST + 1);
    assert.equal((await small.find(flooded.id)).funds.confirmed.atoms, usdc('60').atoms + BigInt(MOST));
    assert.equal((await small.find(other.id)).state.phase, 'screening');
    const open = async () => (await small.shown()).filter((one) => one.case === 'deposit_out_of_reach');
    const told = await open();
    assert.equal(told.length, 1);
    await mined(...specks('more', flooded, 10), transfer('a dollar', flooded.depositAddress, usdc('1')));
    assert.equal((await small.find(flooded.id)).funds.confirmed.atoms, usdc('61').atoms + BigInt(MOST));
    assert.deepEqual(await open(), told);
  });

  test('beyond it transfers of nothing are not kept, whatever can be said of prices, and nobody is called for them', async () => {
    const order = await fresh();
    const unlisted = assetId(ENDS.buy.chain.id, `0x${'abc'.padStart(40, '0')}` as TokenId);
    const before = await small.shown();
    const nothing = (name: string, asset: typeof unlisted) =>
      Array.from({ length: MOST }, (_, n) => transfer(`${name} ${n}`, order.depositAddress, amount(asset, 0n)));
    await mined(...nothing('first', USDC.id), ...nothing('listed', USDC.id), ...nothing('unlisted', unlisted));
    assert.equal((await kept(order)).length, MOST);
    assert.deepEqual(await small.shown(), before);
  });

  test('many payments of a dollar each are all credited', async () => {
    const order = await fresh();
    const dollars = Array.from({ length: 3 * MOST }, (_, n) =>
      transfer(`dollar ${n}`, order.depositAddress, usdc('1')),
    );
    await mined(...dollars);
    assert.deepEqual((await small.find(order.id)).funds.confirmed, usdc('60'));
  });

  test('what was kept stays when it is mined again, and goes when it is not', async () => {
    const order = await fresh();
    const flood = specks('again', order, MOST + 5);
    small.mine(1, ...flood);
    await small.round();
    const first = await kept(order);
    assert.equal(first.length, MOST);
    small.reorganise(small.tip() - 1);
    small.mine(1, ...flood.toReversed());
    await small.round();
    assert.deepEqual(await kept(order), first);
    small.reorganise(small.tip() - 1);
    small.mine(1);
    await small.round();
    assert.deepEqual(await kept(order), []);
    assert.equal((await small.find(order.id)).funds.seen.atoms, 0n);
  });
});

test('6.6: what was kept one by one is not kept once more as a bundle of the same block, and is in another', async () => {
  const { sightings } = room.books;
  const { id, family } = room.chain.facts;
  const { depositAddress } = await orderOf();
  const heads = { tip: room.tip(), safe: room.tip(), finalized: room.tip() };
  async function keep(key: string, hash: string, rewoundTo?: number): Promise<readonly string[]> {
    const cursor = present(await sightings.cursor(id), 'a cursor');
    const one = { ...transfer(key, depositAddress, usdc('1')), block: { height: room.tip(), hash } };
    const page = { cursor, heads, rewoundTo, sightings: [one], pool: [], more: false };
    assert.ok(await sightings.savePage(id, family, cursor, page, room.clock.now()));
    const text = "SELECT key FROM sighting WHERE address = $1 AND state <> 'gone'";
    return (await room.db.query({ name: 'bundle_keys', text }, [depositAddress])).map((row) => row.key as string);
  }
  assert.deepEqual(await keep('ninth', 'one block'), ['ninth']);
  assert.deepEqual(await keep('ninth+', 'one block'), ['ninth']);
  assert.deepEqual(await keep('ninth+', 'another block', room.tip() - 1), ['ninth+']);
  assert.deepEqual(await keep('ninth+', 'a third block', room.tip() - 1), ['ninth+']);
});
