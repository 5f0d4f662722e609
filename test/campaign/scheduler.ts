import { createHash } from 'node:crypto';
import type { Chance } from './random.ts';

/** One process of the desk, or `world`: what dies together. */
export interface Process {
  readonly name: string;
  isDead: boolean;
}

export const WORLD: Process = { name: 'world', isDead: false };

interface Waiting {
  readonly process: Process;
  readonly name: string;
  act(): Promise<void>;
}

interface Timer {
  readonly due: number;
  readonly seq: number;
  fire(): void;
}

const realImmediate = setImmediate;
let inNextTurn = 0;

/** In place of `setImmediate`: nothing is given its turn while somebody waits for the next one of the loop. */
export function soon(act: (...parts: unknown[]) => void, ...parts: unknown[]): NodeJS.Immediate {
  inNextTurn += 1;
  return realImmediate(() => {
    inNextTurn -= 1;
    act(...parts);
  });
}

/** Everything that can go on without an answer from outside has gone on. */
async function settled(): Promise<void> {
  do await new Promise((resolve) => realImmediate(resolve));
  while (inNextTurn > 0);
}

/**
 * Decides what happens next. Whatever leaves a process waits here, one thing happens at a time, chance says which, and time
 * passes only while nothing waits: the same chance gives the same history.
 */
export class Scheduler {
  readonly #chance: Chance;
  readonly #log = createHash('sha256');
  #waiting: Waiting[] = [];
  readonly #timers: Timer[] = [];
  #seq = 0;
  #now: number;
  /** What the clock on the wall shows may be wrong by so much. */
  skew = 0;
  steps = 0;
  /** Told of every line of the history, where somebody reads it. */
  onLine: ((line: string) => void) | undefined;

  constructor(chance: Chance, start: number) {
    this.#chance = chance;
    this.#now = start;
  }

  get now(): number {
    return this.#now;
  }

  /** As the desk reads it. */
  get wall(): number {
    return this.#now + this.skew;
  }

  note(line: string): void {
    const whole = `${this.#now} ${line}`;
    this.#log.update(whole).update('\n');
    this.onLine?.(whole);
  }

  /** Of all that happened. */
  hash(): string {
    return this.#log.copy().digest('hex').slice(0, 32);
  }

  /** Leaves a process: answered when its turn comes; never, where the process is dead by then. */
  call<T>(process: Process, name: string, act: () => Promise<T>): Promise<T> {
    if (process.isDead) return never();
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        process,
        name,
        act: async () => {
          try {
            const answer = await act();
            if (!process.isDead) resolve(answer);
          } catch (error) {
            if (!process.isDead) reject(error as Error);
          }
        },
      });
    });
  }

  /** Something in the world that takes real time: all else waits until it is over. */
  outside<T>(name: string, act: () => Promise<T>): Promise<T> {
    return this.call(WORLD, name, act);
  }

  after(ms: number, fire: () => void): { cancel(): void } {
    this.#seq += 1;
    const timer: Timer = { due: this.#now + Math.max(0, ms), seq: this.#seq, fire };
    const at = this.#timers.findIndex(({ due }) => due > timer.due);
    this.#timers.splice(at === -1 ? this.#timers.length : at, 0, timer);
    return {
      cancel: () => {
        const where = this.#timers.indexOf(timer);
        if (where >= 0) this.#timers.splice(where, 1);
      },
    };
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  /** Until this is true, or until that time. */
  async run(isOver: () => boolean, until: number): Promise<void> {
    for (;;) {
      await settled();
      if (isOver()) return;
      this.#waiting = this.#waiting.filter(({ process }) => !process.isDead);
      if (this.#waiting.length > 0) {
        const [next] = this.#waiting.splice(this.#chance.below(this.#waiting.length), 1);
        if (!next) continue;
        this.steps += 1;
        this.note(`${next.process.name} ${next.name}`);
        await next.act();
        continue;
      }
      const timer = this.#timers.shift();
      if (!timer || timer.due > until) return;
      this.#now = Math.max(this.#now, timer.due);
      timer.fire();
    }
  }

  /** Nothing of what was under way goes on. */
  drop(): void {
    this.#waiting = [];
    this.#timers.length = 0;
  }
}

/** Whoever waits for a dead process waits for ever. */
export const never = <T>(): Promise<T> => new Promise(() => {});
