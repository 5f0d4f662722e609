import { parseArgs } from 'node:util';
import { BUGS, type Bug } from './bugs.ts';
import { planOf } from './plan.ts';
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
  },
});

const say = (line: string) => process.stdout.write(`${line}\n`);

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

async function all(first: number, count: number): Promise<boolean> {
  let failures = 0;
  for (let seed = first; seed < first + count; seed += 1) {
    if (!(await search(seed, 1, undefined))) failures += 1;
    if ((seed - first + 1) % 25 === 0) say(`${seed - first + 1} seeds, ${failures} of them found something`);
  }
  say(`${count} seeds from ${first}: ${failures} found something`);
  return failures === 0;
}

const first = Number(values.from);
const count = Number(values.seeds ?? 100);
let isSound: boolean;
if (values.bugs) {
  const next = BUGS.findIndex(({ name }) => name === values.after) + 1;
  const some = BUGS.slice(next, next + Number(values.most));
  const missed: string[] = [];
  for (const bug of some) {
    say(`${bug.name}:`);
    if (await search(first, count, bug)) missed.push(bug.name);
  }
  say(
    `${some.length - missed.length} of ${some.length} planted bugs found${missed.length > 0 ? `; not: ${missed.join(', ')}` : ''}`,
  );
  isSound = missed.length === 0;
} else if (values.seed !== undefined) isSound = await one(Number(values.seed), bugNamed(values.bug));
else if (values.bug !== undefined) isSound = !(await search(first, count, bugNamed(values.bug)));
else isSound = await all(first, count);
process.exit(isSound ? 0 : 1);
