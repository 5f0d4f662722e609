import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AMOUNTS, REPEATS } from './hostile-amounts.ts';
import { DESTINATIONS, FORMS } from './hostile-destinations.ts';
import { AT_THE_API, FRAMES } from './hostile-frames.ts';
import { everyFamily, type Hostile, reasonOf } from './hostile-room.ts';
import { VENUE_REQUESTS } from './hostile-venue.ts';

const HOSTILE: readonly Hostile[] = [
  ...[...FRAMES, ...AT_THE_API, ...FORMS, ...DESTINATIONS],
  ...[...REPEATS, ...VENUE_REQUESTS, ...AMOUNTS],
];

test('every hostile request is refused, for the reason that is its own', async (t) => {
  const room = await everyFamily(t);
  const found: string[] = [];
  for (const { tries, door, refused, first, asks } of HOSTILE) {
    await first?.(room);
    const reply = await room.ask(door, asks(room));
    const reason = reasonOf(reply);
    if (reason !== refused) found.push(`${tries}: ${reason}, not ${refused}`);
  }
  assert.deepEqual(found, []);
  assert.ok(HOSTILE.length >= 50, `${HOSTILE.length} hostile requests`);
});
