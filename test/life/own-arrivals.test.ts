import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { type Address, txHash } from '../../src/kernel/ids.ts';
import { COLD, type DepositRoom, openDepositRoom, VENUE_COIN } from './deposit-room.ts';
import { ETH, USDC, usdc } from './market.ts';
import { HOT, NEEDS, transfer } from './scripted-chain.ts';

let room: DepositRoom;
before(async () => {
  room = await openDepositRoom();
  await room.round();
});
after(() => room.close());

/** What came is final, and the scanner has seen it so. */
async function came(...transfers: readonly ReturnType<typeof transfer>[]): Promise<void> {
  room.mine(1, ...transfers);
  for (let n = 0; n < NEEDS.large; n += 1) {
    room.mine(1);
    await room.round();
  }
}

/** What a provider says that it sent, by the name of the transaction. */
const named = (deal: string, key: string, told = usdc('1000')) => {
  const wanted = { deal, told, chain: USDC.chainId, account: HOT, since: instant(0) };
  return room.books.sightings.takeDelivery({ ...wanted, txHash: txHash(`0x${key}`) });
};

/** The venue has shown it. */
async function withdrawn(dollars: bigint, nonce: number): Promise<void> {
  assert.ok(await room.books.ledger.noteMove('withdraw', USDC.id, atoms(dollars * VENUE_COIN), nonce, nonce));
  await room.books.ledger.settleMove(nonce, false);
}

test('what the desk withdrew from the venue is no provider’s delivery, whoever names it', async () => {
  await withdrawn(12_500n, 1);
  await came(transfer('home', HOT, usdc('12499')));
  assert.equal(await named('sw_liar:0', 'home'), undefined);
  const booked = await room.books.ledger.balance('treasury', USDC.id);
  assert.equal(booked, usdc('12499').atoms, 'it is the desk’s all the same');
});

test('each withdrawal stands for one transfer: the next of that size may be a delivery', async () => {
  await came(transfer('twin', HOT, usdc('12499')));
  assert.deepEqual(await named('sw_honest:0', 'twin', usdc('12499')), usdc('12499'));
  assert.equal(await named('sw_other:0', 'twin', usdc('12499')), undefined, 'of one deal');
});

test('a withdrawal of long ago stands for nothing any more', async () => {
  await withdrawn(700n, 2);
  room.wait(25 * 60 * 60 * 1000);
  await came(transfer('late', HOT, usdc('699')));
  assert.deepEqual(await named('sw_late:0', 'late', usdc('699')), usdc('699'));
});

test('nor is what comes from a cold store of the desk', async () => {
  await came(transfer('top-up', HOT, usdc('1000'), COLD), transfer('delivery', HOT, usdc('998'), 'acme' as Address));
  assert.equal(await named('sw_topped:0', 'top-up'), undefined);
  assert.deepEqual(await named('sw_paid:0', 'delivery', usdc('998')), usdc('998'));
});

test('a transfer of another asset than was told is not what was told', async () => {
  const coins = amount(ETH.id, 7n);
  await came(transfer('coins', HOT, coins));
  assert.equal(await named('sw_coins:0', 'coins'), undefined);
  assert.deepEqual(await named('sw_coins:0', 'coins', coins), coins);
});
