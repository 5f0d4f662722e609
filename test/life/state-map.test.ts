import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { IS_FINAL, NEXT, type Phase } from '../../src/life/order/state.ts';

const PHASES = Object.keys(NEXT) as Phase[];

/** As the documents show it: every road of `NEXT`, and where an order may end. */
function printMap(): string {
  const roads = PHASES.flatMap((from) => [
    ...NEXT[from].map((to) => `    ${from} --> ${to}`),
    ...(IS_FINAL[from] ? [`    ${from} --> [*]`] : []),
  ]);
  return ['```mermaid', 'stateDiagram-v2', '    [*] --> awaiting_deposit', ...roads, '```'].join('\n');
}

test('the document shows the map that the code follows', () => {
  const text = readFileSync(new URL('../../docs/ARCHITECTURE.md', import.meta.url), 'utf8');
  const shown = /<!-- states -->\n([\s\S]*?)\n<!-- \/states -->/.exec(text)?.[1];
  assert.equal(shown, printMap(), 'put what printMap() gives between the markers of docs/ARCHITECTURE.md');
});

test('every phase can be reached, and from every phase an order can end', () => {
  const reached = new Set<Phase>(['awaiting_deposit']);
  for (const phase of reached) for (const next of NEXT[phase]) reached.add(next);
  assert.deepEqual([...reached].sort(), [...PHASES].sort());
  for (const phase of PHASES) {
    const ahead = new Set<Phase>([phase]);
    for (const one of ahead) for (const next of NEXT[one]) ahead.add(next);
    assert.ok(
      [...ahead].some((one) => IS_FINAL[one]),
      `${phase} leads nowhere`,
    );
  }
});

test('an end is an end: only an expired order may still be refunded', () => {
  for (const phase of PHASES.filter((one) => IS_FINAL[one]))
    assert.deepEqual(NEXT[phase], phase === 'expired' ? ['refunded'] : []);
});
