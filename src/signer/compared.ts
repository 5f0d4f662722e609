import { Fault } from '../kernel/fault.ts';
import type { Core } from './core.ts';
import type { Past } from './memory.ts';
import { AT_JOURNAL } from './request.ts';

/**
 * A journal that was shortened is whole in itself: only what others have kept of it shows that lines are missing. So nothing
 * is signed before somebody has shown how far the database knows the journal and which bytes it has saved, and nothing while
 * the last one who did had seen what is not in it. Callers are not believed for it: a false mark holds signing until the
 * next true one, and can release nothing that is true.
 */
export function openCompared(core: Core, past: Pick<Past, 'signed'>): Core {
  let held: string | undefined = 'the journal was not compared with the database yet';
  const compared = <T>(work: () => Promise<T>): Promise<T> =>
    held === undefined ? work() : Promise.reject(new Fault('transient', AT_JOURNAL, held));
  return {
    ...core,
    transfer: (request) => compared(() => core.transfer(request)),
    split: (request) => compared(() => core.split(request)),
    trade: (request) => compared(() => core.trade(request)),
    move: (request) => compared(() => core.move(request)),
    since(known) {
      const page = core.since(known);
      const lost = (known.saved ?? []).find(({ chainId, txHash }) => past.signed(chainId, txHash) === undefined);
      const isKnown = page.isKnown && lost === undefined;
      held = isKnown
        ? undefined
        : `the journal does not have ${lost?.txHash ?? `line ${known.seq}`}, which the database has: it was shortened, or is another one`;
      return isKnown ? page : { ...page, isKnown, lines: [] };
    },
  };
}
