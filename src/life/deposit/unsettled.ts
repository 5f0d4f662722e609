import type { Address } from '../../kernel/ids.ts';
import type { KeptSighting } from '../order/sighting.ts';

/** What failed before is asked about by itself, and strangers may make any amount of it: so many of a chain have their turn in a round. */
const TRIED_AGAIN_PER_ROUND = 32;

type Transfer = Pick<KeptSighting, 'key' | 'address'>;

/** What could not be settled when it was last tried, and why. Forgetting it costs only the asking. */
export interface Unsettled {
  /** Of these, what is tried again in this round: one of each address before another of any, and first what has waited longest. */
  turns(live: readonly KeptSighting[]): ReadonlySet<string>;
  errorOf(one: Transfer): Error | undefined;
  failed(one: Transfer, error: Error): void;
  over(one: Transfer): void;
}

export function openUnsettled(): Unsettled {
  const errors = new Map<Address, Map<string, Error>>();
  const over = ({ address, key }: Transfer): void => {
    const here = errors.get(address);
    if (here?.delete(key) && here.size === 0) errors.delete(address);
  };
  /** Behind all others, of its address and of the chain. */
  const failed = ({ address, key }: Transfer, error: Error): void => {
    const here = errors.get(address) ?? new Map<string, Error>();
    errors.delete(address);
    errors.set(address, here);
    here.delete(key);
    here.set(key, error);
  };
  return {
    turns(live) {
      const here = new Set(live.map(({ address }) => address));
      const mined = new Set(live.flatMap(({ key, state }) => (state === 'mined' ? [key] : [])));
      const waiting = [...errors].flatMap(([address, failing]) => {
        if (!here.has(address)) return [];
        for (const key of [...failing.keys()]) if (!mined.has(key)) over({ address, key });
        return [...failing].map(([key, error], nth) => ({ one: { address, key }, error, nth }));
      });
      const next = waiting.toSorted((a, b) => a.nth - b.nth).slice(0, TRIED_AGAIN_PER_ROUND);
      for (const { one, error } of next) failed(one, error);
      return new Set(next.map(({ one }) => one.key));
    },
    errorOf: ({ address, key }) => errors.get(address)?.get(key),
    failed,
    over,
  };
}
