import { readJson, writeWhole } from './files.ts';

/** What a crash of the sandbox may cost: to the desk it looks like a reorganisation. */
const KEEP_EVERY_MS = 250;
/** Of a world in which much has happened, keeping takes no more than this part of its time. */
const KEEPING_SHARE = 1 / 20;

/**
 * A simulated part of the world that goes on from its file. It keeps what it knows there several times a second and when it closes, so that
 * the next sandbox can go on even where this one had no chance to say goodbye.
 */
export async function keptIn<S, T extends { snapshot(): S; close(): Promise<void> }>(
  file: string,
  resumes: boolean,
  start: (snapshot: S | undefined) => Promise<T>,
): Promise<T> {
  const part = await start(resumes ? (readJson(file) as S) : undefined);
  const keeping = keepText(file, () => JSON.stringify(part.snapshot()));
  return {
    ...part,
    async close() {
      await part.close();
      keeping.stop();
    },
  };
}

/** All that is kept: one of them must not remember what another has forgotten. */
const keepers = new Set<() => void>();
let timer: NodeJS.Timeout | undefined;

function keepAll(): void {
  const began = performance.now();
  for (const keep of keepers) keep();
  timer = setTimeout(keepAll, Math.max(KEEP_EVERY_MS, (performance.now() - began) / KEEPING_SHARE)).unref();
}

/** Writes the text now and then where it has changed, in one moment with all others, and a last time when it is stopped. */
export function keepText(file: string, text: () => string): { stop(): void } {
  let kept: string | undefined;
  const keep = (): void => {
    const now = text();
    if (now !== kept) writeWhole(file, now);
    kept = now;
  };
  keepers.add(keep);
  timer ??= setTimeout(keepAll, KEEP_EVERY_MS).unref();
  return {
    stop() {
      keepers.delete(keep);
      keep();
    },
  };
}
