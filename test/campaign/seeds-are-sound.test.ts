import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUGS } from './bugs.ts';
import { planOf } from './plan.ts';
import { play } from './play.ts';
import { only, replayLine, shrink } from './shrink.ts';

/** The short form of `npm run campaign`. */
const SEEDS = 20;
const EACH = 10;

for (let first = 1; first <= SEEDS; first += EACH)
  test(`seeds ${first} to ${first + EACH - 1}: whatever happens, the chains paid what was owed`, async () => {
    for (let seed = first; seed < first + EACH; seed += 1) {
      const outcome = await play(planOf(seed));
      const [finding] = outcome.findings;
      if (!finding) continue;
      const failure = await shrink(seed, outcome);
      assert.fail(`"${finding.check}" found: ${finding.what}\n${replayLine(failure)}`);
    }
  });

test('the same seed gives the same history', async () => {
  const [one, again, other] = [await play(planOf(3)), await play(planOf(3)), await play(planOf(14))];
  assert.equal(one.hash, again.hash);
  assert.notEqual(one.hash, other.hash);
});

test('what is found is made short by itself, and its line plays it again', async () => {
  const bug = BUGS.find(({ name }) => name === 'sends before it saves');
  assert.ok(bug);
  const whole = planOf(1);
  const failure = await shrink(1, await play(whole, bug), bug);
  assert.ok(failure.kept.length < whole.events.length, `${failure.kept}`);
  assert.match(replayLine(failure, bug), /^npm run campaign -- --seed 1 --only [\d,]+ --bug 'sends before it saves'$/);
  const again = await play(only(whole, failure.kept), bug);
  assert.ok(again.findings.some(({ check }) => check === 'saved before sent'));
});
