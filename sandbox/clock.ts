import { readFileSync } from 'node:fs';
import { writeWhole } from './files.ts';

/** The clock of the whole box. It only ever moves forward, as the one of a real service does. */
export interface BoxClock {
  now(): number;
  /** Every process that was told of the offset file follows. */
  advance(ms: number): number;
}

export function openClock(offsetFile: string): BoxClock {
  let offset = savedOffset(offsetFile);
  writeWhole(offsetFile, String(offset));
  return {
    now: () => Date.now() + offset,
    advance(ms) {
      offset += ms;
      writeWhole(offsetFile, String(offset));
      return Date.now() + offset;
    },
  };
}

function savedOffset(offsetFile: string): number {
  try {
    return Number(readFileSync(offsetFile, 'utf8'));
  } catch {
    return 0;
  }
}
