import type { Member } from './family.ts';
import { FileReport } from './file-report.ts';
import type { Tally } from './tally.ts';
import { type Bounds, TestProcess } from './test-process.ts';

/** Files that share a process, in this order. */
export interface Batch {
  readonly files: readonly string[];
  /** They share a sandbox as well: whoever fails may leave it in disorder, so that those after it get another one. */
  readonly isFreshAfterFailure?: boolean;
}

export interface BatchRun {
  readonly root: string;
  readonly bounds: Bounds;
  readonly tally: Tally;
  /** Nothing is begun after it, and what runs is ended; its reason says why. */
  readonly signal: AbortSignal;
}

/** A file that hangs or breaks its process costs itself only: the rest is run in the next process. */
export async function runBatch({ files, isFreshAfterFailure = false }: Batch, run: BatchRun): Promise<void> {
  const { tally, signal } = run;
  let current: TestProcess | undefined;
  /** The last file that the current process has ended. */
  let last: string | undefined;
  const stop = () => current?.kill(String(signal.reason));
  const end = async () => {
    if (current && last !== undefined) await endProcess(current, last, tally);
    [current, last] = [undefined, undefined];
  };
  signal.addEventListener('abort', stop);
  const waiting = [...files];
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    if (signal.aborted) {
      tally.failed(file, `was not run: ${signal.reason}`);
      continue;
    }
    current ??= new TestProcess(run.root, run.bounds);
    const report = new FileReport(file);
    const why = await current.run(report);
    if (why === undefined) last = file;
    else {
      const { others, immortal } = await current.clear();
      tellImmortal(immortal, file, tally);
      const whole = others === 0 ? why : `${why} (it was ended with the ${others} processes that it had started)`;
      current = undefined;
      if (last !== undefined && !report.isBegun) {
        tally.failed(last, `its process broke after its last test: ${whole}`);
        waiting.unshift(file);
        last = undefined;
        continue;
      }
      last = undefined;
      report.cutShort(whole);
    }
    tally.add(report);
    if (isFreshAfterFailure && report.failures.length > 0) await end();
  }
  await end();
  signal.removeEventListener('abort', stop);
}

async function endProcess(process: TestProcess, last: string, tally: Tally): Promise<void> {
  const { why, strays, leftBehind, immortal } = await process.end();
  if (why !== undefined) tally.failed(last, `its process did not end: ${why}`);
  for (const error of strays) tally.failed('a test that had ended', error);
  for (const { pid, command, file } of leftBehind)
    tally.failed(file || last, `left a process behind, which was ended: ${pid} ${command}`);
  tellImmortal(immortal, last, tally);
}

function tellImmortal(immortal: readonly Member[], last: string, tally: Tally): void {
  for (const { pid, command, file } of immortal) tally.cannotEnd(file || last, `${pid} ${command}`);
}
