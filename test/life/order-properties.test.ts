import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RULES } from '../../src/life/order/rules.ts';
import { NEXT } from '../../src/life/order/state.ts';
import { everyLife, histories, live, trips } from './order-histories.ts';
import { witness } from './order-witness.ts';
import { tripOrder } from './world.ts';

test('no history of facts breaks the money, the map or what is written once', () =>
  fc.assert(
    fc.property(trips, histories, (trip, history) => {
      live(witness(tripOrder(trip), RULES), history);
    }),
    { numRuns: 2_000, includeErrorInReport: true },
  ));

test('every road on the map can be taken', () => {
  const taken = new Set<string>();
  everyLife((before, now) => {
    if (before.state.phase !== now.state.phase) taken.add(`${before.state.phase} ${now.state.phase}`);
  });
  const roads = Object.entries(NEXT).flatMap(([from, tos]) => tos.map((to) => `${from} ${to}`));
  assert.deepEqual(
    roads.filter((road) => !taken.has(road)),
    [],
  );
});
