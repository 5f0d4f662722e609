import { spawn, spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { createServer, Socket } from 'node:net';
import { delimiter, join } from 'node:path';

export interface Command {
  /** How error messages call it. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Beside what this process has. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The signal on which it closes its files and leaves; it is killed if it has not gone after `stopWithinMs`. */
  readonly stopSignal?: NodeJS.Signals;
  readonly stopWithinMs?: number;
  /** Started by root, run by somebody else (Linux). */
  readonly user?: OtherUser | undefined;
}

export interface OtherUser {
  readonly uid: number;
  readonly gid: number;
  /** Lets him pass directories that are closed to him. */
  readonly entersAll: boolean;
}

export interface ProcessOptions extends Command {
  /** A pattern awaited in the output, or a probe asked again and again until it says yes. */
  readonly ready: RegExp | (() => Promise<boolean>);
  readonly readyWithinMs: number;
}

export interface RunningProcess {
  readonly pid: number;
  /** The last lines it wrote, for an error message. */
  tail(): string;
  /** Resolves when it has gone, to its exit code; undefined if a signal ended it or it never ran. */
  readonly exited: Promise<number | undefined>;
  stop(): Promise<void>;
}

const TAIL_CHARS = 4_000;
const PROBE_EVERY_MS = 50;

/** Resolves when the process is ready. If it dies or is not ready in time, it is gone when this rejects. */
export async function startProcess(options: ProcessOptions): Promise<RunningProcess> {
  const running = launch(options);
  try {
    await untilReady(running, options);
  } catch (error) {
    await running.stop();
    throw error;
  }
  return running;
}

/** Whether such a program is installed. */
export function onPath(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Runs a command to its end, which must be a good one. */
export async function runCommand(command: Command, withinMs: number): Promise<void> {
  const running = launch(command);
  const timer = setTimeout(() => void running.stop(), withinMs);
  const code = await running.exited;
  clearTimeout(timer);
  if (code !== 0) throw new Error(`${command.name} failed:\n${running.tail()}`);
}

/** A port that was free a moment ago. Somebody else may take it first, so a starter must cope with "in use". */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('a listening socket without a port');
  return address.port;
}

interface Launched extends RunningProcess {
  hasEnded(): boolean;
  /** Resolves at the next output, at the end or after `withinMs`, whichever comes first. */
  somethingHappens(withinMs: number): Promise<void>;
}

function launch(options: Command): Launched {
  const { stopSignal = 'SIGTERM', stopWithinMs = 5_000 } = options;
  const [command, ...args] = commandLine(options);
  // A group of its own: Ctrl-C reaches us alone, and we stop what we started in our own order.
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const pid = child.pid ?? 0;
  const news = new EventEmitter();
  let output = '';
  let ended = false;

  const signal = (name: NodeJS.Signals) => {
    if (!ended && pid > 0) signalGroup(pid, name);
  };
  const stopAtExit = () => signal(stopSignal);
  const hear = (text: string) => {
    output = (output + text).slice(-TAIL_CHARS);
    news.emit('news');
  };
  const exited = new Promise<number | undefined>((resolve) => {
    const end = (why: string, code?: number) => {
      ended = true;
      stopAtOurEnd.delete(stopAtExit);
      hear(`(${why})\n`);
      resolve(code);
    };
    child.once('error', (error) => end(error.message));
    child.once('close', (code, by) => end(`ended: ${by ?? code}`, code ?? undefined));
  });

  // Neither the child nor its pipes keep our event loop going: a finished test ends although its database runs.
  child.unref();
  for (const pipe of [child.stdout, child.stderr]) {
    pipe.setEncoding('utf8').on('data', hear);
    if (pipe instanceof Socket) pipe.unref();
  }
  stopAtOurEnd.add(stopAtExit);
  watchOurEnd();

  return {
    pid,
    exited,
    tail: () => output.trim(),
    hasEnded: () => ended,
    somethingHappens: (withinMs) =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          news.off('news', done);
          resolve();
        };
        const timer = setTimeout(done, withinMs);
        news.once('news', done);
      }),
    async stop() {
      signal(stopSignal);
      const timer = setTimeout(() => signal('SIGKILL'), stopWithinMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

async function untilReady(running: Launched, { name, ready, readyWithinMs }: ProcessOptions): Promise<void> {
  const deadline = performance.now() + readyWithinMs;
  for (;;) {
    if (running.hasEnded()) throw new Error(`${name} ended before it was ready:\n${running.tail()}`);
    if (ready instanceof RegExp ? ready.test(running.tail()) : await ready()) return;
    const left = deadline - performance.now();
    if (left <= 0) throw new Error(`${name} was not ready within ${readyWithinMs} ms:\n${running.tail()}`);
    await running.somethingHappens(ready instanceof RegExp ? left : PROBE_EVERY_MS);
  }
}

export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It left between our look and our signal.
  }
}

let hasSetpriv: boolean | undefined;

/**
 * Linux signals a child when its parent dies, even by kill -9, if `setpriv` (util-linux) asked for it; the same tool
 * changes the user. Elsewhere the exit hook below must do, and the starters look for leftovers when they start.
 */
function commandLine({ name, command, args, stopSignal = 'SIGTERM', user }: Command): [string, ...string[]] {
  hasSetpriv ??= spawnSync('setpriv', ['--pdeathsig', 'SIGTERM', 'true']).status === 0;
  if (!hasSetpriv && user) throw new Error(`${name} must not run as root, and there is no setpriv to change the user`);
  if (!hasSetpriv) return [command, ...args];
  const who = user ? [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : [];
  const rights = user?.entersAll ? ['--inh-caps=+dac_override', '--ambient-caps=+dac_override'] : [];
  return ['setpriv', '--pdeathsig', stopSignal, ...who, ...rights, '--', command, ...args];
}

const stopAtOurEnd = new Set<() => void>();
let watching = false;

function watchOurEnd(): void {
  if (watching) return;
  watching = true;
  const stopAll = () => {
    for (const stop of stopAtOurEnd) stop();
  };
  process.on('exit', stopAll);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const onSignal = () => {
      // Whoever else listens to this signal stops the children in the order that he needs.
      if (process.listenerCount(signal) > 1) return;
      stopAll();
      process.off(signal, onSignal);
      process.kill(process.pid, signal);
    };
    process.on(signal, onSignal);
  }
}
