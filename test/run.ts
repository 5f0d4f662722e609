/**
 * npm test [-- part of a path …] [--only unit,nodes,format,types,…]
 * Checks the format and the types and runs every test/**\/*.test.ts, in three
 * processes side by side: stories on a whole sandbox mostly wait for blocks.
 */
import { execFile, fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Message } from './run/reporter.ts';
import { Tally } from './run/tally.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Longer than any story needs; a run that passes these bounds hangs. */
const SILENCE_MS = 120_000;
const WHOLE_RUN_MS = 1_110_000;

const CHECKS = { format: ['biome', 'check', '.'], types: ['tsc', '--noEmit'] } as const;

const { values, positionals: parts } = parseArgs({ options: { only: { type: 'string' } }, allowPositionals: true });
const groups = values.only?.split(',');
const tally = new Tally();
const tallies = [tally];

const checks = (['format', 'types'] as const).filter((name) => groups?.includes(name) ?? parts.length === 0);
await Promise.all(checks.map(check));

const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => `test/${path}`)
  .filter((path) => groups?.includes(groupOf(path)) ?? true)
  .filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)))
  .sort();
await Promise.all([0, 1, 2].map((lane) => runTests(files.filter((path) => laneOf(path) === lane))));
if (files.length === 0 && checks.length === 0)
  tally.failed('npm test', `nothing matches ${process.argv.slice(2).join(' ')}`);

Tally.print(tallies);
process.exit(tallies.some(({ hasFailures }) => hasFailures) ? 1 : 0);

/** `unit` for test/unit/amount.test.ts, `tidy` for test/tidy.test.ts. */
function groupOf(path: string): string {
  return path.split(/[/.]/)[1] ?? '';
}

/** What takes about equally long together; the stories of `e2e` are halved by their names. */
function laneOf(path: string): number {
  const group = groupOf(path);
  if (group === 'e2e') return path < 'test/e2e/r' ? 1 : 2;
  return { nodes: 1, life: 2, sim: 2 }[group] ?? 0;
}

function check(name: keyof typeof CHECKS): Promise<void> {
  const [tool, ...args] = CHECKS[name];
  return new Promise((resolve) => {
    execFile(join(ROOT, 'node_modules', '.bin', tool), args, { cwd: ROOT }, (error, stdout, stderr) => {
      if (error) tally.failed(name, stdout + stderr || error.message);
      else tally.passed();
      resolve();
    });
  });
}

/** A process of its own, so that even a test that never yields can be ended and named. */
async function runTests(paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const tally = new Tally();
  tallies.push(tally);
  const reporter = new URL('./run/reporter.ts', import.meta.url).href;
  const flags = [`--test-reporter=${reporter}`, '--test-reporter-destination=stdout', '--test-force-exit'];
  const child = fork(join(ROOT, 'test', 'run', 'child.ts'), paths, {
    cwd: ROOT,
    execArgv: [...process.execArgv, ...flags],
  });

  const end = (why: string) => {
    tally.failed(tally.running, why);
    child.kill('SIGKILL');
  };
  const whole = setTimeout(end, WHOLE_RUN_MS, `the whole run took more than ${WHOLE_RUN_MS / 1000} s`);
  const silence = setTimeout(end, SILENCE_MS, `nothing happened for ${SILENCE_MS / 1000} s`);
  child.on('message', (message: Message) => {
    silence.refresh();
    tally.hear(message);
  });
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      clearTimeout(whole);
      clearTimeout(silence);
      const isCutShort = tally.filesEnded < paths.length || (code !== 0 && !tally.hasFailures);
      if (isCutShort && !child.killed) tally.failed(tally.running, `the test process ended with ${signal ?? code}`);
      resolve();
    });
  });
}
