import type { Log } from './log.ts';
import type { Running } from './worker.ts';

/** Repeats a round until stopped, waiting `pauseMs` between rounds unless the round says that more is waiting. */
export function startRounds(name: string, pauseMs: number, log: Log, round: () => Promise<boolean>): Running {
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
        const more = await round();
        failures = 0;
        if (!more) await pause(pauseMs);
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
