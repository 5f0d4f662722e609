import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { killAll, type Member, membersOf, signal, untilGone } from './family.ts';
import type { FileReport } from './file-report.ts';
import { FairWatch } from './machine.ts';
import { MARK, type Message, type Request } from './messages.ts';

/** All by the watch that follows the machine. */
export interface Bounds {
  /** A process that says nothing for so long hangs, unless it said what it waits for. */
  readonly silenceMs: number;
  /** What it started may take so long to leave after it. */
  readonly leaveMs: number;
}

export interface Ended {
  /** It did not end as it should. */
  readonly why: string | undefined;
  /** Errors that no running test could be blamed for. */
  readonly strays: readonly string[];
  /** What it left behind, and was killed. */
  readonly leftBehind: readonly Member[];
  /** What could not be killed. */
  readonly immortal: readonly Member[];
}

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url));
const REPORTER = new URL('./reporter.ts', import.meta.url).href;
const LOOK_EVERY_MS = 250;
/** Most of what a story makes is gone with it; without room for that, collecting it took a twelfth of the crash stories' time. */
const YOUNG = '--max-semi-space-size=64';
/** A story that waits tells in its own words that it waited in vain: it is given time for that. */
const LAST_WORDS_MS = 15_000;

interface Wait {
  readonly what: string;
  readonly ms: number;
  readonly watch: FairWatch;
}

/** One process that runs test files, and everything that those start. */
export class TestProcess {
  /** Why it is gone, or is to go. */
  #why: string | undefined;
  #report: FileReport | undefined;
  #fileEnded: (() => void) | undefined;
  readonly #strays: string[] = [];
  readonly #mark = randomUUID();
  readonly #folder: string;
  readonly #child: ChildProcess;
  readonly #gone: Promise<void>;
  readonly #bounds: Bounds;
  readonly #silence = new FairWatch();
  readonly #waits = new Map<number, Wait>();
  readonly #looking: NodeJS.Timeout;
  #isEnded = false;
  /** How many others ran when it was killed. */
  #others: Promise<number> | undefined;

  constructor(root: string, bounds: Bounds) {
    this.#bounds = bounds;
    this.#folder = mkdtempSync(join(tmpdir(), 'wherry-'));
    // The database may run as another user, who has to pass.
    chmodSync(this.#folder, 0o711);
    const outer = process.env[MARK];
    const mark = outer === undefined ? this.#mark : `${outer.replaceAll(':', '/')}/${this.#mark}`;
    this.#child = fork(CHILD, [this.#folder, mark], {
      cwd: root,
      env: { ...process.env, [MARK]: `${mark}:` },
      execArgv: [...nodeFlags(), YOUNG, `--test-reporter=${REPORTER}`, '--test-reporter-destination=stdout'],
      // A group of its own, so that it can be ended with all that stayed in it.
      detached: true,
    });
    this.#child.on('message', (message: Message) => this.#hear(message));
    this.#gone = new Promise((resolve) => {
      this.#child.once('exit', (code, by) => {
        this.#why ??= this.#isEnded ? undefined : `the test process ended with ${by ?? code}`;
        clearInterval(this.#looking);
        this.#fileEnded?.();
        resolve();
      });
    });
    this.#looking = setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  /** Resolves when the file has ended, or to the reason why it will not. */
  async run(report: FileReport): Promise<string | undefined> {
    this.#silence.restart();
    this.#waits.clear();
    const ended = new Promise<void>((resolve) => {
      this.#fileEnded = resolve;
    });
    this.#report = report;
    if (this.#why === undefined) this.#tell({ run: report.file });
    else this.#fileEnded?.();
    await ended;
    return this.#why;
  }

  /** It goes, with all that it started, and the file that it runs is told why. */
  kill(why: string): void {
    if (this.#why !== undefined) return;
    this.#why = why;
    this.#others = this.#countOthers();
    // The launcher of a sandbox is in the group; all else notices that those who started it are gone, or is swept away.
    void this.#others.finally(() => this.#child.pid && signal(-this.#child.pid, 'SIGKILL'));
  }

  /** After a good end what it started leaves by itself; what does not is killed and named. */
  async end(): Promise<Ended> {
    const { leaveMs } = this.#bounds;
    this.#silence.restart();
    this.#waits.clear();
    if (this.#why === undefined) this.#tell({ end: true });
    await this.#gone;
    const leftBehind = await untilGone(this.#mark, leaveMs);
    return { why: this.#why, strays: this.#strays, leftBehind, immortal: await this.#sweep() };
  }

  /** After `kill`, or after it broke: how many others went with it, and who could not be made to. */
  async clear(): Promise<{ readonly others: number; readonly immortal: readonly Member[] }> {
    await this.#gone;
    const others = await (this.#others ?? this.#countOthers());
    return { others, immortal: await this.#sweep() };
  }

  async #countOthers(): Promise<number> {
    const members = await membersOf(this.#mark);
    return members.filter(({ pid }) => pid !== this.#child.pid).length;
  }

  async #sweep(): Promise<readonly Member[]> {
    const immortal = await killAll(this.#mark, this.#bounds.leaveMs);
    if (immortal.length === 0) rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
    return immortal;
  }

  #tell(request: Request): void {
    this.#child.send(request, (error) => {
      // Its exit says more.
      if (error) this.#why ??= `the test process does not listen: ${error.message}`;
    });
  }

  #hear(message: Message): void {
    this.#silence.restart();
    if (message.kind === 'waiting') this.#waits.set(message.id, { ...message, watch: new FairWatch() });
    else if (message.kind === 'waited') this.#waits.delete(message.id);
    else if (message.kind === 'stray') this.#strays.push(message.error);
    else if (message.kind === 'ended') this.#isEnded = true;
    else this.#report?.hear(message);
    if (message.kind === 'file_ended') this.#fileEnded?.();
  }

  #look(): void {
    const silentMs = this.#silence.read();
    // Each of them is read: the watches weigh time at each look.
    const waiting = [...this.#waits.values()].filter(({ ms, watch }) => watch.read() < ms + LAST_WORDS_MS);
    if (silentMs < this.#bounds.silenceMs || waiting.length > 0) return;
    const what = [...this.#waits.values()].map((wait) => wait.what);
    const inVain = what.length > 0 ? `; it waited for ${what.join(', ')}` : '';
    this.kill(`nothing happened for ${(this.#bounds.silenceMs / 1000).toFixed(0)} s${inVain}`);
  }
}

/** What lets this process read TypeScript lets the next one. */
const nodeFlags = (): string[] => process.execArgv.filter((flag) => !flag.startsWith('--test'));
