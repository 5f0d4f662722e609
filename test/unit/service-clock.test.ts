import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openClock } from '../../src/app/clock.ts';
import { instant } from '../../src/kernel/clock.ts';

const START = Date.UTC(2030, 0, 1);
const MINUTE = 60_000;

/** A computer whose time of day is set by hand beside the time that passes. */
function computer() {
  let passed = 5_000;
  let wall = START;
  return {
    wall: () => wall,
    monotonic: () => passed,
    pass(ms: number) {
      passed += ms;
      wall += ms;
    },
    step(ms: number) {
      wall += ms;
    },
  };
}

test('while the time of day is right the clock is the time of day', () => {
  const pc = computer();
  const clock = openClock(undefined, pc);
  assert.equal(clock.now(), START);
  pc.pass(1_234.7);
  assert.equal(clock.now(), START + 1_234);
  pc.step(10 * MINUTE);
  assert.equal(clock.now(), START + 1_234 + 10 * MINUTE, 'a step ahead is followed at once');
});

test('a time of day that steps back stops no wait: time goes on, a tenth slower until both are one again', () => {
  const pc = computer();
  const clock = openClock(undefined, pc);
  const began = clock.now();
  pc.step(-10 * MINUTE);
  assert.equal(clock.now(), began, 'it never runs backwards');
  pc.pass(10_000);
  assert.equal(clock.now() - began, 9_000, 'by the time of day alone it would stand still for ten minutes');
  let before: number = clock.now();
  for (let minute = 0; minute < 110; minute += 1) {
    pc.pass(MINUTE);
    const now = clock.now();
    assert.ok(now - before >= 0.9 * MINUTE - 1);
    before = now;
  }
  assert.ok(clock.now() - pc.wall() < 1_000);
  pc.pass(MINUTE);
  assert.ok(clock.now() - pc.wall() < 1_000, 'and then it is the time of day again');
});

test('being set right by less than a second is waited for and never runs backwards', () => {
  const pc = computer();
  const clock = openClock(undefined, pc);
  const began = clock.now();
  pc.step(-900);
  assert.equal(clock.now(), began);
  pc.pass(500);
  assert.equal(clock.now(), began);
  pc.pass(500);
  assert.equal(clock.now(), began + 100);
});

test('a process that begins after a step back goes on from what was done already, but follows no clock that was hours ahead', () => {
  const pc = computer();
  const clock = openClock(undefined, pc);
  clock.notBefore(instant(START + 10 * MINUTE));
  assert.equal(clock.now(), START + 10 * MINUTE, 'so nothing that is due then waits for ten minutes');
  pc.pass(MINUTE);
  assert.equal(clock.now(), START + 10.9 * MINUTE);
  const other = openClock(undefined, computer());
  other.notBefore(instant(START + 61 * MINUTE));
  assert.equal(other.now(), START);
  other.notBefore(instant(START - MINUTE));
  assert.equal(other.now(), START);
});

test('what a rehearsal adds is no part of the computer’s own time', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'wherry-clock-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'offset');
  writeFileSync(file, '3600000');
  const pc = computer();
  const clock = openClock(file, pc);
  assert.equal(clock.now(), START + 3_600_000);
  assert.equal(clock.unmoved(), START);
  writeFileSync(file, '7200000');
  pc.pass(20);
  assert.equal(clock.now(), START + 7_200_020);
});
