import { readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandLine } from '../command-lines.ts';

const STOP_WITHIN_MS = 10_000;
const PROBE_EVERY_MS = 20;

/** Directories of throw-away servers are called this, followed by the pid of the process they belong to. */
export const TEST_PREFIX = 'wherry-test-postgres-';

/** A server may outlive an owner that was killed. It is ended; one whose owner lives is left alone, and we give up. */
export async function endLeftover(dir: string): Promise<void> {
  const lockFile = join(dir, 'data', 'postmaster.pid');
  const server = await pidIn(lockFile);
  if (server === undefined) return;
  if (!(await isServing(server, dir))) {
    // The pid may be somebody else's by now, which PostgreSQL itself would take for a running server.
    if (isAlive(server)) await rm(lockFile, { force: true });
    return;
  }
  const owner = await pidIn(join(dir, 'owner'));
  if (owner !== undefined && owner !== process.pid && isAlive(owner)) {
    throw new Error(`${dir} is in use by process ${owner}`);
  }
  process.kill(server, 'SIGINT');
  for (let waited = 0; await isServing(server, dir); waited += PROBE_EVERY_MS) {
    if (waited > STOP_WITHIN_MS) throw new Error(`PostgreSQL in ${dir} (process ${server}) does not stop`);
    await sleep(PROBE_EVERY_MS);
  }
}

/** Of runs that were killed. */
export async function removeTestLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = Number.parseInt(name.startsWith(TEST_PREFIX) ? name.slice(TEST_PREFIX.length) : '', 10);
    if (!(owner > 0) || isAlive(owner)) continue;
    await endLeftover(join(tmpdir(), name));
    await rm(join(tmpdir(), name), { recursive: true, force: true });
  }
}

async function pidIn(file: string): Promise<number | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return pid > 0 ? pid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The pid may be somebody else's by now. */
const isServing = async (pid: number, dir: string): Promise<boolean> => (await commandLine(pid)).includes(dir);
