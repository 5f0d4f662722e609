/** Ends the pauses of a loop. */
export interface Alarm {
  /** Something may have to be done. Whoever is not pausing looks once more before it does. */
  ring(): void;
  /** Until it rings, but no longer than this. */
  pause(mostMs: number): Promise<void>;
}

export function openAlarm(): Alarm {
  let hasRung = false;
  let end = () => {};
  return {
    ring() {
      hasRung = true;
      end();
    },
    async pause(mostMs) {
      if (!hasRung)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, mostMs);
          end = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      hasRung = false;
    },
  };
}
