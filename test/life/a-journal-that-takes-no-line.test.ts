import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { guardJournal } from '../../src/app/gates.ts';
import { watchJournal } from '../../src/app/journal-gate.ts';
import { readiness } from '../../src/app/readiness.ts';
import type { Desk } from '../../src/engine/desk.ts';
import { instant } from '../../src/kernel/clock.ts';
import type { OrderId } from '../../src/kernel/ids.ts';
import { isRefusal } from '../../src/kernel/refusal.ts';
import { type CaseRoom, openCaseRoom } from './case-room.ts';
import { openPast } from './past.ts';

let room: CaseRoom;
beforeEach(async () => {
  room = await openCaseRoom();
});
afterEach(() => room.close());

test('while the signer can write nothing down no order is taken and the desk is not ready; with room it goes on by itself', async () => {
  const past = openPast(room);
  const { journal, cases } = past.books;
  const isCase = async () => (await cases.list()).some(({ about }) => about.case === 'journal_unwritable');
  let now = 0;
  const watch = await watchJournal(journal, { journal: past.journal }, { now: () => instant(now) });
  const taken: string[] = [];
  const desk = { create: async () => taken.push('order'), command: async () => taken.push('command') };
  const guarded = guardJournal(desk as unknown as Desk, watch);
  const unready = readiness({ reads: { unready: async () => [] } }, watch, [], room.clock);
  const order = () => guarded.create({} as never, {} as never);

  past.fillDisk();
  assert.equal(await past.look(), false, 'an engine goes on with what was signed');
  now += 1_000;
  assert.equal(isRefusal(await order()) && (await isCase()), true);
  assert.deepEqual(await unready(), ['the signer cannot write down what it signs, and signs nothing']);
  await guarded.command('sw_x' as OrderId, {} as never);
  assert.deepEqual(taken, ['command'], 'whoever ordered before may still say where the money goes');

  past.fillDisk(false);
  await past.look();
  now += 1_000;
  await order();
  assert.deepEqual([taken, await isCase(), await unready()], [['command', 'order'], false, []]);
});

test('an engine that ends while it says that nothing can be written down leaves no case that nobody closes', async (t) => {
  const past = openPast(room);
  const { journal, cases } = past.books;
  const open = async () => (await cases.list()).filter(({ about }) => about.case === 'journal_unwritable').length;
  const ends = (of: object, what: string) => {
    const killed = async () => Promise.reject(new Error('killed'));
    t.mock.method(of as Record<string, () => Promise<void>>, what, killed, { times: 1 });
  };
  for (const end of [() => ends(journal, 'writable'), () => ends(cases, 'raise')]) {
    past.fillDisk();
    end();
    await assert.rejects(past.look(), /killed/);
    past.fillDisk(false);
    await past.look();
    assert.equal(await open(), 0);
  }
  // Left by an earlier version.
  await cases.raise('treasury', { case: 'journal_unwritable', reason: 'the disk was full' });
  await past.look();
  assert.equal(await open(), 1);
  await past.start();
  assert.equal(await open(), 0);
});
