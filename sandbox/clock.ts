import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { writeWhole } from './files.ts';

/** The clock of the whole box. It only ever moves forward, as the one of a real service does. */
export interface BoxClock {
  now(): number;
  /** Every process that was told of the offset file follows. */
  advance(ms: number): number;
  /** Resolves when all of these processes go by the new time; names those that do not, after a while. */
  untilSeenBy(processes: () => ReadonlyMap<string, number>): Promise<readonly string[]>;
}

/** A process that stands still, or is just beginning, does not keep the caller for longer. */
const SEEN_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 10;

export function openClock(offsetFile: string): BoxClock {
  forgetSeen(offsetFile);
  let offset = savedOffset(offsetFile);
  writeWhole(offsetFile, String(offset));
  return {
    now: () => Date.now() + offset,
    advance(ms) {
      offset += ms;
      writeWhole(offsetFile, String(offset));
      return Date.now() + offset;
    },
    async untilSeenBy(processes) {
      const deadline = performance.now() + SEEN_WITHIN_MS;
      for (;;) {
        const behind = [...processes()].filter(([, pid]) => seenBy(offsetFile, pid) < offset).map(([name]) => name);
        if (behind.length === 0 || performance.now() > deadline) return behind;
        await pause(LOOK_EVERY_MS);
      }
    },
  };
}

/** Of processes of earlier runs, whose numbers may be others' by now. */
function forgetSeen(offsetFile: string): void {
  const folder = dirname(offsetFile);
  const left = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of left) if (name.startsWith(`${basename(offsetFile)}.seen-by-`)) rmSync(join(folder, name));
}

/** Each process leaves beside the file what it last read there. */
function seenBy(offsetFile: string, pid: number): number {
  return savedOffset(`${offsetFile}.seen-by-${pid}`);
}

function savedOffset(offsetFile: string): number {
  try {
    return Number(readFileSync(offsetFile, 'utf8'));
  } catch {
    return 0;
  }
}
