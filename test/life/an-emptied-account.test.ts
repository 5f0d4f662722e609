import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chainId } from '../../src/kernel/ids.ts';
import { openDepositBook } from '../../src/store/deposit-book.ts';
import { type CaseRoom, openCaseRoom } from './case-room.ts';
import { chainOfStories, openPast, SPACE, transferOf } from './past.ts';
import { buyOrder } from './world.ts';

const VENUE = chainId(1337);

let story: CaseRoom;
before(async () => {
  story = await openCaseRoom();
});
after(() => story.close());

test('9.12: an account of the venue that was emptied after the backup is asked for its history, and a person is told until that shows what came', async () => {
  const past = openPast(story, [chainOfStories([], VENUE)]);
  const [id, other] = [await story.keep(buyOrder()), await story.keep(buyOrder())];
  const { depositIndex: deposit } = await story.find(id);
  await past.restore(transferOf(`${id}:sweep:0`, 'sweep', 3, { chainId: VENUE, from: { deposit } }));
  const accounts = await openDepositBook(story.db, SPACE).taken(deposit + 2, 2);
  assert.deepEqual(
    accounts.map(({ index, wasEmptied }) => [index, wasEmptied]),
    [
      [deposit + 1, false],
      [deposit, true],
    ],
  );
  const cases = await past.books.cases.list();
  assert.deepEqual(
    [id, other].map((owner) => cases.find((one) => one.owner === owner)?.about.case),
    ['deposit_unjudged', undefined],
  );
});
