import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMetrics, together } from '../../src/app/metrics.ts';

/** What engines whose clocks are so far off leave for the operator's page. */
async function shown(...seconds: readonly number[]): Promise<readonly string[]> {
  const left = seconds.map((off) => {
    const { skew, registry } = openMetrics('engine');
    skew.set({ against: 'database' }, off);
    return registry.getMetricsAsJSON();
  });
  const page = await together(openMetrics('api'), () => Promise.all(left)).metrics();
  return page.split('\n').filter((line) => line.startsWith('wherry_clock_skew_seconds{'));
}
const line = (seconds: number) => `wherry_clock_skew_seconds{against="database",role="engine"} ${seconds}`;

test('of several engines the clock that is furthest off is shown, whichever way, and never their sum', async () => {
  assert.deepEqual(await shown(8, -8), [line(8)]);
  assert.deepEqual(await shown(1, -9, 3), [line(-9)]);
  assert.deepEqual(await shown(2, 2), [line(2)]);
  assert.deepEqual(await shown(0), [line(0)]);
});
