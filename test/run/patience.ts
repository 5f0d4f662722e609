import { setTimeout as pause } from 'node:timers/promises';
import { FairWatch } from './machine.ts';
import type { Message } from './messages.ts';

const LOOK_EVERY_MS = 500;

export interface Bound {
  isOver(): boolean;
  /** Aborts when it is over. */
  readonly signal: AbortSignal;
}

let count = 0;

/**
 * Work that may take so long on an idle machine, and longer on a busy one. The runner is told of it, so that it does not
 * take a story that waits for one that hangs.
 */
export async function patiently<T>(what: string, ms: number, work: (bound: Bound) => Promise<T>): Promise<T> {
  count += 1;
  const id = count;
  const watch = new FairWatch();
  const over = new AbortController();
  const isOver = () => watch.read() > ms;
  const look = setInterval(() => {
    if (isOver()) over.abort(new Error(`${what} took more than ${ms / 1000} s on a machine that was free`));
  }, LOOK_EVERY_MS).unref();
  tell({ kind: 'waiting', id, what, ms });
  try {
    return await work({ isOver, signal: over.signal });
  } finally {
    clearInterval(look);
    tell({ kind: 'waited', id });
  }
}

/**
 * Asks again and again until the answer is yes; any text is a no that says what was seen, and is heard where yes never comes. What is
 * thrown is no answer: it ends the story at once.
 */
export function eventually(
  isTrue: () => boolean | string | Promise<boolean | string>,
  withinMs = 30_000,
  everyMs = 5,
): Promise<void> {
  return patiently(`until ${isTrue}`, withinMs, async (bound) => {
    for (let said = await isTrue(); said !== true; said = await isTrue()) {
      if (bound.isOver()) throw new Error(`not true within ${withinMs} ms: ${said || isTrue}`);
      await pause(everyMs);
    }
  });
}

/** For those who ask what may be away, or not there yet: a failure is a no. */
export const orAway = (isTrue: () => Promise<boolean | string>) => (): Promise<boolean | string> =>
  isTrue().catch(String);

/** A story that is run without the runner has nobody to tell. */
function tell(message: Message): void {
  if (process.connected) process.send?.(message);
}
