import { openAlarm } from './alarm.ts';
import type { Log } from './log.ts';
import type { Running } from './worker.ts';

/** What a round says of the next: at once, since more is waiting; after the usual pause; or after this one. */
export type Next = boolean | { readonly pauseMs: number };

export interface Rounds extends Running {
  /** Something came up that the next round is for. */
  wake(): void;
}

/** Repeats a round until stopped, with a pause between rounds. */
export function startRounds(name: string, pauseMs: number, log: Log, round: () => Promise<Next>): Rounds {
  let isStopping = false;
  const { ring, pause } = openAlarm();
  const loop = async () => {
    let failures = 0;
    while (!isStopping) {
      try {
        const next = await round();
        failures = 0;
        if (next !== true) await pause(next === false ? pauseMs : next.pauseMs);
      } catch (error) {
        failures += 1;
        if (!isStopping) log.warn({ round: name, failures, error }, 'round failed');
        await pause(Math.min(pauseMs * 2 ** Math.min(failures, 5), 10_000));
      }
    }
  };
  const looping = loop();
  return {
    wake: ring,
    stop: async () => {
      isStopping = true;
      ring();
      await looping;
    },
  };
}
