import { readFileSync } from 'node:fs';
import { type Clock, type Instant, instant } from '../kernel/clock.ts';

/** The file is looked at this often; whoever moves the clock waits at least as long. */
const OFFSET_AGE_MS = 20;

/** The computer's clock, moved by what the file says where there is one. Never runs backwards. */
export function openClock(offsetFile: string | undefined): Clock {
  let offset = 0;
  let readAt = 0;
  let last = 0;
  return {
    now(): Instant {
      const real = Date.now();
      if (offsetFile !== undefined && real - readAt >= OFFSET_AGE_MS) {
        readAt = real;
        offset = readOffset(offsetFile) ?? offset;
      }
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
