import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { BUGS } from './bugs.ts';
import { bundleCampaign } from './bundle.ts';
import { planOf } from './plan.ts';
import type { Bug } from './planting.ts';
import { play } from './play.ts';
import { only, replayLine, shrink } from './shrink.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    only: { type: 'string' },
    bug: { type: 'string' },
    bugs: { type: 'boolean', default: false },
    after: { type: 'string' },
    most: { type: 'string', default: '1000' },
    trace: { type: 'boolean', default: false },
    /** Processes side by side; and which of them this one is, where it is one. */
    workers: { type: 'string', default: `${availableParallelism()}` },
    share: { type: 'string' },
  },
});

const say = (line: string) => process.stdout.write(`${line}\n`);
const workers = Number(values.workers);
/** What this process plays of a list that all go through. */
const isMine = (at: number): boolean => at % workers === Number(values.share ?? 0);

function bugNamed(name: string | undefined): Bug | undefined {
  const bug = BUGS.find((one) => one.name === name);
  if (name !== undefined && !bug) throw new Error(`no bug is called ${name}`);
  return bug;
}

/** One seed, or a part of it, told in full. */
async function one(seed: number, bug: Bug | undefined): Promise<boolean> {
  const whole = planOf(seed);
  const plan =
    values.only === undefined ? whole : only(whole, values.only === 'none' ? [] : values.only.split(',').map(Number));
  for (const [at, event] of whole.events.entries())
    say(
      `${plan.events.includes(event) ? at : '-'} ${JSON.stringify(event, (_, part) => (typeof part === 'bigint' ? `${part}` : part))}`,
    );
  const outcome = await play(plan, bug, values.trace ? say : undefined);
  say(`seed ${seed}: ${outcome.steps} steps, ${outcome.seconds} seconds, history ${outcome.hash}`);
  for (const { name, refused, id } of outcome.dealings) say(`  ${name}: ${id ?? refused}`);
  for (const line of new Set(outcome.complaints)) say(`  said: ${line}`);
  for (const { check, what } of outcome.findings) say(`  FOUND by "${check}": ${what}`);
  return outcome.findings.length === 0;
}

/** The first of these seeds in which something is found, made short. */
async function search(first: number, count: number, bug: Bug | undefined): Promise<boolean> {
  for (let seed = first; seed < first + count; seed += 1) {
    if (bug?.needs && !bug.needs(planOf(seed))) continue;
    const outcome = await play(planOf(seed), bug);
    const [finding] = outcome.findings;
    if (!finding) continue;
    for (const { check, what } of outcome.findings) say(`seed ${seed} FOUND by "${check}": ${what}`);
    const failure = bug
      ? { seed, kept: planOf(seed).events.map((_, at) => at), outcome }
      : await shrink(seed, outcome, bug);
    say(`  ${replayLine(failure, bug)}`);
    return false;
  }
  return true;
}

/** What one process finds: of how many seeds, or bugs, in how many. */
interface Tally {
  readonly played: number;
  readonly found: number;
}

async function seedsOf(first: number, count: number): Promise<Tally> {
  let [played, found] = [0, 0];
  for (let at = 0; at < count; at += 1) {
    if (!isMine(at)) continue;
    if (!(await search(first + at, 1, undefined))) found += 1;
    played += 1;
    if (played % 25 === 0) say(`${played} seeds up to ${first + at}, ${found} of them found something`);
  }
  return { played, found };
}

async function bugsOf(some: readonly Bug[], first: number, count: number): Promise<Tally> {
  let [played, found] = [0, 0];
  for (const [at, bug] of some.entries()) {
    if (!isMine(at)) continue;
    played += 1;
    const isMissed = await search(first, count, bug);
    say(`${isMissed ? 'NOT found' : 'found'}: a desk that ${bug.name}`);
    if (!isMissed) found += 1;
  }
  return { played, found };
}

/** As many processes as there are processors, each with a database of its own. */
async function together(alone: () => Promise<Tally>): Promise<Tally> {
  if (values.share !== undefined || workers <= 1) {
    // Whoever began it may be gone: then nobody hears what is found.
    process.once('disconnect', () => process.exit(1));
    const tally = await alone();
    await new Promise<unknown>((resolve) => (process.send ? process.send(tally, resolve) : resolve(undefined)));
    return tally;
  }
  const script = await bundleCampaign();
  const args = process.argv.slice(2);
  const tallies = await Promise.all(
    Array.from({ length: workers }, async (_, share) => {
      const worker = fork(script, [...args, '--workers', `${workers}`, '--share', `${share}`], { execArgv: [] });
      return new Promise<Tally>((resolve, reject) => {
        worker.once('message', (tally) => resolve(tally as Tally));
        worker.once('exit', (code) => reject(new Error(`a process of the campaign ended with ${code}`)));
      });
    }),
  );
  return tallies.reduce((sum, one) => ({ played: sum.played + one.played, found: sum.found + one.found }));
}

const first = Number(values.from);
const count = Number(values.seeds ?? 100);
const isPart = values.share !== undefined;
let isSound: boolean;
if (values.bugs) {
  const next = BUGS.findIndex(({ name }) => name === values.after) + 1;
  const some = BUGS.slice(next, next + Number(values.most));
  const { played, found } = await together(() => bugsOf(some, first, count));
  if (!isPart) say(`${found} of ${played} planted bugs found`);
  isSound = isPart || found === played;
} else if (values.seed !== undefined) isSound = await one(Number(values.seed), bugNamed(values.bug));
else if (values.bug !== undefined) isSound = !(await search(first, count, bugNamed(values.bug)));
else {
  const begun = performance.now();
  const { played, found } = await together(() => seedsOf(first, count));
  const seconds = Math.round((performance.now() - begun) / 1_000);
  if (!isPart) say(`${played} seeds from ${first} in ${seconds} seconds: ${found} found something`);
  isSound = isPart || found === 0;
}
process.exit(isSound ? 0 : 1);
