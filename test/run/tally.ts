import type { FileReport } from './file-report.ts';

/** Counts what happened in the whole run and says it. */
export class Tally {
  readonly #failures: string[] = [];
  readonly #leftOut: string[] = [];
  readonly #say: (line: string) => void;
  #passed = 0;
  #isAnybodyLeft = false;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  get hasFailures(): boolean {
    return this.#failures.length > 0;
  }

  passed(): void {
    this.#passed += 1;
  }

  failed(name: string, error: string): void {
    this.#failures.push(`${name}\n${error.replace(/^/gm, '    ')}`);
  }

  cannotEnd(name: string, what: string): void {
    this.failed(name, `started a process that cannot be ended: ${what}`);
    this.#isAnybodyLeft = true;
  }

  add({ file, passed, failures, leftOut, ms }: FileReport): void {
    this.#passed += passed;
    this.#leftOut.push(...leftOut);
    for (const { name, error } of failures) this.failed(name, error);
    const failed = failures.length > 0 ? `, ${failures.length} FAILED` : '';
    this.#say(`${file}: ${passed} passed${failed} (${ms === undefined ? 'cut short' : `${(ms / 1000).toFixed(1)} s`})`);
  }

  /** The closing line stands alone at the very end, for people and scripts to read. */
  print(): void {
    for (const failure of this.#failures) this.#say(`\nFAILED ${failure}`);
    if (this.#leftOut.length > 0) this.#say(`\nleft out:\n${this.#leftOut.map((line) => `  ${line}`).join('\n')}`);
    if (!this.#isAnybodyLeft) this.#say('\nno process of the tests is left');
    const skipped = this.#leftOut.length > 0 ? `, ${this.#leftOut.length} skipped` : '';
    this.#say(`\n${this.#passed} passed, ${this.#failures.length} failed${skipped}`);
  }
}
