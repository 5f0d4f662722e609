import { readFileSync, watch, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Clock, type Instant, instant } from '../kernel/clock.ts';

/** The file is looked at this often; whoever moves the clock waits at least as long. */
const OFFSET_AGE_MS = 20;
/** Where the system does not tell that it was written. */
const UNTOLD_MS = 500;
/** The computer's clock is set right by less than this all the time, and waited for; by more it was moved. */
const STEP_MS = 1_000;
/** After a step back time goes on at nine tenths of its pace until the computer's clock has caught up. */
const PACE_AFTER_STEP = 0.9;
/** What was written later than this after now was written by a clock that was wrong, and is not followed. */
const FOLLOWS_MS = 60 * 60 * 1000;

/** The time of day, which may step, and a time that only goes on; both in milliseconds. */
export interface Computer {
  wall(): number;
  monotonic(): number;
}

const COMPUTER: Computer = { wall: () => Date.now(), monotonic: () => performance.now() };

export interface ServiceClock extends Clock {
  /** The same without what a rehearsal adds. */
  unmoved(): Instant;
  /** What the computer says, also after it was set back. */
  timeOfDay(): Instant;
  /** What was done already was not done later than now: time goes on from there. */
  notBefore(done: Instant): void;
}

/**
 * The computer's clock, moved by what the file says where there is one. It never runs backwards and never stands still:
 * waits take as long as they should, whatever happens to the time of day. Whoever moves it can see in
 * `<file>.seen-by-<pid>` that this process goes by the new time, also while nobody asks it anything.
 */
export function openClock(offsetFile: string | undefined, computer: Computer = COMPUTER): ServiceClock {
  let offset = 0;
  let readAt = computer.monotonic() - OFFSET_AGE_MS;
  let last = 0;
  let lastTick = computer.monotonic();
  let told: number | undefined;
  const look = (file: string): void => {
    readAt = computer.monotonic();
    offset = readOffset(file) ?? offset;
    if (told === offset) return;
    told = offset;
    try {
      writeFileSync(`${file}.seen-by-${process.pid}`, String(offset));
    } catch {
      // Nobody can see it then; the time is right all the same.
    }
  };
  if (offsetFile !== undefined) whenWritten(offsetFile, () => look(offsetFile));
  const now = (): Instant => {
    const tick = computer.monotonic();
    if (offsetFile !== undefined && tick - readAt >= OFFSET_AGE_MS) look(offsetFile);
    const here = computer.wall() + offset;
    const passed = tick - lastTick;
    const isStepped = last + passed - here >= STEP_MS;
    last = Math.max(here, isStepped ? last + passed * PACE_AFTER_STEP : last);
    lastTick = tick;
    return instant(Math.floor(last));
  };
  return {
    now,
    unmoved: () => instant(now() - offset),
    timeOfDay: () => instant(Math.floor(computer.wall())),
    notBefore(done) {
      if (done - now() <= FOLLOWS_MS) last = Math.max(last, done);
    },
  };
}

/** Fifty looks a second would be most of what an idle process does. The folder is watched, since the file is replaced. */
function whenWritten(file: string, look: () => void): void {
  setInterval(look, UNTOLD_MS).unref();
  try {
    watch(dirname(file), { persistent: false }, look).on('error', () => {});
  } catch {
    // Some systems cannot watch.
  }
}

function readOffset(file: string): number | undefined {
  try {
    const value = Number(readFileSync(file, 'utf8').trim());
    return Number.isSafeInteger(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
