export interface HangWatch {
  /** There was a sign of life. */
  heard(): void;
  end(): void;
}

export interface HangWatchOptions {
  readonly everyMs: number;
  /** So many ticks may pass without a sign. */
  readonly ticks: number;
  /** What is done at every tick to get one. */
  readonly ask?: () => void;
  /** Called once. */
  readonly hangs: () => void;
}

/** Counts its own ticks and not the time: a sandbox that was stopped itself, or got no processor, takes nobody for hanging. */
export function watchForHang({ everyMs, ticks, ask, hangs }: HangWatchOptions): HangWatch {
  let silent = 0;
  const end = () => clearInterval(ticking);
  const ticking = setInterval(() => {
    if (silent === ticks) {
      end();
      hangs();
      return;
    }
    silent += 1;
    ask?.();
  }, everyMs).unref();
  return {
    end,
    heard() {
      silent = 0;
    },
  };
}
