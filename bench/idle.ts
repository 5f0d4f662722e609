/**
 * npm run bench:idle [-- --seconds N] [--settle N] [--simulated]
 * How soon a sandbox is ready, and what each of its processes burns while nobody wants anything of it, as Linux counts it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { nodesFound } from '../test/chaos/chaos.ts';
import { newDir, removeDir, startBox } from '../test/e2e/box.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    settle: { type: 'string', default: '20' },
    simulated: { type: 'boolean', default: false },
  },
});

const TICKS_PER_SECOND = 100;
const ROLES = ['signer', 'engine', 'api'];

interface Process {
  readonly parent: number;
  readonly ticks: number;
  readonly name: string;
}

/** Fields are counted behind the name, which may hold anything: state, parent, … user and system time from the twelfth on. */
function processOf(pid: string): Process | undefined {
  try {
    const [, behind = ''] = /\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    const fields = behind.split(' ').map(Number);
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    const role = words.find((word) => ROLES.includes(word));
    const name = role ?? words[0]?.split('/').at(-1)?.split(' ')[0]?.replace(/:$/, '') ?? pid;
    return { parent: fields[1] ?? 0, ticks: (fields[11] ?? 0) + (fields[12] ?? 0), name };
  } catch {
    return undefined;
  }
}

/** What the sandbox and all below it have used so far, by name. */
function used(root: number): ReadonlyMap<string, number> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const all = new Map(pids.flatMap((pid) => [[Number(pid), processOf(pid)] as const]));
  const isBelow = (pid: number): boolean => {
    const one = all.get(pid);
    return pid === root || (one !== undefined && one.parent > 1 && isBelow(one.parent));
  };
  const sums = new Map<string, number>();
  for (const [pid, one] of all) {
    if (!one || !isBelow(pid)) continue;
    const name = pid === root ? 'the sandbox itself' : one.name;
    sums.set(name, (sums.get(name) ?? 0) + one.ticks);
  }
  return sums;
}

const dir = newDir();
const box = await startBox(dir, ...(values.simulated ? [] : nodesFound()));
try {
  console.log(/^Ready after.*? s\./m.exec(box.output())?.[0]);
  await pause(Number(values.settle) * 1_000);
  const [before, since] = [used(box.info.pid), performance.now()];
  await pause(Number(values.seconds) * 1_000);
  const seconds = (performance.now() - since) / 1_000;
  const shares = [...used(box.info.pid)].map(([name, ticks]) => {
    const share = (ticks - (before.get(name) ?? 0)) / TICKS_PER_SECOND / seconds;
    return [name, share] as const;
  });
  console.log(`Of one core over ${seconds.toFixed(0)} s, load ${loadavg()[0]?.toFixed(1)}:`);
  for (const [name, share] of shares.sort(([, a], [, b]) => b - a))
    console.log(`  ${name.padEnd(24)} ${(100 * share).toFixed(1).padStart(6)} %`);
} finally {
  await box.end('SIGTERM');
  removeDir(dir);
}
