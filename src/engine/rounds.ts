import type { Log } from './log.ts';
import type { Running } from './worker.ts';

/** What a round says of the next: at once, since more is waiting; after the usual pause; or after this one. */
export type Next = boolean | { readonly pauseMs: number };

/** Repeats a round until stopped, with a pause between rounds. */
export function startRounds(name: string, pauseMs: number, log: Log, round: () => Promise<Next>): Running {
  let isStopping = false;
  let wake = () => {};
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
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
    stop: async () => {
      isStopping = true;
      wake();
      await looping;
    },
  };
}
