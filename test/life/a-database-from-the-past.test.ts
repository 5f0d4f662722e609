import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { guardPast } from '../../src/app/gates.ts';
import { watchJournal } from '../../src/app/journal-gate.ts';
import type { Desk } from '../../src/engine/desk.ts';
import { present } from '../../src/kernel/assert.ts';
import { instant } from '../../src/kernel/clock.ts';
import type { Address, OrderId } from '../../src/kernel/ids.ts';
import { fillPool } from '../../src/life/deposit/addresses.ts';
import { transferHandlers } from '../../src/life/transfer/handlers.ts';
import { EMPTY_JOURNAL } from '../../src/signer/request.ts';
import type { Statement } from '../../src/store/db.ts';
import { type CaseRoom, openCaseRoom } from './case-room.ts';
import { ETH, USDC, usdc, XMR } from './market.ts';
import { AT, screened } from './order-phases.ts';
import { openPast, outbid, SPACE, tradeOf, transferOf } from './past.ts';
import { buyOrder, claimPriced, final } from './world.ts';

let room: CaseRoom;
before(async () => {
  room = await openCaseRoom();
  await room.stock(USDC.id, XMR.id, ETH.id);
});
after(() => room.close());

const ADD: Statement = {
  name: 'past_add',
  text: 'INSERT INTO deposit_address (space, index, address) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
};
const ADDRESS: Statement = {
  name: 'past_address',
  text: 'SELECT * FROM deposit_address WHERE space = $1 AND address = $2',
};
const COUNTS: Statement = {
  name: 'past_counts',
  text: `SELECT (SELECT count(*) FROM attempt) AS attempts, (SELECT count(*) FROM payment WHERE purpose = 'forgotten') AS payments`,
};
const NONCE: Statement = { name: 'past_nonce', text: 'SELECT nonce FROM nonce WHERE intent = $1' };
const BALANCE: Statement = {
  name: 'past_balance',
  text: 'SELECT atoms FROM balance WHERE account = $1 AND asset = $2',
};

test('a signature that a crash kept from being saved is saved by the next look, and nothing is held', async () => {
  const past = openPast(room);
  const id = await room.keep(buyOrder());
  await room.tell(id, final(usdc('100'), AT), screened(true));
  const [planned] = (await room.find(id)).payments;
  assert.ok(planned);
  assert.equal(await past.look(transferOf(planned.id, 'sweep', 0, { from: { deposit: 1 } })), false);
  assert.equal((await past.books.payments.attempts(planned.id)).length, 1);
  assert.equal((await past.books.journal.mark())?.seq, 1);
});

test('the signer knows a payment that this database has not planned: everything is held, and a person is told', async () => {
  const past = openPast(await freshRoom());
  assert.equal(await past.look(past.payoutOf('aaaaaaaaaaaaaaaaaaaaaaaaaa')), true);
  const mark = await past.books.journal.mark();
  assert.match(mark?.held ?? '', /from the past/);
  assert.ok((await past.books.cases.list()).some(({ about }) => about.case === 'database_behind'));

  const taken: string[] = [];
  const desk = { create: async () => taken.push('order') } as unknown as Desk;
  const watch = await watchJournal(past.books.journal, { journal: past.journal }, { now: () => instant(0) });
  const refused = await guardPast(desk, watch).create({} as never, {} as never);
  assert.ok('refusal' in refused || 'kind' in refused || 'message' in refused, 'no order is taken');
  // Without the gate the order is made, with an address that a forgotten order has.
  await desk.create({} as never, {} as never);
  assert.deepEqual(taken, ['order']);

  const report = await past.restore();
  assert.equal(report.forgottenOrders.length, 1);
  assert.equal((await past.books.journal.mark())?.held, undefined);
  assert.equal(await past.look(), false, 'and it goes on by itself');
});

test('a journal that was shortened or replaced is recognised, too, and cannot be restored from', async () => {
  const past = openPast(await freshRoom());
  const id = `sw_${'b'.repeat(26)}`;
  await past.restore(transferOf(`${id}:payout:0`, 'payout', 1), transferOf(`${id}:payout:1`, 'payout', 2));
  assert.equal(await past.look(), false);
  past.replaceJournal(transferOf(`${id}:payout:0`, 'payout', 1));
  assert.equal(await past.look(), true);
  await assert.rejects(past.restore(), /newest journal/);
});

test('a journal that was shortened since the last look is recognised by bytes that the database has saved', async () => {
  const past = openPast(await freshRoom());
  const id = await room.keep(buyOrder());
  await room.tell(id, final(usdc('100'), AT), screened(true));
  const [planned] = (await room.find(id)).payments;
  const payment = present(planned, 'a payment').id;
  const mark = (await past.books.journal.mark()) ?? EMPTY_JOURNAL;
  assert.equal(await past.look(transferOf(payment, 'sweep', 0, { from: { deposit: 1 } })), false);
  assert.equal((await past.books.payments.attempts(payment)).length, 1);
  // As if the look had not come yet: the mark is from before the signature, and so is the journal.
  await room.db.query({ name: 'past_mark', text: 'UPDATE journal_mark SET seq = $1, hash = $2' }, [
    mark.seq,
    mark.hash,
  ]);
  past.replaceJournal();
  assert.equal(await past.look(), true);
  assert.match((await past.books.journal.mark())?.held ?? '', /the bytes that were saved since, .* from the past/);
  // By the mark alone nothing would be noticed.
  assert.equal((await past.journal(mark)).isKnown, true);
});

test('a new journal is begun by a person, and only where nothing is under way that the old one alone knows', async () => {
  const past = openPast(await freshRoom());
  const id = await room.keep(buyOrder());
  await room.tell(id, final(usdc('100'), AT), screened(true));
  const [planned] = (await room.find(id)).payments;
  const payment = present(planned, 'a payment').id;
  await past.look(transferOf(payment, 'sweep', 0, { from: { deposit: 1 } }));
  past.replaceJournal();
  assert.equal(await past.look(), true, 'nothing is signed by a journal that nobody asked for');
  const { journal } = past.books;
  assert.deepEqual(await journal.begin(EMPTY_JOURNAL, false), [payment]);
  assert.equal(await past.look(), true, 'a payment is not settled yet');
  await room.db.query({ name: 'past_settle', text: 'UPDATE payment SET is_settled = true' });
  assert.deepEqual(await journal.begin(EMPTY_JOURNAL, false), []);
  assert.equal(await past.look(), false);
  assert.equal((await journal.mark())?.held, undefined);
});

/** Free in the backup; after it, an order got it that the database has forgotten. */
const forgotten = 'deposit 0';
/** The address that the next order gets. */
async function next({ orders }: CaseRoom): Promise<string | undefined> {
  const { depositAddress: _, depositIndex: __, ...draft } = buyOrder();
  const owner = { sessionHash: 's', integrationId: undefined, keyId: undefined, clientHash: 'c' };
  const made = await orders.create(draft, owner, SPACE, []);
  return made && 'order' in made ? made.order.depositAddress : undefined;
}

test('9.12: where nothing is burned the next order gets an address that a forgotten one has: so it was won', async () => {
  const naive = await freshRoom();
  await naive.db.query(ADD, [SPACE, 0, forgotten]);
  assert.equal(await next(naive), forgotten);
});

test('9.12: restore burns every free address with a margin, so that no order gets one that a forgotten order has', async () => {
  const story = await freshRoom();
  const past = openPast(story);
  await story.db.query(ADD, [SPACE, 0, forgotten]);
  const swept = transferOf(`sw_${'c'.repeat(26)}:sweep:0`, 'sweep', 0, { from: { deposit: 30 } });
  const { addresses } = await past.restore(swept);
  assert.deepEqual(addresses, [{ family: SPACE, burned: 36, nextIndex: 36 }], 'beyond what the journal names');
  assert.equal(await next(story), undefined, 'none is free');
  await fillPool({ family: SPACE, chains: [past.chain] }, past.books.sightings, 2);
  assert.equal(await next(story), 'deposit 36');
  const both = [forgotten, 'deposit 35'] as Address[];
  assert.deepEqual(await past.books.sightings.watched(SPACE, both), new Set(both), 'both are watched for ever');
});

test('money that comes to an address without an order is a case and nobody else has it, however often it is seen', async () => {
  const story = await freshRoom();
  const past = openPast(story);
  await story.db.query(ADD, [SPACE, 77, 'deposit 77']);
  await past.pays('deposit 77');
  await past.pays('deposit 77');
  const told = (await past.books.cases.list()).filter(({ about }) => about.case === 'deposit_without_order');
  assert.equal(told.length, 1);
  const [row] = await story.db.query(BALANCE, ['deposit:deposit 77', USDC.id]);
  assert.equal(row?.['atoms'], '100000000');
  const [burned] = await story.db.query(ADDRESS, [SPACE, 'deposit 77']);
  assert.notEqual(burned?.['burned_at'], null, 'it is never given to an order');
});

/** The restored order goes another way than it did: the deposit does not pass screening, and a refund is to be signed. */
async function signsRefund(story: CaseRoom, { books }: ReturnType<typeof openPast>, id: OrderId): Promise<string> {
  await story.tell(id, final(usdc('100'), AT), screened(false), (order) => claimPriced(order, 1, AT));
  const [refund] = (await story.find(id)).payments;
  assert.equal(refund?.purpose.for, 'refund');
  const handlers = transferHandlers({
    chain: () => ({ facts: { id: 42161 }, terms: async () => Promise.reject(new Error('on its way out')) }) as never,
    signer: {} as never,
    screen: async () => 'clear' as const,
    boundOf: async () => ({ goes: 'anywhere' as const }),
    books: { ...books.payments, lastDead: async () => undefined },
    clock: story.clock,
    bindAmount: () => assert.fail('nothing is bound'),
    fill: () => assert.fail('nothing is bought'),
    inAsset: () => assert.fail('no refund is priced'),
  });
  const job = { key: 'k', owner: id, tries: 0, troubledSince: undefined };
  const effect = { effect: 'sign_transfer', payment: present(refund, 'refund').id, part: 'main', lane: 'l' } as const;
  // While it is only due nothing is signed at all.
  await story.db.query({
    name: 'past_reserve',
    text: `UPDATE payment SET doc = jsonb_set(doc, '{state}', '{"state":"reserved"}')`,
  });
  return handlers.sign_transfer({ ...job, effect }).then(
    () => 'signed',
    (error: Error) => error.message,
  );
}

test('9.12: what the journal signed for a known order becomes its attempt with its nonce; another way out of that order is held', async () => {
  const story = await freshRoom();
  const past = openPast(story);
  const id = await story.keep(buyOrder());
  const payout = transferOf(`${id}:payout:0`, 'payout', 7);
  await past.restore(payout);
  const [nonce] = await story.db.query(NONCE, [`${id}:payout:0`]);
  assert.equal(nonce?.['nonce'], '7');
  assert.equal(await past.books.payments.unplanned(id), `${id}:payout:0`);
  assert.match(await signsRefund(story, past, id), /before the database was restored .*:payout:0 was/);
});

test('9.12: where nothing is taken up from the journal an order that was paid is refunded as well: so it was won', async () => {
  const story = await freshRoom();
  const past = openPast(story);
  const id = await story.keep(buyOrder());
  await past.restore();
  assert.equal(await past.books.payments.unplanned(id), undefined);
  assert.equal(await signsRefund(story, past, id), 'on its way out', 'nothing stands between it and the signer');
  const nonce = await past.books.payments.takeNonce(`${id}:refund:1` as never, 42161 as never, 'hot', 0);
  assert.ok(nonce < 7, 'and the nonce of bytes that live is given away');
});

test('what was signed for a forgotten order is followed to its end as a payment of the house, and signed by nobody again', async () => {
  const story = await freshRoom();
  const past = openPast(story);
  const id = `sw_${'d'.repeat(26)}` as OrderId;
  const report = await past.restore(
    ...[transferOf(`${id}:gas_sweep:0`, 'gas', 1, { toDeposit: 3 }), tradeOf(id, 9)],
    ...[transferOf(`${id}:sweep:0`, 'sweep', 0, { from: { deposit: 3 } }), transferOf(`${id}:payout:0`, 'payout', 2)],
  );
  assert.deepEqual([report.lines.house_payment, report.lines.left_to_a_person], [2, 2]);
  assert.deepEqual(report.leftToAPerson.at(-1), `${id}:sweep:0`);
  const [row] = await story.db.query(COUNTS);
  assert.deepEqual([row?.['attempts'], row?.['payments']], ['2', '2']);
  assert.equal(await past.books.payments.takeNonce('treasury:rebalance:9' as never, 42161 as never, 'hot', 0), 3);
  const again = await past.restore();
  assert.deepEqual([again.from, again.lines.house_payment], [report.to, 0], 'once is enough');
});

test('of a forgotten payment that was outbid all bytes are attempts of one payment, also where a restore ended halfway', async () => {
  const story = await freshRoom();
  const past = openPast(story);
  const id = `sw_${'e'.repeat(26)}` as OrderId;
  const payout = transferOf(`${id}:payout:0`, 'payout', 4);
  await past.restore(transferOf(`${id}:gas_sweep:0`, 'gas', 3, { toDeposit: 3 }), payout);
  const rewind = { name: 'past_rewind', text: `DELETE FROM journal_mark` };
  await story.db.query(rewind);
  const report = await past.restore(transferOf(`${id}:refund:1`, 'refund', 5), outbid(payout));
  assert.deepEqual([report.lines.known, report.lines.house_payment], [2, 2]);
  const living = await past.books.payments.attempts('treasury:forgotten:2' as never);
  assert.deepEqual(
    living.map(({ txHash }) => txHash),
    [outbid(payout), payout].map((entry) => entry.signed === 'transfer' && entry.answer.txHash),
    'the newest first',
  );
  const [row] = await story.db.query(COUNTS);
  assert.deepEqual([row?.['attempts'], row?.['payments']], ['4', '3']);
  const [apart] = await story.db.query(BALANCE, ['payment:treasury:forgotten:2', USDC.id]);
  assert.equal(apart?.['atoms'], '5000000', 'what is paid once is set apart once');
});

async function freshRoom(): Promise<CaseRoom> {
  await room.close();
  room = await openCaseRoom();
  await room.stock(USDC.id, XMR.id, ETH.id);
  return room;
}
