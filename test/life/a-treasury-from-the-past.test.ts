import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { amount } from '../../src/kernel/amount.ts';
import { type Address, chainId, type IntentId, type OrderId } from '../../src/kernel/ids.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { move } from '../../src/life/payment/posting.ts';
import { openAdopted } from '../../src/life/recovery/open-adopted.ts';
import type { Entry } from '../../src/signer/request.ts';
import { type CaseRoom, openCaseRoom } from './case-room.ts';
import { USDC } from './market.ts';
import { openPast, outbid, transferOf } from './past.ts';

let room: CaseRoom;
before(async () => {
  room = await openCaseRoom();
});
after(() => room.close());

const ORDER = `sw_${'f'.repeat(26)}` as OrderId;
const FORGOTTEN = 'treasury:forgotten:1' as IntentId;
const hashOf = (entry: Entry) => (entry.signed === 'transfer' ? entry.answer.txHash : assert.fail());

test('what was signed for a forgotten order and the old treasury cannot cover is ours at once, and followed when it has it', async () => {
  const { submit, payments } = room;
  const past = openPast(room);
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
    for (let looks = 0; looks < 500 && told.length === 0; looks += 1) await pause(10);
  });
  const payment = await payments.find(FORGOTTEN);
  assert.deepEqual([payment?.to, payment?.amount], ['payee' as Address, amount(USDC.id, 5_000_000n)]);
  assert.deepEqual(told, [FORGOTTEN], 'from here on it is followed like any other');
  assert.equal(await past.books.ledger.balance('treasury', USDC.id), 2_000_000n);
  assert.equal(await past.books.ledger.balance(`payment:${FORGOTTEN}`, USDC.id), 5_000_000n);
});
