import { setTimeout as pause } from 'node:timers/promises';
import { watchForHang } from './hang-watch.ts';
import { type RunningProcess, signalGroup } from './process.ts';

/** Told whenever a child ended although nobody asked it to, or hangs, and whenever it does not start again. */
export type ChildNews = (line: string) => void;
let listener: ChildNews = () => undefined;

export function onChildNews(hears: ChildNews): void {
  listener = hears;
}

export const tellChildNews: ChildNews = (line) => listener(line);

export interface KeptProcess {
  stop(): Promise<void>;
  /** Gone at once, as in a power cut, and not started again. */
  kill(): Promise<void>;
  /** Ends it and starts it again; what it keeps on the disk it knows again. */
  restart(): Promise<void>;
}

/** One that does not even start is tried again ever more slowly, to the last step. */
const REVIVE_AFTER_MS = [100, 500, 2_000, 5_000] as const;

/** How often a process is asked whether it is well, and how many questions may stay without an answer. */
export interface Patience {
  readonly everyMs: number;
  readonly ticks: number;
}

/** A node with a long chain stands still for seconds while it writes, and a slow machine makes it several times as many. */
const PATIENCE: Patience = { everyMs: 5_000, ticks: 8 };

/**
 * A process that is started again whenever it dies, or answers nothing for a long time, for as long as it is wanted. `start` must find
 * the same place again: the same port and the same files. `answers` resolves when the process has answered anything.
 */
export async function keepProcess(
  name: string,
  start: () => Promise<RunningProcess>,
  answers: () => Promise<void>,
  patience = PATIENCE,
): Promise<KeptProcess> {
  let isWanted = true;
  let current = await start();
  await expectAnswer(current, answers);
  let reviving: Promise<void> | undefined;
  const watch = (mine: RunningProcess): void => {
    const isOurs = () => isWanted && current === mine;
    const hanging = endIfItHangs(mine, answers, patience, isOurs);
    void mine.exited.then((code) => {
      hanging.end();
      if (!isOurs()) return;
      const why = hanging.isSo()
        ? `hangs (no answer for ${secondsOf(patience)} s)`
        : `ended (${code ?? 'by a signal'})`;
      tellChildNews(`${name} ${why} and is started again.`);
      reviving = revive().finally(() => {
        reviving = undefined;
      });
    });
  };
  const revive = async (): Promise<void> => {
    for (let tries = 0; isWanted; tries += 1) {
      await pause(REVIVE_AFTER_MS[Math.min(tries, REVIVE_AFTER_MS.length - 1)]);
      if (!isWanted) return;
      try {
        const next = await start();
        current = next;
        watch(next);
        if (!isWanted) await next.stop();
        return;
      } catch (error) {
        tellChildNews(`${name} does not start: ${(error as Error).message.split('\n')[0]}`);
      }
    }
  };
  watch(current);
  return {
    async stop() {
      isWanted = false;
      await reviving;
      await current.stop();
    },
    async kill() {
      isWanted = false;
      await reviving;
      process.kill(current.pid, 'SIGKILL');
      await current.exited;
    },
    async restart() {
      const before = current;
      await reviving;
      // Its end is ours: nobody else is to start it again.
      isWanted = false;
      await before.stop();
      isWanted = true;
      current = await start();
      watch(current);
    },
  };
}

/** A question that a process never answers, although it is well, would end it again and again. */
async function expectAnswer(fresh: RunningProcess, answers: () => Promise<void>): Promise<void> {
  try {
    await answers();
  } catch (error) {
    await fresh.stop();
    throw error;
  }
}

const secondsOf = ({ everyMs, ticks }: Patience): number => (everyMs * ticks) / 1000;

/** One question at a time: behind a long piece of work only one more waits. A process that is being stopped may take its time. */
function endIfItHangs(
  { pid }: RunningProcess,
  answers: () => Promise<void>,
  patience: Patience,
  isOurs: () => boolean,
): { isSo(): boolean; end(): void } {
  let hangs = false;
  let isAsking = false;
  const ask = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    await answers().then(watch.heard, () => undefined);
    isAsking = false;
  };
  const watch = watchForHang({
    ...patience,
    ask: () => void ask(),
    hangs() {
      if (!isOurs()) return;
      hangs = true;
      signalGroup(pid, 'SIGKILL');
    },
  });
  return { isSo: () => hangs, end: watch.end };
}
