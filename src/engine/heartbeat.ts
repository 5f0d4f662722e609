import type { Log } from './log.ts';
import { type Rounds, startRounds } from './rounds.ts';

const BEAT_MS = 5_000;

/** What is heard of only while it is well: told that it is lost when it does not answer. */
export interface Beating {
  beat(): Promise<void>;
}

/** Asks each of them every few seconds whether it is still there. */
export const startHeartbeat = (log: Log, ...all: readonly Beating[]): Rounds =>
  startRounds('heartbeat', BEAT_MS, log, async () => {
    await Promise.all(all.map((one) => one.beat()));
    return false;
  });
