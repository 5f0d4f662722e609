import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockClock, type OtherClock, watchSkew } from '../../src/engine/clock-skew.ts';
import { type Instant, instant, later } from '../../src/kernel/clock.ts';

const START = instant(Date.UTC(2030, 0, 1));
const MINUTE = 60_000;

/** A desk that looks every five seconds at one other clock, and all that is shown and told of it. */
function desk(other: (now: Instant) => Partial<OtherClock> | OtherClock, movedMs = 0) {
  let now = START;
  let answersAfterMs = 0;
  const told: string[] = [];
  let shown: number | undefined;
  const around: OtherClock = {
    ...{ name: 'venue', mayLead: 10_000, mayLag: 10_000, read: async () => now },
    ...other(now),
  };
  const read = async () => {
    const there = await around.read();
    now = later(now, answersAfterMs);
    return there;
  };
  const look = watchSkew([{ ...around, read }], {
    clock: { now: () => now },
    unmoved: () => later(now, -movedMs),
    caseAfterMs: MINUTE,
    raise: async (about) =>
      void told.push(about.case === 'clock_skew' ? `${about.against} ${about.seconds}` : about.case),
    over: async () => void told.push('over'),
    show: (_, seconds) => {
      shown = seconds;
    },
  });
  return {
    told,
    now: () => now,
    shown: () => shown,
    slow(ms: number) {
      answersAfterMs = ms;
    },
    async watch(ms: number) {
      for (const end = now + ms; now < end; now = later(now, 5_000)) await look();
    },
  };
}

test('a clock that differs is shown at once, and a case after a minute; none any more when it is right', async () => {
  let skew = MINUTE;
  const one = desk(() => ({ read: async () => later(one.now(), -skew) }));
  await one.watch(5_000);
  assert.equal(one.shown(), 60);
  await one.watch(50_000);
  assert.deepEqual(one.told, []);
  await one.watch(15_000);
  assert.equal(one.told[0], 'venue 60');
  skew = 0;
  await one.watch(10_000);
  assert.deepEqual([one.shown(), one.told.filter((word) => word === 'over').length], [0, 1]);
});

test('both signs are told, and what is within the bounds is not', async () => {
  for (const [skew, said] of [
    [10_001, 'venue 10'],
    [-10_001, 'venue -10'],
    [10_000, 'over'],
    [-10_000, 'over'],
  ] as const) {
    const one = desk(() => ({ read: async () => later(one.now(), -skew) }));
    await one.watch(2 * MINUTE);
    assert.equal(one.told.at(-1), said, `${skew}`);
  }
});

test('a slow answer proves no difference, and none at all shows nothing', async () => {
  const one = desk(() => ({ read: async () => one.now() }));
  one.slow(30_000);
  await one.watch(5 * MINUTE);
  assert.deepEqual(one.told, ['over'], 'the middle is off by fifteen seconds, and so is what is sure of it');
  const away = desk(() => ({ read: () => Promise.reject(new Error('no answer')) }));
  await away.watch(5 * MINUTE);
  assert.deepEqual([away.shown(), away.told], [undefined, []]);
});

test('in a rehearsal others may go by the moved clock or by the computer’s', async () => {
  for (const follows of [0, 3_600_000]) {
    const one = desk(() => ({ read: async () => later(one.now(), -follows) }), 3_600_000);
    await one.watch(2 * MINUTE);
    assert.deepEqual([one.shown(), one.told], [0, ['over']]);
  }
  const one = desk(() => ({ read: async () => later(one.now(), -MINUTE) }), 3_600_000);
  await one.watch(2 * MINUTE);
  assert.equal(one.told.at(-1), 'venue 60');
});

test('only new blocks tell the time: a chain that stands says nothing, one that goes on tells a clock that is wrong', async () => {
  let standing: Instant | undefined = START;
  let skew = 10 * MINUTE;
  const one = desk(() => blockClock('chain:1', async () => standing ?? later(one.now(), -skew), true));
  await one.watch(30 * MINUTE);
  assert.deepEqual([one.shown(), one.told], [undefined, []], 'no block came for half an hour');
  standing = undefined;
  await one.watch(2 * MINUTE);
  assert.equal(one.told.at(-1), 'chain:1 600');
  skew = -MINUTE;
  await one.watch(2 * MINUTE);
  assert.equal(one.told.at(-1), 'chain:1 -60');
  skew = 2_000;
  await one.watch(2 * MINUTE);
  assert.equal(one.told.at(-1), 'over');
  const rehearsed = desk(() => blockClock('chain:1', async () => later(rehearsed.now(), 10 * MINUTE), false));
  await rehearsed.watch(5 * MINUTE);
  assert.deepEqual([rehearsed.shown(), rehearsed.told], [-600, ['over']]);
});
