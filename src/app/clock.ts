import { readFileSync, writeFileSync } from 'node:fs';
import { type Clock, type Instant, instant } from '../kernel/clock.ts';

/** The file is looked at this often; whoever moves the clock waits at least as long. */
const OFFSET_AGE_MS = 20;

/**
 * The computer's clock, moved by what the file says where there is one. Never runs backwards. Whoever moves it can see in
 * `<file>.seen-by-<pid>` that this process goes by the new time, also while nobody asks it anything.
 */
export function openClock(offsetFile: string | undefined): Clock {
  let offset = 0;
  let readAt = 0;
  let last = 0;
  let told: number | undefined;
  const look = (file: string): void => {
    readAt = Date.now();
    offset = readOffset(file) ?? offset;
    if (told === offset) return;
    told = offset;
    try {
      writeFileSync(`${file}.seen-by-${process.pid}`, String(offset));
    } catch {
      // Nobody can see it then; the time is right all the same.
    }
  };
  if (offsetFile !== undefined) setInterval(() => look(offsetFile), OFFSET_AGE_MS).unref();
  return {
    now(): Instant {
      const real = Date.now();
      if (offsetFile !== undefined && real - readAt >= OFFSET_AGE_MS) look(offsetFile);
      last = Math.max(last, real + offset);
      return instant(last);
    },
  };
}

function readOffset(file: string): number | undefined {
  try {
    const value = Number(readFileSync(file, 'utf8').trim());
    return Number.isSafeInteger(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
