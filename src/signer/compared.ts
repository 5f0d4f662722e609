import { Fault } from '../kernel/fault.ts';
import type { Core } from './core.ts';
import type { Past } from './memory.ts';
import { AT_JOURNAL } from './request.ts';

/**
 * A journal that was shortened is whole in itself: only what others have kept of it shows that lines are missing. So nothing
 * is signed before somebody has shown how far the database knows the journal and which bytes it has saved. Once somebody has
 * shown what is not in it, only a mark that goes as far and is found releases signing: whoever shows less proves nothing. Where
 * there is none, a person starts the signer again, on the right journal.
 */
export function openCompared(core: Core, past: Pick<Past, 'signed'>): Core {
  let held: string | undefined = 'the journal was not compared with the database yet';
  /** How far a mark must go before it releases anything. Bytes that are not here never will be: what is held signs none. */
  let missing = 0;
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
      if (!page.isKnown || lost) {
        missing = Math.max(missing, lost ? Number.POSITIVE_INFINITY : known.seq);
        held = `the journal does not have ${lost?.txHash ?? `line ${known.seq}`}, which the database has: it was shortened, or is another one; start the signer again on the newest copy`;
        return { ...page, isKnown: false, lines: [] };
      }
      if (known.seq >= missing) held = undefined;
      return page;
    },
  };
}
