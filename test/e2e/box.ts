import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SandboxInfo } from '../../sandbox/sandbox.ts';
import { type Bound, patiently } from '../run/patience.ts';

const MAIN = fileURLToPath(new URL('../../sandbox/main.mjs', import.meta.url));
/** Many times what it takes on a free machine; longer where the machine is busy. */
const READY_WITHIN_MS = 90_000;

export interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** A whole sandbox in a process of its own, as a newcomer starts it, and the three doors that it opens. */
export interface Box {
  readonly info: SandboxInfo;
  readonly dir: string;
  /** All that it printed. */
  output(): string;
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  operator(method: string, path: string, body?: unknown): Promise<Reply>;
  control(method: string, path: string, body?: unknown): Promise<Reply>;
  /** Sends the signal and waits for the end; gives the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export const newDir = (): string => mkdtempSync(join(tmpdir(), 'wherry-box-'));
export const removeDir = (dir: string): void => rmSync(dir, { recursive: true, force: true });

export async function startBox(dir: string, ...flags: string[]): Promise<Box> {
  const portBase = await threeFreePorts();
  const nodes = flags.includes('--real') ? [] : ['--simulated'];
  const { child, output, ended } = launch(...nodes, '--dir', dir, '--port-base', `${portBase}`, ...flags);
  await patiently('a sandbox', READY_WITHIN_MS, (bound) => ready(child, output, bound));
  const info = JSON.parse(readFileSync(join(dir, 'sandbox.json'), 'utf8')) as SandboxInfo;
  return {
    info,
    dir,
    output,
    api: (method, path, body, headers) => ask(info.apiUrl, method, path, body, headers),
    operator: (method, path, body) =>
      ask(info.operatorUrl, method, path, body, { authorization: `Bearer ${info.operatorToken}` }),
    control: (method, path, body) => ask(info.controlUrl, method, path, body),
    async end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** Starts the sandbox's program with these flags; for the stories in which it refuses. */
export function launch(...flags: string[]): {
  child: ChildProcess;
  output: () => string;
  ended: Promise<number | null>;
} {
  const child = spawn(process.execPath, [MAIN, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Whoever ends takes his sandbox along: by this signal, or by the end of the group that both belong to.
  const takeAlong = () => child.kill('SIGTERM');
  process.once('exit', takeAlong);
  child.once('close', () => process.off('exit', takeAlong));
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  }
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, output: () => text, ended };
}

function ready(child: ChildProcess, output: () => string, { signal }: Bound): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (what: string) => {
      child.kill('SIGTERM');
      reject(new Error(`the sandbox ${what}:\n${output()}`));
    };
    signal.addEventListener('abort', () => fail('is not ready'), { once: true });
    child.once('exit', () => fail('ended'));
    child.stdout?.on('data', () => {
      if (!/^Ready after/m.test(output())) return;
      child.removeAllListeners('exit');
      resolve();
    });
  });
}

async function ask(base: string, method: string, path: string, body?: unknown, headers = {}): Promise<Reply> {
  const reply = await fetch(base + path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  return { status: reply.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
}

const FIRST_PORT = 20_000;
const LAST_PORT = 29_997;

export async function threeFreePorts(): Promise<number> {
  for (;;) {
    const base = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT));
    const free = await Promise.all([base, base + 1, base + 2].map(isFree));
    if (free.every(Boolean)) return base;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
