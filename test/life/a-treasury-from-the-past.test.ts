import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { type Address, type AssetId, chainId, type IntentId, type OrderId } from '../../src/kernel/ids.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { opened } from '../../src/life/payment/advance.ts';
import type { Purpose } from '../../src/life/payment/payment.ts';
import { move } from '../../src/life/payment/posting.ts';
import { moveApart } from '../../src/life/payment/venue-move.ts';
import { housePayment } from '../../src/life/recovery/adopt.ts';
import { openAdopted } from '../../src/life/recovery/open-adopted.ts';
import { expectNothingElse, expectSame } from '../../src/life/transfer/adopted.ts';
import type { Entry } from '../../src/signer/request.ts';
import { eventually } from '../run/patience.ts';
import { type CaseRoom, openCaseRoom } from './case-room.ts';
import { USDC } from './market.ts';
import { AT } from './order-phases.ts';
import { openPast, outbid, transferOf } from './past.ts';

let room: CaseRoom;
let past: ReturnType<typeof openPast>;
before(async () => {
  room = await openCaseRoom();
  past = openPast(room);
});
after(() => room.close());

const ORDER = `sw_${'f'.repeat(26)}` as OrderId;
const FORGOTTEN = 'treasury:forgotten:1' as IntentId;
const hashOf = (entry: Entry) => (entry.signed === 'transfer' ? entry.answer.txHash : assert.fail());

test('what was signed for a forgotten order and the old treasury cannot cover is ours at once, and followed when it has it', async () => {
  const { submit, payments } = room;
  const payout = transferOf(`${ORDER}:payout:0`, 'payout', 4);
  const report = await past.restore(payout, outbid(payout));
  assert.deepEqual([report.lines.awaits_stock, report.lines.left_to_a_person], [2, 0]);
  assert.deepEqual(report.awaitingStock[0], `${ORDER}:payout:0 by ${hashOf(payout)}`);
  assert.equal((await payments.ours(chainId(42_161), [hashOf(payout)])).size, 1, 'its change is no income');
  assert.equal((await payments.busy(['4'])).size, 1, 'nothing else spends what it spends');
  assert.equal(await payments.takeNonce(FORGOTTEN, chainId(42_161), 'hot', 0), 4, 'its nonce is no hole');
  assert.deepEqual([await payments.find(FORGOTTEN), (await payments.attempts(FORGOTTEN)).length], [undefined, 2]);
  assert.equal((await past.restore()).lines.awaits_stock, 0, 'once is enough');

  const open_adopted = openAdopted({
    ...{ attempts: payments.attempts, adopted: payments.adopted },
    open: async (payment) => {
      const done = await submit.openHouse(payment);
      return typeof done === 'object' ? done : undefined;
    },
  });
  const told: string[] = [];
  const sign_transfer = async ({ effect }: { readonly effect: { readonly payment: IntentId } }) => {
    told.push(effect.payment);
    return { againInMs: 1e9 };
  };
  await room.whileWorking({ open_adopted, sign_transfer }, async () => {
    await room.untilTroubled('treasury' as OrderId);
    room.wait(RULES.caseAfterMs + 10_000);
    const shown = await room.until('instruction_failed', true);
    assert.match(shown?.reason ?? '', new RegExp(`${FORGOTTEN}.*${hashOf(outbid(payout))} pays 5000000 atoms`));
    const income = amount(USDC.id, 7_000_000n);
    await submit.commitHouse({ key: 'income', postings: [move('world', 'treasury', income)] });
    room.wait(10_000);
    await room.until('instruction_failed', false);
    await eventually(() => told.length > 0, 5_000);
  });
  const payment = await payments.find(FORGOTTEN);
  assert.deepEqual([payment?.to, payment?.amount], ['payee' as Address, amount(USDC.id, 5_000_000n)]);
  assert.deepEqual(told, [FORGOTTEN], 'from here on it is followed like any other');
  assert.equal(await past.books.ledger.balance('treasury', USDC.id), 2_000_000n);
  assert.equal(await past.books.ledger.balance(`payment:${FORGOTTEN}`, USDC.id), 5_000_000n);
});

test('while it waits, the house signs all else, and nothing else under a name that was signed: stock comes that way', async () => {
  const { submit, payments } = room;
  const other = `sw_${'e'.repeat(26)}`;
  const sweep = transferOf('treasury:cold:3', 'cold', 9, { atoms: atoms(80_000_000n) });
  const payout = transferOf(`${other}:payout:0`, 'payout', 8, { atoms: atoms(90_000_000n) });
  assert.equal((await past.restore(payout, sweep)).lines.awaits_stock, 2);
  const plan = async (purpose: Purpose) => {
    const planned = housePayment(purpose, amount(USDC.id, 1n), 'provider' as Address);
    await submit.openHouse(opened(planned));
    return planned;
  };
  const fill = await plan({ for: 'stock_fill', number: 1 });
  await expectNothingElse(payments, fill);
  const again = await plan({ for: 'cold_sweep', number: 3 });
  const [signed] = await payments.attempts(again.id);
  assert.equal(signed?.txHash, hashOf(sweep), 'its bytes are found before any are asked for');
  const otherwise = expectSame(payments, again, 'main', present(signed, 'bytes'));
  await assert.rejects(otherwise, /signed before the database was restored, as 80000000 of/);
});

test('a payment that the old treasury cannot cover keeps its number: the next one of its kind takes another', async () => {
  const many = { atoms: atoms(70_000_000n) };
  const report = await past.restore(
    transferOf('treasury:rebalance:31', 'rebalance', 31, many),
    transferOf('treasury:cold:32', 'cold', 32, many),
    transferOf('treasury:fill:33', 'fill', 33, many),
  );
  assert.equal(report.lines.awaits_stock, 3);
  assert.equal(await room.payments.lastNumber('treasury', 'rebalance'), 31);
  assert.equal(await room.payments.lastNumber('treasury', 'cold_sweep'), 32);
  assert.equal(await past.books.stockFills.last(), 33);
});

test('bytes that the signer made after their payment was refused are known for what they are', async () => {
  const { submit, payments } = room;
  const chain = chainId(42_161);
  const planned = housePayment({ for: 'rebalance', number: 40 }, amount(USDC.id, 1n), 'bridge' as Address);
  await submit.openHouse(opened(planned));
  // Whoever took the nonce stands still; another engine hears that it is refused, and that nothing was signed.
  const nonce = await payments.takeNonce(planned.id, chain, 'hot', 20);
  const about = { payment: planned.id, part: 'main', at: AT } as const;
  assert.equal(await submit.submitHouse('no', { fact: 'payment_refused', reason: 'no', ...about }), 'taken');
  await payments.returnNonce(planned.id);
  // It goes on, and the journal tells of what it had signed.
  const late = transferOf(planned.id, 'rebalance', nonce);
  assert.equal(await past.look(late), false);
  assert.equal((await payments.find(planned.id))?.state.state, 'refused');
  assert.ok((await room.caseOf('signed_after_refusal'))?.reason.includes(hashOf(late)), 'a person is told');
  const next = await payments.takeNonce('treasury:rebalance:41' as IntentId, chain, 'hot', nonce);
  assert.ok(next > nonce);
  const missing = await payments.between(chain, 'hot', nonce, next);
  assert.deepEqual(
    missing.map(({ txHash, isRefused }) => [txHash, isRefused]),
    [[hashOf(late), true]],
  );
});

test('what was signed to be withdrawn from the venue is set apart again, and stays counted where it lies', async () => {
  const { submit } = room;
  const { ledger } = past.books;
  const coin = '1337:USDC' as AssetId;
  await submit.commitHouse({ key: 'venue', postings: [move('world', 'treasury', amount(coin, 900n))] });
  const expected = await ledger.expectedOnHot(coin);
  // One was noted before its bytes were lost, the other is known to the signer alone.
  await ledger.noteMove('withdraw', coin, atoms(300n), 71, 0);
  assert.equal((await past.restore(withdrawal(71, 300n), withdrawal(72, 200n))).lines.move, 2);
  assert.deepEqual(
    (await ledger.openMoves()).map(({ nonce, body }) => [nonce, body]),
    [
      [71, 'bytes 71'],
      [72, 'bytes 72'],
    ],
  );
  assert.equal(await ledger.balance(moveApart(71), coin), 300n);
  assert.equal(await ledger.balance(moveApart(72), coin), 200n);
  assert.equal(await ledger.balance('treasury', coin), 400n);
  assert.equal(await ledger.expectedOnHot(coin), expected);
  assert.equal((await past.restore()).lines.move, 0, 'once is enough');
});

const withdrawal = (nonce: number, value: bigint): Entry => ({
  signed: 'move',
  request: {
    ...{ intent: `treasury:rebalance:${nonce}` as IntentId, owner: 'treasury', kind: 'rebalance', wire: {} },
    move: { move: 'withdraw', atoms: atoms(value), to: 'hot' as Address, nonce },
  },
  answer: { nonce, body: `bytes ${nonce}` },
});
