import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Submit } from '../../src/engine/submit.ts';
import type { Span } from '../../src/kernel/span.ts';
import type { Chain, ScanCursor } from '../../src/world/chains/chain.ts';
import { openDepositRoom } from './deposit-room.ts';
import { ENDS, usdc } from './market.ts';
import { scriptedChain, transfer } from './scripted-chain.ts';
import { buyOrder } from './world.ts';

/** The first observation stands still at this door until it is opened: its process was swapped out. */
function door() {
  let stand = () => {};
  const stands = new Promise<void>((resolve) => {
    stand = resolve;
  });
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let isFirst = true;
  return {
    stands,
    open: () => open(),
    before: async () => {
      if (!isFirst) return;
      isFirst = false;
      stand();
      await opened;
    },
  };
}

/** At which of its calls the scanner stands still: what it saw is then older than the order that it tells, or reads. */
const PLACES: Readonly<Record<string, (submit: Submit, wait: () => Promise<void>) => Submit>> = {
  'it tells what it saw': (submit, wait) => ({
    ...submit,
    submit: async (...told) => {
      await wait();
      return submit.submit(...told);
    },
  }),
  'it reads the order': (submit, wait) => ({
    ...submit,
    find: async (id) => {
      await wait();
      return submit.find(id);
    },
  }),
};

for (const [place, plant] of Object.entries(PLACES))
  test(`a scanner stands still when ${place}, and goes on when another has credited the deposit: nobody takes it for gone`, async () => {
    const late = door();
    let isWatched = false;
    const room = await openDepositRoom({}, undefined, (submit) =>
      plant(submit, async () => {
        if (isWatched) await late.before();
      }),
    );
    await room.round();
    room.mine(3);
    await room.round();
    const { id, depositAddress } = await room.find(await room.keep(buyOrder()));
    isWatched = true;
    room.mine(1, transfer('paid', depositAddress, usdc('100')));
    const standing = room.round();
    await late.stands;
    for (let n = 0; n < 6; n += 1) {
      room.mine(1);
      await room.round();
    }
    const credited = await room.find(id);
    assert.equal(credited.state.phase, 'screening');
    late.open();
    await standing;
    const now = await room.find(id);
    assert.deepEqual([now.funds, now.version], [credited.funds, credited.version]);
    assert.deepEqual(await room.shown(), [], 'and nobody is called');
    await room.close();
  });

test('what left the chain while a scanner told of it is told by the next, and not taken for told', async () => {
  let between = async () => {};
  const room = await openDepositRoom({}, undefined, (submit) => ({
    ...submit,
    submit: async (...told) => {
      const taken = await submit.submit(...told);
      await between();
      return taken;
    },
  }));
  await room.round();
  room.mine(3);
  await room.round();
  const { id, depositAddress } = await room.find(await room.keep(buyOrder()));
  /** Another scanner saves what it sees, and ends before it has told of it. */
  between = async () => {
    between = async () => {};
    room.reorganise(3);
    const { sightings } = room.books;
    const cursor = await sightings.cursor(room.chain.facts.id);
    const page = await room.chain.scan(
      cursor,
      (all) => sightings.watched('stories', all),
      async () => [],
    );
    assert.ok(await sightings.savePage(room.chain.facts.id, 'stories', cursor, page, room.clock.now()));
  };
  room.mine(1, transfer('paid', depositAddress, usdc('100')));
  await room.round();
  assert.deepEqual((await room.find(id)).funds.seen, usdc('100'));
  room.mine(1);
  assert.equal(await room.round(), true, 'somebody else was here: it begins anew, at once');
  await room.round();
  assert.deepEqual((await room.find(id)).funds.seen, usdc('0'));
  await room.close();
});

test('blocks that were read without their states are carried along and are a case until they are looked through', async () => {
  const script = scriptedChain({ ...ENDS.buy.chain, family: 'stories' });
  let unlooked: readonly Span[] = [];
  const cursors: (ScanCursor | undefined)[] = [];
  const scan: Chain['scan'] = async (cursor, watched, expecting) => {
    cursors.push(cursor);
    const page = await script.chain.scan(cursor, watched, expecting);
    return { ...page, cursor: unlooked.length > 0 ? { ...page.cursor, unlooked } : page.cursor };
  };
  const room = await openDepositRoom({}, { ...script.chain, scan });
  const caseNow = async () => (await room.caseOf('states_missing'))?.reason;
  await room.round();
  assert.equal(await caseNow(), undefined);

  unlooked = [{ after: 3, to: 7 }];
  await room.round();
  assert.match((await caseNow()) ?? '', /blocks 4 to 7/);
  unlooked = [{ after: 5, to: 7 }];
  await room.round();
  assert.deepEqual(cursors.at(-1)?.unlooked, [{ after: 3, to: 7 }], 'what a round could not do is told to the next');
  assert.match((await caseNow()) ?? '', /blocks 6 to 7/, 'what is left');

  unlooked = [];
  await room.round();
  assert.equal(await caseNow(), undefined);
  await room.close();
});
