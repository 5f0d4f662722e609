import { readJson, writeWhole } from './files.ts';

/** What a crash of the sandbox may cost: to the desk it looks like a reorganisation. */
const KEEP_EVERY_MS = 250;
/** Of a world in which much has happened, keeping takes no more than this part of its time. */
const KEEPING_SHARE = 1 / 20;
/** Whoever takes longer to write down what he knows does not do so for everything he promises. */
const QUICK_MS = 5;

/** Has written down what it knows before anybody hears of it: a payment always, a promise where that is quick. */
export type Keep = (what: 'promised' | 'paid') => void;

/**
 * A simulated part of the world that goes on from its file. It keeps what it knows there several times a second and when it closes, so that
 * the next sandbox can go on even where this one had no chance to say goodbye.
 */
export async function keptIn<S, T extends { snapshot(): S; close(): Promise<void> }>(
  file: string,
  resumes: boolean,
  start: (snapshot: S | undefined, keep: Keep) => Promise<T>,
): Promise<T & { keep(): void }> {
  let keeping: Keeping | undefined;
  const part = await start(resumes ? (readJson(file) as S) : undefined, (what) => keeping?.keep(what));
  keeping = keepText(file, () => JSON.stringify(part.snapshot()));
  const { keep, stop } = keeping;
  return {
    ...part,
    keep: () => keep('paid'),
    async close() {
      await part.close();
      stop();
    },
  };
}

export interface Keeping {
  readonly keep: Keep;
  stop(): void;
}

/** All that is kept: one of them must not remember what another has forgotten. */
const keepers = new Set<() => void>();
let isKeeping = false;

function keepAll(): void {
  const began = performance.now();
  for (const write of keepers) write();
  setTimeout(keepAll, Math.max(KEEP_EVERY_MS, (performance.now() - began) / KEEPING_SHARE)).unref();
}

/** Writes the text now and then where it has changed, in one moment with all others, and a last time when it is stopped. */
export function keepText(file: string, text: () => string): Keeping {
  let kept: string | undefined;
  let tookMs = 0;
  const write = (): void => {
    const began = performance.now();
    const now = text();
    if (now !== kept) writeWhole(file, now);
    kept = now;
    tookMs = performance.now() - began;
  };
  keepers.add(write);
  if (!isKeeping) setTimeout(keepAll, KEEP_EVERY_MS).unref();
  isKeeping = true;
  return {
    keep(what) {
      if (what === 'paid' || tookMs < QUICK_MS) write();
    },
    stop() {
      keepers.delete(write);
      write();
    },
  };
}
