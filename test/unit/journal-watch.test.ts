import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchJournal } from '../../src/app/journal-gate.ts';
import { instant } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { EMPTY_JOURNAL } from '../../src/signer/request.ts';
import type { JournalBooks, KnownMark } from '../../src/store/journal-books.ts';

test('a database that failed once is asked again at once, and what it said is believed for a second', async () => {
  let now = 0;
  let asked = 0;
  let isDown = false;
  const mark = async (): Promise<KnownMark> => {
    asked += 1;
    if (isDown) throw new Fault('transient', 'database', 'it is away');
    return { ...EMPTY_JOURNAL, held: undefined, unwritable: undefined };
  };
  const books = { mark, newest: async () => [] } as unknown as JournalBooks;
  const journal = async () => ({ isKnown: true, head: EMPTY_JOURNAL, lines: [] });
  const watch = await watchJournal(books, { journal }, { now: () => instant(now) });

  isDown = true;
  await assert.rejects(watch.held(), /it is away/);
  isDown = false;
  assert.equal(await watch.held(), undefined, 'its failure is nobody else’s answer');

  asked = 0;
  now = 999;
  await watch.unwritable();
  assert.equal(asked, 0);
  now = 1_000;
  await watch.unwritable();
  assert.equal(asked, 1);
});
