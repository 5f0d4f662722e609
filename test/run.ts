/**
 * npm test [-- part of a path …] [--only unit,nodes,format,types,…]
 * Checks the format and the types and runs every test/**\/*.test.ts, in three
 * lanes side by side: stories on a whole sandbox mostly wait for blocks.
 */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundleEvmSimulator } from '../sandbox/bundle.ts';
import { runBatch } from './run/batch.ts';
import { groupOf, plan } from './run/plan.ts';
import { Tally } from './run/tally.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LANES = 3;
/** By a watch that follows the machine. No test is silent for so long, and no sandbox takes so long to stop. */
const BOUNDS = { silenceMs: 90_000, leaveMs: 20_000 };
/**
 * By the clock on the wall, since whoever started the tests has a bound as well, and wants to hear what was not run. On two
 * free processors the run takes less than half of it; how many of them a machine really gives may change from hour to hour.
 */
const WHOLE_RUN_MS = 60 * 60_000;

const CHECKS = { format: ['biome', 'check', '.'], types: ['tsc', '--noEmit'] } as const;

const { values, positionals: parts } = parseArgs({ options: { only: { type: 'string' } }, allowPositionals: true });
const groups = values.only?.split(',');
const tally = new Tally((line) => console.log(line));
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stop.abort(`stopped by ${name}`));
setTimeout(() => stop.abort(`the whole run took more than ${WHOLE_RUN_MS / 60_000} minutes`), WHOLE_RUN_MS).unref();

const checks = (['format', 'types'] as const).filter((name) => groups?.includes(name) ?? parts.length === 0);
const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => `test/${path}`)
  .filter((path) => groups?.includes(groupOf(path)) ?? true)
  .filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)))
  .sort();
if (files.length === 0 && checks.length === 0)
  tally.failed('npm test', `nothing matches ${process.argv.slice(2).join(' ')}`);

await bundleEvmSimulator();
const work = [
  ...plan(files).map((batch) => () => runBatch(batch, { root: ROOT, bounds: BOUNDS, tally, signal: stop.signal })),
  ...checks.map((name) => () => check(name)),
];
await Promise.all(Array.from({ length: LANES }, lane));
tally.print();
process.exit(tally.hasFailures ? 1 : 0);

async function lane(): Promise<void> {
  for (let next = work.shift(); next; next = work.shift()) await next();
}

function check(name: keyof typeof CHECKS): Promise<void> {
  const [tool, ...args] = CHECKS[name];
  const options = { cwd: ROOT, signal: stop.signal };
  return new Promise((resolve) => {
    execFile(join(ROOT, 'node_modules', '.bin', tool), args, options, (error, stdout, stderr) => {
      if (error) tally.failed(name, stdout + stderr || error.message);
      else tally.passed();
      resolve();
    });
  });
}
