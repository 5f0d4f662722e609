import type { Message } from './messages.ts';

interface Known {
  readonly name: string;
  readonly nesting: number;
  state: 'queued' | 'running' | 'over';
  /** Of one that is over: why it failed. */
  error: string | undefined;
}

export interface Failure {
  readonly name: string;
  readonly error: string;
}

/** What is known of one file: what came of its tests, and which of them are still to come. */
export class FileReport {
  readonly file: string;
  readonly failures: Failure[] = [];
  readonly leftOut: string[] = [];
  passed = 0;
  ms: number | undefined;
  isBegun = false;
  #known: Known[] = [];

  constructor(file: string) {
    this.file = file;
  }

  hear(message: Message): void {
    if (message.kind === 'begun') this.isBegun = true;
    if (message.kind === 'file_ended') this.ms = message.ms;
    if (!('nesting' in message)) return;
    const { kind, name, nesting } = message;
    if (kind === 'queued') this.#known.push({ name, nesting, state: 'queued', error: undefined });
    if (kind === 'started') this.#move(message, 'queued', 'running');
    if (kind === 'over') this.#move(message, 'running', 'over', message.error);
    if (kind === 'passed') this.passed += 1;
    if (kind === 'failed') this.#fail(name, nesting, message.error);
    if (kind === 'left_out') this.leftOut.push(`${this.#named(name, nesting)} (${message.why})`);
    const isTold = kind === 'passed' || kind === 'failed' || kind === 'left_out' || kind === 'counted_inside';
    if (isTold) this.#known = without(this.#known, name, nesting);
  }

  /** The file will not go on: what had not ended is failed, what had not begun is failed and named, and nothing is lost. */
  cutShort(why: string): void {
    const tests = this.#known.filter(({ nesting }) => nesting > 0);
    const running = tests.filter(({ state }) => state === 'running');
    const innermost = Math.max(0, ...running.map(({ nesting }) => nesting));
    const isLoaded = this.passed + this.failures.length + this.leftOut.length + tests.length > 0;
    if (running.length === 0) this.#fail(this.file, 0, isLoaded ? why : `none of its tests was run: ${why}`);
    for (const { name, nesting, state, error } of tests) {
      if (state === 'over' && error === undefined) this.passed += 1;
      else if (state === 'over') this.#fail(name, nesting, error ?? '');
      else if (state === 'queued') this.#fail(name, nesting, `was not run: ${why}`);
      else this.#fail(name, nesting, nesting < innermost ? `was not finished: ${why}` : why);
    }
    this.#known = [];
  }

  #fail(name: string, nesting: number, error: string): void {
    this.failures.push({ name: this.#named(name, nesting), error });
  }

  /** The suite that is the file has the file's name. */
  #named(name: string, nesting: number): string {
    return nesting === 0 ? this.file : `${this.file}: ${name}`;
  }

  #move({ name, nesting }: Pick<Known, 'name' | 'nesting'>, from: Known['state'], to: Known['state'], error?: string) {
    const found = this.#known.find((one) => one.name === name && one.nesting === nesting && one.state === from);
    if (!found) return;
    found.state = to;
    found.error = error;
  }
}

/** Two tests may have one name: only the first that is over goes. */
function without(known: readonly Known[], name: string, nesting: number): Known[] {
  const isIt = (one: Known) => one.name === name && one.nesting === nesting;
  const at = known.findIndex((one) => isIt(one) && one.state === 'over');
  const place = at >= 0 ? at : known.findIndex(isIt);
  return known.filter((_, index) => index !== place);
}
