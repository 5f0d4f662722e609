import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type HangWatch, watchForHang } from './hang-watch.ts';
import { ROOT } from './root.ts';

export const ROLES = ['signer', 'engine', 'api'] as const;
export type Role = (typeof ROLES)[number];

export interface SupervisorOptions {
  /** The program that takes the role as its argument; plain JavaScript. */
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  /** The database as each role logs in to it, where it is not as the settings say. */
  readonly databases?: Readonly<Partial<Record<Role, string>>>;
  readonly logs: string;
  /** A role ended although nobody asked it to, or hangs, and is started again. `why` is the verb and the reason. */
  readonly onRestart?: (role: Role, why: string) => void;
}

export interface Supervisor {
  start(role: Role): void;
  /** undefined while the role is between two lives. */
  pid(role: Role): number | undefined;
  /** How often the role ended by itself or by a kill. */
  restarts(role: Role): number;
  /** Signals the role; false if it is between two lives. */
  kill(role: Role, signal: NodeJS.Signals): boolean;
  /** The end of what the role wrote, for an error message. */
  tail(role: Role): string;
  /** Callers first: the API, then the engine, then the signer. */
  stop(): Promise<void>;
}

/** The whole box has to fit on a small computer. With less, an idle engine spends most of its time on young garbage. */
const SMALL = ['--max-semi-space-size=8'];
const LEASH = join(ROOT, 'sandbox/leash.mjs');
const LEASH_FD = 3;
/** A role that lived this long was well, and starts again at once; one that did not waits ever longer, to the last step. */
const HEALTHY_MS = 5_000;
const BACKOFF_MS = [0, 100, 250, 500, 1_000, 2_000] as const;
const STOP_WITHIN_MS = 5_000;
/** The leash brings a sign of life every second. No work of a role keeps its event loop for so long, however slow the machine. */
const SILENCE = { everyMs: 1_000, ticks: 20 };
const HANGS = `hangs (no sign of life for ${(SILENCE.everyMs * SILENCE.ticks) / 1000} s)`;
const TAIL_CHARS = 2_000;

export function supervise(options: SupervisorOptions): Supervisor {
  const lives = new Map<Role, Life>();
  return {
    start(role) {
      if (!lives.has(role)) lives.set(role, new Life(role, options));
    },
    pid: (role) => lives.get(role)?.pid,
    restarts: (role) => lives.get(role)?.restarts ?? 0,
    kill: (role, signal) => lives.get(role)?.kill(signal) ?? false,
    tail: (role) => tailOf(logFile(options, role)),
    async stop() {
      for (const role of [...ROLES].reverse()) await lives.get(role)?.stop();
    },
  };
}

const logFile = (options: SupervisorOptions, role: Role) => join(options.logs, `${role}.log`);

/** One role through all its processes. */
class Life {
  restarts = 0;
  readonly #role: Role;
  readonly #options: SupervisorOptions;
  #child: ChildProcess | undefined;
  #pause: NodeJS.Timeout | undefined;
  #quickEnds = 0;
  #wanted = true;

  constructor(role: Role, options: SupervisorOptions) {
    this.#role = role;
    this.#options = options;
    this.#begin();
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  kill(signal: NodeJS.Signals): boolean {
    return this.#child?.kill(signal) ?? false;
  }

  async stop(): Promise<void> {
    this.#wanted = false;
    clearTimeout(this.#pause);
    const child = this.#child;
    if (!child) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
    await gone;
    clearTimeout(timer);
  }

  #begin(): void {
    const log = openSync(logFile(this.#options, this.#role), 'a');
    const bornAt = performance.now();
    // Its own group, so that Ctrl-C reaches the sandbox alone; the fourth descriptor is the leash.
    const child = spawn(
      process.execPath,
      [...SMALL, '--enable-source-maps', '--import', LEASH, this.#options.program, this.#role],
      {
        env: { ...process.env, ...this.#options.env, ...this.#database() },
        stdio: ['ignore', log, log, 'pipe'],
        detached: true,
      },
    );
    closeSync(log);
    this.#child = child;
    let hangs = false;
    const endWatch = watchSigns(child.stdio[LEASH_FD] as Readable, () => {
      hangs = true;
      child.kill('SIGKILL');
    });
    let ended = false;
    const end = (why: string) => {
      if (ended) return;
      ended = true;
      endWatch();
      this.#child = undefined;
      if (this.#wanted) this.#again(hangs ? HANGS : `ended (${why})`, performance.now() - bornAt);
    };
    child.once('error', (error) => end(error.message));
    child.once('exit', (code, signal) => end(signal ?? `exit code ${code}`));
  }

  #database(): Readonly<Record<string, string>> {
    const url = this.#options.databases?.[this.#role];
    return url === undefined ? {} : { DATABASE_URL: url };
  }

  #again(why: string, livedMs: number): void {
    this.restarts += 1;
    this.#quickEnds = livedMs < HEALTHY_MS ? this.#quickEnds + 1 : 0;
    this.#options.onRestart?.(this.#role, why);
    const step = Math.min(this.#quickEnds, BACKOFF_MS.length - 1);
    this.#pause = setTimeout(() => this.#begin(), BACKOFF_MS[step] ?? 0);
  }
}

/** From the first sign on: until then the role may still be loading. */
function watchSigns(leash: Readable, hangs: () => void): () => void {
  let watch: HangWatch | undefined;
  leash.on('error', () => undefined);
  leash.on('data', () => {
    watch ??= watchForHang({ ...SILENCE, hangs });
    watch.heard();
  });
  return () => watch?.end();
}

function tailOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').slice(-TAIL_CHARS).trim();
  } catch {
    return '';
  }
}
