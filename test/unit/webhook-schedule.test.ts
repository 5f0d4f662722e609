import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Instant, instant } from '../../src/kernel/clock.ts';
import { bucketOf, medianOf } from '../../src/kernel/time-buckets.ts';
import { csvOf } from '../../src/partners/csv.ts';
import { nextAttempt } from '../../src/partners/webhook.ts';

test('attempts come after 0 s, 5 s, 30 s, 2 min, 10 min, 30 min, 1 h and then every 2 h for three days', () => {
  const began = instant(0);
  const pauses: number[] = [];
  let now: Instant | undefined = began;
  for (let tries = 1; ; tries += 1) {
    const next: Instant | undefined = nextAttempt(began, tries, now);
    if (next === undefined) break;
    pauses.push((next - now) / 1000);
    now = next;
  }
  assert.deepEqual(pauses.slice(0, 8), [5, 30, 120, 600, 1800, 3600, 7200, 7200]);
  assert.ok(pauses.slice(6).every((pause) => pause === 7200));
  assert.ok(now <= 72 * 3_600_000 && now > 70 * 3_600_000);
});

test('a median is exact below a minute and within five percent above', () => {
  const median = (...seconds: number[]) => {
    const counts = Array.from({ length: 256 }, () => 0);
    for (const one of seconds) counts[bucketOf(one)] = (counts[bucketOf(one)] ?? 0) + 1;
    return medianOf(counts);
  };
  assert.equal(median(), undefined);
  assert.equal(median(0), 0);
  assert.equal(median(17.9), 17);
  assert.equal(median(10, 20, 59), 20);
  for (const seconds of [61, 100, 600, 3600, 86_400, 600_000]) {
    const told = median(seconds) ?? 0;
    assert.ok(told <= seconds && told >= seconds * 0.95, `${seconds}: ${told}`);
  }
  assert.ok((median(1e9) ?? 0) > 600_000);
});

test('text that a spreadsheet would run is told as text', () => {
  const columns = ['a', 'b'];
  assert.equal(csvOf(columns, [{ a: 1, b: null }]), 'a,b\r\n1,\r\n');
  for (const text of ['=1+1', '+1', '-1', '@x', '\tx']) assert.equal(csvOf(['a'], [{ a: text }]), `a\r\n'${text}\r\n`);
  assert.equal(csvOf(['a'], [{ a: 'x,"y"\n' }]), 'a\r\n"x,""y""\n"\r\n');
  assert.equal(csvOf(['a'], [{ a: '\r=1' }]), 'a\r\n"\'\r=1"\r\n');
});
