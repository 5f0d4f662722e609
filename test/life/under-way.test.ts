import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { type Instant, instant, later } from '../../src/kernel/clock.ts';
import type { Address, AssetId } from '../../src/kernel/ids.ts';
import { opened } from '../../src/life/payment/advance.ts';
import { newPayment, type Payment } from '../../src/life/payment/payment.ts';
import { move } from '../../src/life/payment/posting.ts';
import { type DepositRoom, openDepositRoom, VENUE_COIN } from './deposit-room.ts';
import { USDC, usdc } from './market.ts';
import { newsOf } from './payment-facts.ts';
import { HOT, NEEDS, transfer } from './scripted-chain.ts';

const AWAY = '1337:money' as AssetId;
const HOUR = 3_600_000;
const EVER = instant(0);
const away = (dollars: bigint) => dollars * VENUE_COIN;

let room: DepositRoom;
before(async () => {
  room = await openDepositRoom();
  await room.round();
});
after(() => room.close());

/** What came is final, and the scanner has seen it so. */
async function comes(key: string, dollars: string, sender = 'the venue'): Promise<void> {
  room.mine(1, transfer(key, HOT, usdc(dollars), sender as Address));
  for (let n = 0; n < NEEDS.large; n += 1) {
    room.mine(1);
    await room.round();
  }
}

const lately = (): Instant => later(room.clock.now(), -HOUR);

test('a withdrawal is on its way until its own coins come, whatever else came before and comes meanwhile', async () => {
  const { ledger } = room.books;
  const onWay = (since = lately()) => ledger.onWayHome(AWAY, since, EVER);
  const withdraws = async (dollars: bigint, nonce: number, isDead = false) => {
    assert.ok(await ledger.noteMove('withdraw', AWAY, atoms(away(dollars)), nonce, nonce));
    await ledger.settleMove(nonce, isDead);
  };
  await comes('opening', '500000');
  assert.equal(await onWay(), 0n);
  await withdraws(600_000n, 1);
  assert.equal(await onWay(), away(600_000n), 'the opening is not what was sent after it');
  for (let n = 0; n < 6; n += 1) await comes(`delivery ${n}`, '100000', 'a provider');
  assert.equal(await onWay(), away(600_000n), 'nor are deliveries of providers');
  await withdraws(50n, 2);
  await withdraws(70n, 3, true);
  assert.equal(await onWay(), away(600_050n), 'what is dead is on no way');
  await comes('home', '599999');
  assert.equal(await onWay(), away(50n));
  assert.equal(await onWay(room.clock.now()), 0n, 'what is older than is asked for has come or never will');
  await comes('last', '49');
  assert.equal(await onWay(), 0n);
});

test('a withdrawal that was open for longer than is looked back is on its way, and still when it has just left', async () => {
  const { ledger } = room.books;
  const onWay = () => ledger.onWayHome(AWAY, lately(), EVER);
  assert.ok(await ledger.noteMove('withdraw', AWAY, atoms(away(80n)), 4, 3));
  room.wait(2 * HOUR);
  assert.equal(await onWay(), away(80n));
  assert.equal(await ledger.onWayHome(AWAY, lately(), lately()), 0n, 'it lies where it was');
  await ledger.settleMove(4, true);
  assert.equal(await onWay(), 0n);
  await ledger.settleMove(4, false);
  assert.equal(await onWay(), away(80n), 'its row shows that it happened, whatever was thought of it');
  await ledger.settleMove(4, true);
  assert.equal(await onWay(), away(80n), 'whoever stood still before it was signed cannot say that it did not happen');
  await comes('late', '79');
  assert.equal(await onWay(), 0n);
});

test('what is paid to the venue is on its way until a deposit of that size shows there, and each stands for one', async () => {
  const { ledger } = room.books;
  const { submit, clock } = room;
  await room.stock(USDC.id);
  const pays = async (dollars: string, number: number) => {
    const purpose = { for: 'rebalance', number } as const;
    const from = { owner: 'treasury', from: 'hot', source: 'treasury' } as const;
    const payment = newPayment({ ...from, purpose, amount: usdc(dollars), to: 'bridge' as Address });
    assert.equal(await submit.openHouse(opened(payment)), 'ok');
    return payment;
  };
  const leaves = async (payment: Payment) => {
    const { signed, sent, confirmed } = newsOf(payment, clock.now());
    for (const [key, fact] of Object.entries({ signed, sent, confirmed }))
      await submit.submitHouse(`${payment.id} ${key}`, fact);
  };
  const onWay = () => ledger.onWayToVenue(USDC.id, lately(), EVER);
  const shows = (row: string, dollars: string, at = clock.now()) =>
    ledger.keepDeposited(row, usdc(dollars), later(at, -24 * HOUR), later(at, 5_000));
  await leaves(await pays('900', 1));
  const gift = amount(AWAY, away(900n));
  await submit.commitHouse({ key: 'gift', postings: [move('world', 'treasury', gift)] });
  await shows('before', '900', later(clock.now(), -HOUR));
  await shows('smaller', '899');
  assert.equal(await onWay(), usdc('900').atoms, 'neither a gift nor what came before it or in another size');
  await shows('row', '900');
  assert.equal(await onWay(), 0n);
  await leaves(await pays('900', 2));
  await shows('row', '900');
  assert.equal(await onWay(), usdc('900').atoms, 'a row that is read again stands for no other');
  await shows('another row', '900');
  assert.equal(await onWay(), 0n);
  const refused = await pays('40', 3);
  assert.equal(await onWay(), usdc('40').atoms);
  await submit.submitHouse('no', newsOf(refused, clock.now()).refused);
  assert.equal(await onWay(), 0n, 'what is refused has not left');
  await leaves(await pays('40', 4));
  const waiting = await pays('40', 5);
  await shows('the fourth', '40');
  assert.equal(await onWay(), usdc('40').atoms, 'neither what is refused nor what is not signed has come');
  room.wait(2 * HOUR);
  await leaves(waiting);
  assert.equal(await onWay(), usdc('40').atoms, 'the one that waited is the one that has just left');
  await shows('the fifth', '40');
  assert.equal(await onWay(), 0n);
  await leaves(await pays('25', 6));
  room.wait(2 * HOUR);
  await leaves(await pays('25', 7));
  await shows('the seventh', '25');
  assert.equal(await onWay(), 0n, 'nobody noted that the sixth came: the newest has come now');
});

test('a payment to the venue that was held up is on its way as long as it waits, and from when it leaves', async () => {
  const { ledger } = room.books;
  const { submit, clock } = room;
  const onWay = () => ledger.onWayToVenue(USDC.id, lately(), EVER);
  const purpose = { for: 'rebalance', number: 8 } as const;
  const from = { owner: 'treasury', from: 'hot', source: 'treasury' } as const;
  const payment = newPayment({ ...from, purpose, amount: usdc('70'), to: 'bridge' as Address });
  assert.equal(await submit.openHouse(opened(payment)), 'ok');
  room.wait(2 * HOUR);
  assert.equal(await onWay(), usdc('70').atoms, 'a breaker holds it');
  assert.equal(await ledger.onWayToVenue(USDC.id, lately(), lately()), 0n, 'and it lies where it was');
  const { signed, sent, confirmed, settled } = newsOf(payment, clock.now());
  for (const [key, fact] of Object.entries({ signed, sent, confirmed })) await submit.submitHouse(key, fact);
  assert.equal(await onWay(), usdc('70').atoms, 'it has just left');
  await submit.submitHouse('settled', settled);
  assert.equal(await onWay(), usdc('70').atoms, 'final here, and not yet there');
  room.wait(HOUR);
  assert.equal(await onWay(), 0n);
});
