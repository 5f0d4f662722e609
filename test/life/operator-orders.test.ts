import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chainId, chainOf, type OrderId } from '../../src/kernel/ids.ts';
import { type CaseRoom, openCaseRoom } from './case-room.ts';
import { USDC, usdc } from './market.ts';
import { buyOrder, final, minute, place, pooled, screenedFact } from './world.ts';

const MINUTE_MS = 60_000;

let room: CaseRoom;
let awaiting: OrderId;
let confirming: OrderId;
let collecting: OrderId;
let refunding: OrderId;

before(async () => {
  room = await openCaseRoom();
  await room.stock(USDC.id);
  const kept = async () => room.keep(buyOrder());
  awaiting = await kept();
  confirming = await kept();
  await room.tell(confirming, pooled(usdc('100'), minute(1)));
  collecting = await kept();
  const screened = (clear: boolean, at: number) => screenedFact(clear, place(USDC.id, 'sender'), minute(at));
  await room.tell(collecting, final(usdc('100'), minute(2)), screened(true, 2));
  refunding = await kept();
  await room.tell(refunding, final(usdc('100'), minute(3)), screened(false, 3));
  room.wait(3 * MINUTE_MS);
});
after(() => room.close());

interface Listed {
  readonly orderId: OrderId;
  readonly state: string;
  readonly why: string;
  readonly unmovedMinutes: number;
  readonly cases: readonly string[];
}

async function list(query = ''): Promise<readonly Listed[]> {
  const answer = await room.ask('GET', `/operator/orders${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.json().orders;
}
const ids = async (query: string) => (await list(query)).map(({ orderId }) => orderId);

test('orders are listed by state, those that stood still longest first, each with why it is where it is', async () => {
  const all = await list();
  assert.deepEqual(
    all.map(({ orderId, state }) => [orderId, state]),
    [
      [awaiting, 'awaiting_deposit'],
      [confirming, 'confirming'],
      [collecting, 'collecting'],
      [refunding, 'refunding'],
    ],
  );
  assert.match(all[2]?.why ?? '', /being collected to the hot account/);
  assert.deepEqual(await ids('?state=confirming'), [confirming]);
  assert.deepEqual(await ids('?state=collecting,confirming'), [confirming, collecting]);
  assert.deepEqual(await ids('?state=completed'), []);
});

test('by age: those that nothing has moved for so long', async () => {
  assert.deepEqual(await ids('?olderThanMinutes=1'), [awaiting, confirming, collecting]);
  assert.deepEqual(await ids('?olderThanMinutes=2'), [awaiting, confirming]);
  assert.deepEqual(await ids('?olderThanMinutes=1&state=collecting'), [collecting]);
  const [oldest] = await list();
  assert.ok((oldest?.unmovedMinutes ?? 0) >= 3);
});

test('stuck is what should move by itself and does not, or has a case; nobody else waits there', async () => {
  assert.deepEqual(await ids('?stuck=true'), []);
  await room.cases.raise(awaiting, { case: 'deposit_orphaned', asset: USDC.id, atoms: 5n, usd: '0.01' });
  assert.deepEqual(await ids('?stuck=true'), [awaiting], 'a case makes it one at once');
  assert.deepEqual((await list('?stuck=true'))[0]?.cases, ['deposit_orphaned']);
  // The customer of the refund was not heard of yet: it is their turn for as long as they like.
  assert.deepEqual(await ids('?stuck=true&olderThanMinutes=1'), [awaiting, confirming, collecting]);
  room.wait(29 * MINUTE_MS);
  assert.deepEqual(await ids('?stuck=true'), [awaiting, confirming, collecting], 'half an hour without being told');
});

test('whoever waits for a deposit on a chain that is not read says so, and nobody else', async () => {
  const chain = chainOf(USDC.id);
  await room.cases.raise('treasury', { case: 'scanner_behind', chain, at: 7, tip: 900 });
  await room.cases.raise('treasury', { case: 'round_failed', round: `scan Chain ${chain}`, reason: 'no answer' });
  await room.cases.raise('treasury', { case: 'scanner_behind', chain: chainId(0), at: 1, tip: 2 });
  const behind = `the desk had read chain ${chain} up to block 7 of 900`;
  for (const { why, state } of await list()) {
    const isTold = ['awaiting_deposit', 'confirming'].includes(state);
    assert.deepEqual([why.includes(behind), why.includes('keeps failing: no answer')], [isTold, isTold], why);
    assert.ok(!why.includes('block 1 of 2'), why);
  }
  const { why } = (await room.ask('GET', `/operator/orders/${confirming}`)).json();
  assert.ok(why.startsWith('the deposit was seen and has ') && why.includes(behind), why);
});

test('a page has an end, and says when there is more', async () => {
  const { orders, more } = (await room.ask('GET', '/operator/orders?limit=2')).json();
  assert.deepEqual([orders.length, more], [2, true]);
  assert.equal((await room.ask('GET', '/operator/orders')).json().more, false);
});

test('what is asked in another way is refused', async () => {
  for (const wrong of [
    '?state=lost',
    '?state=',
    '?olderThanMinutes=-1',
    '?stuck=yes',
    '?limit=0',
    '?limit=201',
    '?age=1',
  ])
    assert.equal((await room.ask('GET', `/operator/orders${wrong}`)).status, 400, wrong);
});
