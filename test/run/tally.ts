import type { Message } from './reporter.ts';

/** Counts what happened in one process and says it. */
export class Tally {
  readonly #failures: string[] = [];
  readonly #leftOut: string[] = [];
  #passed = 0;
  #filesEnded = 0;
  #file = '';
  #running = '';
  #failedInFile = 0;
  #passedInFile = 0;

  get hasFailures(): boolean {
    return this.#failures.length > 0;
  }

  get filesEnded(): number {
    return this.#filesEnded;
  }

  /** The test that began last, for the report on a run that stands still. */
  get running(): string {
    return this.#running;
  }

  passed(): void {
    this.#passed += 1;
    this.#passedInFile += 1;
  }

  failed(name: string, error: string): void {
    this.#failures.push(`${name}\n${error.replace(/^/gm, '    ')}`);
    this.#failedInFile += 1;
  }

  hear(message: Message): void {
    if (message.kind === 'started') {
      if (message.nesting === 0) this.#beginFile(message.name);
      this.#running = message.nesting === 0 ? message.name : `${this.#file}: ${message.name}`;
    }
    if (message.kind === 'passed') this.passed();
    if (message.kind === 'failed') this.failed(`${this.#file}: ${message.name}`, message.error);
    if (message.kind === 'stray') this.failed('a test that had ended', message.error);
    if (message.kind === 'left_out') this.#leftOut.push(`${this.#file}: ${message.name} (${message.why})`);
    if (message.kind === 'file_ended') this.#endFile(message.name, message.ms);
  }

  #beginFile(name: string): void {
    this.#file = name;
    this.#failedInFile = 0;
    this.#passedInFile = 0;
  }

  #endFile(name: string, ms: number): void {
    this.#filesEnded += 1;
    const failed = this.#failedInFile > 0 ? `, ${this.#failedInFile} FAILED` : '';
    console.log(`${name}: ${this.#passedInFile} passed${failed} (${(ms / 1000).toFixed(1)} s)`);
  }

  /** The closing line stands alone at the very end, for people and scripts to read. */
  static print(all: readonly Tally[]): void {
    const failures = all.flatMap((one) => one.#failures);
    const leftOut = all.flatMap((one) => one.#leftOut);
    const passed = all.reduce((sum, one) => sum + one.#passed, 0);
    for (const failure of failures) console.log(`\nFAILED ${failure}`);
    if (leftOut.length > 0) console.log(`\nleft out:\n${leftOut.map((line) => `  ${line}`).join('\n')}`);
    const skipped = leftOut.length > 0 ? `, ${leftOut.length} skipped` : '';
    console.log(`\n${passed} passed, ${failures.length} failed${skipped}`);
  }
}
