import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../src/kernel/fault.ts';

/** Change is locked for some blocks: a customer who pays often has to wait for it now and then. */
const UNLOCKED_WITHIN_MS = 20_000;
const TRY_EVERY_MS = 250;

/** Tries again while the world only says "not now". */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + UNLOCKED_WITHIN_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const canWait = error instanceof Fault && error.kind === 'transient' && performance.now() < deadline;
      if (!canWait) throw error;
      await sleep(TRY_EVERY_MS);
    }
  }
}
