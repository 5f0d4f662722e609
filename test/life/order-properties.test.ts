import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ASKED } from '../../src/life/order/command.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { NEXT } from '../../src/life/order/state.ts';
import { MAY_BE_ASKED } from '../../src/store/order-guard.ts';
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

/** What all those lives showed; they are lived once. */
const lived = (() => {
  let shown: ReturnType<typeof everybody> | undefined;
  return () => {
    shown ??= everybody();
    return shown;
  };
})();

function everybody() {
  const [taken, asked, foreign] = [new Set<string>(), new Set<string>(), new Set<string>()];
  everyLife((before, now, fact) => {
    if (before.state.phase !== now.state.phase) taken.add(`${before.state.phase} ${now.state.phase}`);
    if (!ASKED.some((one) => one === fact.fact)) return;
    asked.add(fact.fact);
    for (const part of Object.keys(now) as (keyof typeof now)[])
      if (now[part] !== before[part] && part !== 'payments' && !MAY_BE_ASKED.has(part))
        foreign.add(`${fact.fact} changed ${part}`);
  });
  return { taken, asked, foreign };
}

test('every road on the map can be taken', () => {
  const { taken } = lived();
  const roads = Object.entries(NEXT).flatMap(([from, tos]) => tos.map((to) => `${from} ${to}`));
  assert.deepEqual(
    roads.filter((road) => !taken.has(road)),
    [],
  );
});

test('the word of a customer or an operator changes no part of an order that the database would not let them change', () => {
  const { asked, foreign } = lived();
  assert.deepEqual([...foreign], []);
  assert.ok(asked.size >= 4);
});
