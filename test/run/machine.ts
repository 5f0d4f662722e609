import { availableParallelism, loadavg } from 'node:os';

/** A machine that seems slower than this is not waited for any longer: then something else is wrong. */
const SLOWEST = 8;
/** Whoever has a watch looks at it at least this often while he runs: a longer gap is time in which the machine stood still. */
const LONGEST_GAP_MS = 1_000;

/** How many times longer than usual things may take now: so many processes wait for each processor. */
export const slowness = (): number => Math.min(SLOWEST, Math.max(1, (loadavg()[0] ?? 0) / availableParallelism()));

/**
 * Time as the machine gives it: where four processes wait for a processor, a second counts as a quarter. What has a bound
 * by this watch has about the same amount of work within it on an idle machine and on a busy one.
 */
export class FairWatch {
  #spent = 0;
  #lookedAt = performance.now();
  readonly #slowness: () => number;

  constructor(slownessNow = slowness) {
    this.#slowness = slownessNow;
  }

  /** Milliseconds since it was started, or since `restart`. Look often: time is weighed at each look. */
  read(): number {
    const now = performance.now();
    this.#spent += Math.min(now - this.#lookedAt, LONGEST_GAP_MS) / this.#slowness();
    this.#lookedAt = now;
    return this.#spent;
  }

  restart(): void {
    this.#spent = 0;
    this.#lookedAt = performance.now();
  }
}
