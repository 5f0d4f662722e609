import { Fault } from '../kernel/fault.ts';
import type { AppLog } from './log.ts';

/** Processes start in any order: what another one provides is waited for this long. */
const PATIENCE_MS = 60_000;
const ASK_AGAIN_MS = 200;

/** Asks until it is answered; anything but a passing failure ends the wait at once. */
export async function patiently<T>(what: string, log: AppLog, ask: () => Promise<T>): Promise<T> {
  for (let waited = 0; ; waited += ASK_AGAIN_MS) {
    try {
      return await ask();
    } catch (error) {
      const isPassing = error instanceof Fault && error.kind !== 'permanent';
      if (!isPassing || waited >= PATIENCE_MS) throw error;
      if (waited === 0) log.info({ what }, 'waiting');
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
    }
  }
}
