import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { commandLines } from './command-lines.ts';
import { type Places, readJson, writeJson } from './files.ts';
import { signalGroup } from './process.ts';

/** How long the other one, if it is there, may take to say so. */
const ANSWER_WITHIN_MS = 2_000;

interface PidFile {
  readonly pid: number;
  readonly controlPort: number;
}

/** A start may wipe what it finds, so it must not begin in a directory of somebody else. */
export function expectOurs(at: Places): void {
  const isOurs = existsSync(at.pid) || existsSync(at.secrets);
  if (!isOurs && existsSync(at.dir) && readdirSync(at.dir).length > 0) {
    throw new Error(`${at.dir} holds something else; --dir takes an empty directory, or one of a sandbox.`);
  }
}

/**
 * One sandbox per directory. A pid alone proves nothing, for it may be somebody else's by now: the other one must also
 * answer for itself on its control port, which it opens before it claims the directory.
 */
export async function expectAlone(at: Places): Promise<void> {
  const other = readJson(at.pid) as PidFile | undefined;
  if (other && (await answers(other))) {
    throw new Error(
      `A sandbox runs in ${at.dir} already (process ${other.pid}); stop it first, or take another --dir.`,
    );
  }
}

/** A sandbox that was killed leaves its addresses behind, and whoever waits for the next one must not read them. */
export function forgetLastInfo(at: Places): void {
  rmSync(at.info, { force: true });
}

export function claimDirectory(at: Places, controlPort: number): void {
  writeJson(at.pid, { pid: process.pid, controlPort } satisfies PidFile);
}

export function leaveDirectory(at: Places): void {
  rmSync(at.info, { force: true });
  rmSync(at.pid, { force: true });
}

/** Nodes of a sandbox that was killed write down what they know before they go. A wallet of Monero now and then hangs after it has. */
const GONE_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 100;
const NODES = ['anvil', 'anvil.exe', 'evm-simulator', 'monerod', 'monero-wallet-rpc', 'bitcoind', 'litecoind'];

export async function untilLeftoversEnd(at: Places, withinMs = GONE_WITHIN_MS): Promise<void> {
  for (let waited = 0; waited < withinMs; waited += LOOK_EVERY_MS) {
    if ((await nodesIn(at.chains)).length === 0) return;
    await pause(LOOK_EVERY_MS);
  }
  for (const pid of await nodesIn(at.chains)) signalGroup(pid, 'SIGKILL');
}

/** Whoever else looks into the folder, such as a pager, is none of ours. */
async function nodesIn(folder: string): Promise<readonly number[]> {
  return [...(await commandLines())].flatMap(([pid, command]) => {
    const [program = ''] = command.split(/[\0 ]/);
    return command.includes(folder) && NODES.includes(basename(program)) ? [pid] : [];
  });
}

async function answers({ pid, controlPort }: PidFile): Promise<boolean> {
  try {
    const reply = await fetch(`http://127.0.0.1:${controlPort}/sandbox/info`, {
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    return ((await reply.json()) as { pid?: unknown }).pid === pid;
  } catch {
    return false;
  }
}

/** The service binds these two later; better to say now that it cannot. */
export async function expectFree(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    throw portProblem(port, error);
  }
  server.close();
  await once(server, 'close');
}

export function portProblem(port: number, error: unknown): Error {
  const inUse = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
  const why = inUse ? 'is in use' : `cannot be opened (${(error as Error).message})`;
  return new Error(`Port ${port} ${why}; --port-base N moves all three ports.`);
}
