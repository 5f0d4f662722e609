import type { Owner } from '../life/payment/payment.ts';
import type { Orders } from '../store/orders.ts';
import type { Commit, Committed } from '../store/steps.ts';
import { type GivenUp, inTurns } from './together.ts';

/**
 * Steps that different orders take in one turn are one transaction. Where it fails each is committed alone, so that no order
 * answers for another; a step whose answer was lost is known by its key.
 */
export function commitsInTurns(
  { commit, commitAll }: Pick<Orders, 'commit' | 'commitAll'>,
  givenUp: GivenUp,
): Orders['commit'] {
  const stepping = new Set<Owner>();
  const begun = ({ owner }: Commit) => stepping.delete(owner);
  const withOthers = inTurns<Commit, Committed>({
    one: (one) => {
      begun(one);
      return commit(one);
    },
    all: (all) => {
      all.forEach(begun);
      return commitAll(all);
    },
    isRepeatable: true,
    givenUp,
  });
  return async (one) => {
    // The house locks other rows than orders do, and a second step of an order was made from what the first one changes.
    if (!one.order || stepping.has(one.owner)) return commit(one);
    stepping.add(one.owner);
    return withOthers(one);
  };
}
