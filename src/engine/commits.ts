import { present } from '../kernel/assert.ts';
import type { Owner } from '../life/payment/payment.ts';
import type { Orders } from '../store/orders.ts';
import type { Commit } from '../store/steps.ts';
import { together } from './together.ts';

/**
 * Steps that different orders take in one turn are one transaction. Where it fails each is committed alone, so that no order
 * answers for another; a step whose answer was lost is known by its key.
 */
export function commitsInTurns({ commit, commitAll }: Pick<Orders, 'commit' | 'commitAll'>): Orders['commit'] {
  if (!commitAll) return commit;
  const stepping = new Set<Owner>();
  const withOthers = together(
    async (asked: readonly Commit[]) => {
      for (const { owner } of asked) stepping.delete(owner);
      const [one, ...more] = asked;
      const results = one && more.length === 0 ? [await commit(one)] : await commitAll(asked);
      return asked.map((of, at) => ({ of, result: present(results[at], `answer to ${of.key}`) }));
    },
    ({ of }) => of,
  );
  return async (one) => {
    // The house locks other rows than orders do, and a second step of an order was made from what the first one changes.
    if (!one.order || stepping.has(one.owner)) return commit(one);
    stepping.add(one.owner);
    return present(await withOthers(one), `answer to ${one.key}`).result;
  };
}
