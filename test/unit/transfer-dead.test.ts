import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { bindDestination, openBinder, openChecker, readApprovalText } from '../../src/kernel/binding.ts';
import { AwaitsApproval } from '../../src/kernel/fault.ts';
import { Secret } from '../../src/kernel/secret.ts';
import type { Limits } from '../../src/signer/limits.ts';
import { DEAD, dyingRoom, heldBy, LIMITS, MINED, PAYOUT } from './dying-room.ts';
import * as bench from './signer-bench.ts';

const { API, ORDER } = bench;

test('bytes whose time is over are buried with their proof and followed by others', async (t) => {
  const { sign, watch, keep, told, rows, expire } = dyingRoom(t);
  const first = keep(await sign());
  told.push(DEAD);
  await assert.rejects(
    watch(),
    { kind: 'transient', message: /can no longer be mined.*by the signer's clock.*compare/ },
    'the signer waits by its own clock',
  );
  assert.equal(rows[0]?.proof, undefined);
  expire();
  told.push(DEAD);
  const second = keep(await watch());
  assert.notEqual(second.txHash, first.txHash);
  assert.equal(rows[0]?.proof, DEAD.state === 'dead' && DEAD.proof);
  assert.deepEqual(keep(await sign()), second, 'what is buried is not found again');
});

test('killed between burying and saving, whoever comes next saves the bytes that were signed', async (t) => {
  const { sign, send, watch, keep, told, state, rows, expire } = dyingRoom(t);
  keep(await sign());
  expire();
  state.diesBurying = true;
  told.push(DEAD);
  await assert.rejects(watch(), /killed/);
  expire();
  const answers = [await sign(), await send(), await watch()].map(keep);
  assert.equal(new Set(answers.map(({ raw }) => raw)).size, 1);
  assert.equal(rows.length, 2);
});

test('books from an old backup, which know the first bytes alone, learn of the second before there is a third', async (t) => {
  const { sign, watch, keep, told, rows, expire, payment, restore } = dyingRoom(t);
  keep(await sign());
  const backup = payment();
  expire();
  told.push(DEAD);
  const second = keep(await watch());
  restore(backup);
  rows.splice(1);
  for (const row of rows) delete row.proof;
  expire();
  told.push(DEAD);
  assert.deepEqual(keep(await watch()), second);
});

test('where another transaction took the nonce, a person must look', async (t) => {
  const to = bench.ALICE;
  const binding = bindDestination(API, ORDER, 'payout', bench.USDC, to);
  const { sign, watch, keep, told, state, rows } = dyingRoom(t, {
    ...PAYOUT,
    amount: amount(bench.USDC, 5n),
    to,
    binding,
  });
  keep(await sign());
  told.push(DEAD);
  assert.match(heldBy(await watch(), present(rows[0], 'bytes')), /^its last block is final.*; never_expires: /);
  // That its payee is refused now says nothing about the transaction that took it.
  state.refuses = true;
  told.push(DEAD);
  assert.match(heldBy(await watch(), present(rows[0], 'bytes')), /^its last block is final.*refused now: frozen/);
  assert.equal(rows[0]?.proof, undefined);
});

/** A signer whose day holds two such payments. */
const NARROW: Limits = { ...LIMITS, otherAssets: { ...bench.NO_LIMIT, perDay: atoms(10_000_000n) } };
const DAY_MS = 24 * 3_600_000;

/** The first two lives of a payout used up the day, so that its bytes have no successor before tomorrow. */
async function heldByTheDay(t: TestContext) {
  const room = dyingRoom(t, PAYOUT, NARROW);
  const { sign, watch, keep, tell, told, expire, payment } = room;
  keep(await sign());
  expire();
  told.push(DEAD);
  const second = keep(await watch());
  expire();
  told.push(DEAD);
  const dead = await watch();
  assert.match(heldBy(dead, { attempt: second }), /over_daily_limit/);
  assert.ok(room.free.includes(second.txHash), 'what they were to spend waits with nobody');
  assert.deepEqual([tell(dead), payment().state.state], [['watch_transfer'], 'held']);
  told.push(DEAD);
  assert.deepEqual(await watch(), { againInMs: 60_000 }, 'the day is still full');
  return room;
}

test('what is held for the day’s limit is signed, saved and sent when there is room again', async (t) => {
  const { watch, send, tell, told, sent, clock, rows, payment, isOver } = await heldByTheDay(t);
  clock.advance(DAY_MS);
  told.push(DEAD);
  assert.deepEqual([tell(await watch()), payment().state.state], [['send_transfer'], 'signed']);
  assert.equal(rows.length, 3);
  assert.ok(isOver('payment_dead'), 'nobody need look any more');
  assert.deepEqual([tell(await send()), payment().state.state], [['watch_transfer'], 'sent']);
  assert.deepEqual(sent, [rows[2]?.attempt.txHash]);
  told.push(MINED);
  tell(await watch());
  assert.equal(payment().state.state, 'settled');
});

test('what is held goes back where its payee is refused by then', async (t) => {
  const { watch, tell, told, state, clock, payment, isOver } = await heldByTheDay(t);
  clock.advance(DAY_MS);
  state.refuses = true;
  told.push(DEAD);
  tell(await watch());
  assert.equal(payment().state.state, 'refused');
  assert.ok(isOver('payment_dead'), 'nobody need look any more');
});

test('killed before those bytes were saved, they are asked for again, or adopted, and sent all the same', async (t) => {
  for (const isAdopted of [false, true]) {
    const { watch, send, tell, told, sent, clock, rows, state, adopt, payment } = await heldByTheDay(t);
    clock.advance(DAY_MS);
    state.diesBurying = true;
    told.push(DEAD);
    await assert.rejects(watch(), /killed/);
    state.diesBurying = false;
    if (isAdopted) await adopt();
    assert.deepEqual([tell(await watch()), payment().state.state], [['send_transfer'], 'signed']);
    await send();
    assert.equal(sent.at(-1), rows[2]?.attempt.txHash);
  }
});

test('what a customer was shown stays shown while the successor of its bytes is saved, sent and watched', async (t) => {
  const { sign, send, watch, keep, tell, told, sent, rows, expire, payment } = dyingRoom(t);
  const first = keep(await sign());
  tell(await send());
  // One block has it, and a fork takes it out again.
  told.push({ ...MINED, settled: false });
  tell(await watch());
  expire();
  told.push(DEAD);
  assert.deepEqual(tell(await watch()), ['watch_transfer']);
  const shown = payment().state;
  assert.ok(shown.state === 'confirmed' && shown.txHash === first.txHash);
  await watch();
  assert.equal(sent.at(-1), present(rows[1], 'a successor').attempt.txHash);
  told.push(MINED);
  tell(await watch());
  assert.deepEqual([payment().state.state, rows.length], ['settled', 2]);
});

test('what was shown and whose successor is dead, too, waits for a person, who is told once', async (t) => {
  const { sign, send, watch, tell, told, sent, expire, payment, keep, isOver } = dyingRoom(t, PAYOUT, NARROW);
  const first = keep(await sign());
  tell(await send());
  told.push({ ...MINED, settled: false });
  tell(await watch());
  expire();
  told.push(DEAD);
  const second = keep(await watch());
  await watch();
  assert.equal(sent.at(-1), second.txHash);
  expire();
  told.push(DEAD);
  const dead = await watch();
  assert.match(heldBy(dead, { attempt: second }), /over_daily_limit/);
  assert.deepEqual(tell(dead), ['watch_transfer']);
  const now = payment().state;
  assert.ok(now.state === 'confirmed' && now.txHash === first.txHash && now.proof !== undefined);
  for (let looks = 0; looks < 3; looks += 1) {
    told.push(DEAD);
    assert.deepEqual(await watch(), { againInMs: 60_000 });
  }
  assert.ok(!isOver('payment_dead'), 'the case stands until somebody looked');
});

/** Four lives came to nothing, as in an hour in which a chain takes hardly anything. */
async function buriedThrice(t: TestContext, approval?: Parameters<typeof dyingRoom>[3]) {
  const room = dyingRoom(t, PAYOUT, LIMITS, approval);
  const { sign, send, watch, keep, tell, told, expire } = room;
  keep(await sign());
  for (let burials = 0; burials < 3; burials += 1) {
    tell(await send());
    expire();
    told.push(DEAD);
    keep(await watch());
  }
  tell(await send());
  expire();
  told.push(DEAD);
  return room;
}

test('a fifth life needs a yes to it, from somebody who looked for the fourth; then the payment goes on', async (t) => {
  const ada = openBinder(new Secret(new Uint8Array(32).fill(7)));
  const approval = { above: 'unlimited', approvers: openChecker([ada.publicKey]) } as const;
  const { watch, send, tell, told, state, rows, expire, payment } = await buriedThrice(t, approval);
  const asked = await watch().catch((error: unknown) => error);
  assert.ok(asked instanceof AwaitsApproval);
  const about = present(readApprovalText(asked.text), 'a text to sign');
  assert.deepEqual([about.intent, about.inPlaceOf], [PAYOUT.id, rows[3]?.attempt.txHash]);
  assert.equal(payment().state.state, 'sent', 'it only waits');
  state.approval = ada.sign(asked.text);
  told.push(DEAD);
  assert.deepEqual(tell(await watch()), ['send_transfer']);
  assert.equal(rows.length, 5);
  // The same yes opens no sixth.
  tell(await send());
  expire();
  told.push(DEAD);
  await assert.rejects(watch(), AwaitsApproval);
});

test('where nobody can say yes it is held for a person, and goes on when somebody can', async (t) => {
  const { watch, tell, payment, rows } = await buriedThrice(t);
  const dead = await watch();
  assert.match(heldBy(dead, present(rows[3], 'bytes')), /buried_too_often/);
  tell(dead);
  assert.equal(payment().state.state, 'held');
});
