import assert from 'node:assert/strict';
import { test } from 'node:test';
import { present } from '../../src/kernel/assert.ts';
import { DEAD, dyingRoom, heldBy, MINED, PAYOUT } from './dying-room.ts';

test('where the destination is refused since, its money goes back: the signer made no others', async (t) => {
  const { sign, send, watch, keep, tell, told, state, rows, expire, payment } = dyingRoom(t);
  keep(await sign());
  tell(await send());
  state.refuses = true;
  assert.deepEqual(await watch(), { againInMs: 300 }, 'bytes that live are no dead ones');
  expire();
  told.push(DEAD);
  assert.deepEqual(tell(await watch()), []);
  assert.deepEqual(payment().state, { state: 'refused', reason: 'frozen' });
  assert.equal(rows[0]?.proof, DEAD.state === 'dead' && DEAD.proof);
  state.refuses = false;
  assert.equal(await sign(), 'done', 'an instruction that comes late signs nothing');
  assert.equal(rows.length, 1);
});

test('a node that says both that the bytes are dead and that nobody can be paid brings no money back before their time is over', async (t) => {
  const { sign, send, watch, keep, tell, told, state, rows, expire, payment } = dyingRoom(t);
  keep(await sign());
  tell(await send());
  state.refuses = true;
  told.push(DEAD);
  await assert.rejects(watch(), /by the signer's clock its time is not over. Its money goes back by itself then/);
  assert.deepEqual([payment().state.state, rows[0]?.proof], ['sent', undefined]);
  expire();
  told.push(DEAD);
  tell(await watch());
  assert.equal(payment().state.state, 'refused');
});

test('killed between burying and telling of the refusal, whoever comes next tells it', async (t) => {
  const { sign, watch, keep, tell, told, state, expire, payment } = dyingRoom(t);
  keep(await sign());
  expire();
  Object.assign(state, { refuses: true, diesBurying: true });
  told.push(DEAD);
  await assert.rejects(watch(), /killed/);
  tell(await watch());
  assert.equal(payment().state.state, 'refused');
});

test('where the signer made others before the refusal, those are sent and followed', async (t) => {
  const { sign, watch, keep, told, state, rows, expire, payment, restore } = dyingRoom(t);
  keep(await sign());
  const backup = payment();
  expire();
  told.push(DEAD);
  const second = keep(await watch());
  restore(backup);
  rows.splice(1);
  for (const row of rows) delete row.proof;
  state.refuses = true;
  told.push(DEAD);
  assert.deepEqual(keep(await watch()), second);
});

test('where earlier bytes are not known to be dead nothing goes back yet', async (t) => {
  const { sign, watch, keep, tell, told, state, rows, expire, payment } = dyingRoom(t);
  keep(await sign());
  expire();
  told.push(DEAD);
  keep(await watch());
  for (const row of rows) delete row.proof;
  expire();
  state.refuses = true;
  told.push(DEAD, { state: 'unknown' });
  tell(await watch());
  assert.equal(payment().state.state, 'held');
  told.push(DEAD, DEAD);
  tell(await watch());
  assert.equal(payment().state.state, 'refused');
});

test('bytes that only the journal told of are heard of before they are given up', async (t) => {
  const { sign, watch, keep, tell, told, state, rows, expire, payment, restore } = dyingRoom(t);
  keep(await sign());
  const backup = payment();
  expire();
  told.push(DEAD);
  const second = keep(await watch());
  restore(backup);
  expire();
  state.refuses = true;
  told.push(DEAD);
  assert.deepEqual(keep(await watch()), second);
  assert.equal(rows[1]?.proof, undefined);
  told.push(DEAD);
  tell(await watch());
  assert.equal(payment().state.state, 'refused');
});

test('a refusal is about the bytes that it names: once others live, it frees nothing', async (t) => {
  const { sign, watch, keep, tell, told, expire, clock } = dyingRoom(t);
  const { txHash } = keep(await sign());
  expire();
  told.push(DEAD);
  keep(await watch());
  const about = { payment: PAYOUT.id, part: 'main', reason: 'frozen', at: clock.now() } as const;
  assert.equal(tell({ fact: { fact: 'payment_refused', afterDead: txHash, ...about } }), 'ignore');
  assert.equal(tell({ fact: { fact: 'payment_refused', ...about } }), 'ignore');
});

test('what a customer was shown is a person’s to look at, who is told what refuses it', async (t) => {
  const { sign, send, watch, keep, tell, told, state, rows, expire, payment } = dyingRoom(t);
  keep(await sign());
  tell(await send());
  told.push({ ...MINED, settled: false });
  tell(await watch());
  expire();
  state.refuses = true;
  told.push(DEAD);
  const dead = await watch();
  assert.match(heldBy(dead, present(rows[0], 'bytes')), /^its last block is final.*refused now: frozen/);
  tell(dead);
  assert.equal(payment().state.state, 'confirmed');
  told.push(DEAD);
  assert.deepEqual(await watch(), { againInMs: 60_000 });
});
