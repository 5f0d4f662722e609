import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { amount } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { instant } from '../../src/kernel/clock.ts';
import type { IntentId, TxHash } from '../../src/kernel/ids.ts';
import { advance } from '../../src/life/payment/advance.ts';
import type { Payment } from '../../src/life/payment/payment.ts';
import { ORDER, OTHER_ORDER, USDC } from './signer-bench.ts';
import { payoutOf, transferRoom } from './transfer-room.ts';

const PAYOUT = payoutOf(ORDER);
/** What a chain like Arbitrum waits before a payment is stuck. */
const STUCK_MS = 60_000;
const LONG_MS = 24 * 3_600_000;

/** A room in which the payout was signed and sent. */
async function sentIn(t: TestContext, costCap?: bigint) {
  const room = transferRoom(t, costCap);
  room.open(PAYOUT);
  assert.deepEqual(await room.work(), [
    'signed payout 7',
    'saved payout 0 v0',
    'told transfer_signed',
    'sent payout 0 v0',
    'told transfer_sent',
  ]);
  const hash = (version: number): TxHash => present(room.versions(PAYOUT.id)[version], `version ${version}`).txHash;
  const later = (ms = STUCK_MS / 4) => {
    room.wait(ms);
    return room.work();
  };
  return { ...room, hash, later, state: () => room.payment(PAYOUT.id).state };
}

test('a transfer that failed in a block which is not final tells nothing, for it may still work', async (t) => {
  const { hash, later, mine, state } = await sentIn(t);
  mine(hash(0), { ok: false });
  assert.deepEqual([...(await later()), ...(await later(LONG_MS)), ...(await later(LONG_MS))], []);
  assert.equal(state().state, 'sent');
  // Mined again elsewhere it worked.
  mine(hash(0));
  assert.deepEqual(await later(), ['told transfer_confirmed', 'heard paid']);
});

test('a failure that is final is told as one, and the money is back', async (t) => {
  const { hash, later, mine, state, log } = await sentIn(t);
  mine(hash(0), { ok: false });
  assert.deepEqual(await later(), []);
  mine(hash(0), { ok: false, settled: true });
  assert.deepEqual(await later(), ['told transfer_settled', 'heard unpaid']);
  assert.equal(state().state, 'refused');
  assert.deepEqual([await later(LONG_MS), log.filter((one) => one.startsWith('case'))], [[], []]);
});

test('what was confirmed and falls out is sent again, the same bytes, and nobody is told', async (t) => {
  const { hash, later, mine, forget, state } = await sentIn(t);
  mine(hash(0));
  assert.deepEqual(await later(), ['told transfer_confirmed', 'heard paid']);
  const confirmed = state();
  assert.deepEqual(await later(), [], 'that it is still there is no news');
  forget(hash(0));
  assert.deepEqual(await later(), ['sent payout 0 v0']);
  assert.deepEqual(await later(LONG_MS), [], 'however long that takes: what a customer was shown is not outbid');
  assert.deepEqual(state(), confirmed);
  mine(hash(0), { settled: true });
  assert.deepEqual(await later(), ['told transfer_settled', 'heard settled']);
  assert.deepEqual(await later(LONG_MS), [], 'and then it is only looked at');
});

test('what was final and left its chain is sent again, the same bytes, and nothing is signed for it', async (t) => {
  const { hash, later, mine, forget, state, isWaiting, log } = await sentIn(t);
  mine(hash(0), { settled: true });
  assert.deepEqual(await later(), ['told transfer_settled', 'heard paid', 'heard settled']);
  const settled = state();
  assert.deepEqual([...(await later(3_000)), ...(await later(3_000))], [], 'it is there');
  forget(hash(0));
  const gone = `trouble ${PAYOUT.id} was final and is not on its chain any more`;
  assert.deepEqual(await later(6_000), ['sent payout 0 v0', gone]);
  mine(hash(0));
  assert.deepEqual(await later(5_000), ['trouble is over'], 'in a block that is not final yet');
  mine(hash(0), { ok: false, settled: true });
  assert.deepEqual(await later(LONG_MS), [`trouble ${PAYOUT.id} was final and was mined again and failed`]);
  mine(hash(0), { settled: true });
  assert.deepEqual(await later(LONG_MS), ['trouble is over']);
  for (let looks = 0; isWaiting(); looks += 1) {
    assert.ok(looks < 10, 'no end of it');
    assert.deepEqual(await later(LONG_MS), []);
  }
  assert.deepEqual(state(), settled, 'what its customer was shown stays as it is');
  assert.equal(log.filter((one) => one.startsWith('signed')).length, 1);
});

test('what its chain does not take in time is outbid, every version saved before it is sent', async (t) => {
  const { hash, later, versions } = await sentIn(t);
  assert.deepEqual(await later(STUCK_MS - 1), []);
  const outbid = (version: number) => [
    'told transfer_stuck',
    'signed payout 7',
    `saved payout 0 v${version}`,
    'told transfer_signed',
    `sent payout 0 v${version}`,
    'told transfer_sent',
  ];
  assert.deepEqual(await later(), outbid(1));
  assert.notEqual(hash(1), hash(0));
  assert.deepEqual(
    new Set(versions(PAYOUT.id).map(({ consumes }) => consumes.join())).size,
    1,
    'they exclude each other',
  );
  // The next one gets twice as long.
  assert.deepEqual(await later(2 * STUCK_MS - 1), []);
  assert.deepEqual(await later(), outbid(2));
});

test('versions that were outbid are looked at, too: the one that was mined is told', async (t) => {
  const { hash, later, mine, state } = await sentIn(t);
  await later(STUCK_MS);
  await later(2 * STUCK_MS);
  mine(hash(1));
  assert.deepEqual(await later(), ['told transfer_confirmed', 'heard paid']);
  const now = state();
  assert.ok(now.state === 'confirmed');
  assert.equal(now.txHash, hash(1));
});

test('a version that was mined while another was to be signed is told instead', async (t) => {
  const { hash, later, mine, log } = await sentIn(t);
  mine(hash(0), { ok: false });
  assert.deepEqual(await later(STUCK_MS), [], 'nothing outbids what is in a block');
  mine(hash(0), { settled: true });
  assert.deepEqual(await later(), ['told transfer_settled', 'heard paid', 'heard settled']);
  assert.equal(log.filter((one) => one.startsWith('signed')).length, 1);
});

test('all living versions that the node forgot are sent again', async (t) => {
  const { hash, later, forget } = await sentIn(t);
  await later(STUCK_MS);
  forget(hash(0));
  forget(hash(1));
  assert.deepEqual(await later(), ['sent payout 0 v1', 'sent payout 0 v0']);
});

test('where the signer pays no more, a person is called, and what was sent is watched on', async (t) => {
  // 90000 gas at the first price, and not an eighth more.
  const { hash, later, mine, state } = await sentIn(t, 90_000n * 105_000_000n);
  assert.deepEqual(await later(STUCK_MS), ['told transfer_stuck', 'told transfer_stuck', 'case payment_stuck']);
  assert.equal(state().state, 'sent');
  assert.deepEqual(await later(), []);
  mine(hash(0));
  assert.deepEqual(await later(), ['told transfer_confirmed', 'heard paid']);
});

test('dead bytes that can have no successor are told once, and looked at on', async (t) => {
  const { hash, later, kill, mine, state } = await sentIn(t);
  kill(hash(0), 'its nonce was used by another');
  assert.deepEqual(await later(), ['told transfer_dead', 'case payment_dead']);
  const now = state();
  assert.ok(now.state === 'held' && now.proof.startsWith('its nonce was used by another; never_expires'));
  assert.deepEqual([...(await later(LONG_MS)), ...(await later(LONG_MS))], []);
  // A node that was wrong, or a person, may yet show it.
  mine(hash(0), { settled: true });
  assert.deepEqual(await later(LONG_MS), ['told transfer_settled', 'heard paid', 'heard settled']);
});

test('so are those that a customer was shown, which stay shown', async (t) => {
  const { hash, later, kill, mine, state } = await sentIn(t);
  mine(hash(0));
  await later();
  kill(hash(0), 'its nonce was used by another');
  assert.deepEqual(await later(), ['told transfer_dead', 'case payment_dead']);
  assert.equal(state().state, 'confirmed');
  assert.deepEqual([...(await later(LONG_MS)), ...(await later(LONG_MS))], []);
  mine(hash(0), { settled: true });
  assert.deepEqual(await later(LONG_MS), ['told transfer_settled', 'heard settled']);
});

test('gas whose bytes are dead is told once as well', () => {
  const txHash = 'gas' as TxHash;
  const waiting: Payment = {
    ...PAYOUT,
    state: { state: 'awaiting_gas' },
    gas: { amount: amount(USDC, 1n), progress: { state: 'sent', txHash, raised: 0, since: instant(1) } },
  };
  const about = { payment: PAYOUT.id, part: 'gas', txHash, at: instant(2) } as const;
  const told = advance(waiting, { fact: 'transfer_dead', proof: 'used by another', ...about });
  assert.ok(told !== 'ignore');
  assert.deepEqual(
    [told.cases.map((one) => one.case), told.payment.state],
    [['payment_dead'], { state: 'awaiting_gas' }],
  );
  assert.equal(advance(told.payment, { fact: 'transfer_dead', proof: 'still', ...about }), 'ignore');
  const arrived = advance(told.payment, { fact: 'transfer_confirmed', cost: amount(USDC, 1n), ...about });
  assert.ok(arrived !== 'ignore' && arrived.payment.state.state === 'reserved', 'a node may have been wrong');
});

test('payments that the node lost are sent again before another of their account is signed', async (t) => {
  const room = await sentIn(t);
  const { later, forget, hash, node, open } = room;
  const second = payoutOf(OTHER_ORDER);
  node.nonce = 8;
  open(second);
  await later(0);
  const third: Payment = {
    ...second,
    id: `${OTHER_ORDER}:payout:1` as IntentId,
    purpose: { for: 'payout', number: 1 },
  };
  // The pool was emptied: the node's next nonce is that of the first again.
  for (const txHash of [hash(0), present(room.versions(second.id)[0], 'bytes').txHash]) forget(txHash);
  node.nonce = 7;
  open(third);
  const told = await room.work();
  assert.deepEqual(told.slice(0, 3), ['sent payout 0 v0', 'sent payout 0 v0', 'signed payout 9']);
  assert.deepEqual(told.slice(3, 6), ['saved payout 1 v0', 'told transfer_signed', 'sent payout 1 v0']);
});

test('what a node answers to bytes is not believed: they count as sent, are watched, sent again and outbid', async (t) => {
  const room = transferRoom(t);
  const { open, work, node, wait, mine, versions } = room;
  node.objection = 'OldNonce, Current nonce: 55, nonce of rejected tx: 7 (-32010)';
  open(PAYOUT);
  assert.deepEqual(await work(), [
    ...['signed payout 7', 'saved payout 0 v0', 'told transfer_signed', 'sent payout 0 v0', 'told transfer_sent'],
    ...['sent payout 0 v0', `trouble ${node.objection}`],
  ]);
  wait(STUCK_MS);
  const outbid = await work();
  assert.deepEqual(outbid.slice(0, 3), ['sent payout 0 v0', 'told transfer_stuck', 'sent payout 0 v0']);
  assert.deepEqual(outbid.slice(3, 5), ['signed payout 7', 'saved payout 0 v1']);
  // A node that takes them all the same is nothing to wonder about.
  delete node.objection;
  wait(STUCK_MS / 4);
  assert.deepEqual(await work(), ['sent payout 0 v1', 'sent payout 0 v0', 'trouble is over']);
  mine(present(versions(PAYOUT.id)[1], 'bytes').txHash);
  wait(STUCK_MS / 4);
  assert.deepEqual(await work(), ['told transfer_confirmed', 'heard paid']);
});

test('where nothing outbids, the person who is called hears what the node said of the bytes', async (t) => {
  const { open, work, node, wait, stuckFor } = transferRoom(t, 90_000n * 105_000_000n);
  node.objection = 'FeeTooLow';
  open(PAYOUT);
  await work();
  wait(STUCK_MS);
  await work();
  assert.match(stuckFor(), /FeeTooLow/);
});

test('what the node says against one payment does not stop the next of its account', async (t) => {
  const { open, work, node, wait } = await sentIn(t);
  const second = payoutOf(OTHER_ORDER);
  node.objection = 'FeeTooLowToCompete';
  wait(1_000);
  open(second);
  assert.deepEqual((await work()).slice(0, 3), ['sent payout 0 v0', 'signed payout 8', 'saved payout 0 v0']);
});
