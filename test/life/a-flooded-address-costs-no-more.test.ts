import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { amount } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import type { Order } from '../../src/life/order/order.ts';
import { type DepositRoom, openDepositRoom } from './deposit-room.ts';
import { USDC, usdc } from './market.ts';
import { transfer } from './scripted-chain.ts';
import { buyOrder } from './world.ts';

let room: DepositRoom;
let asked = 0;
before(async () => {
  room = await openDepositRoom();
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
});
