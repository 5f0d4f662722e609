import type { Asked, openQuota, Quota, Taken } from '../store/quota.ts';
import type { Log } from './log.ts';
import { givenUpInto, inTurns } from './together.ts';

/** Limits that are asked for in one turn are decided by one statement. Hits that may have been taken are not taken again. */
export function takesInTurns({ take, takeAll, giveBack, sweep }: ReturnType<typeof openQuota>, log?: Log): Quota {
  const withOthers = inTurns<Asked, Taken>({
    one: ({ buckets, now }) => take(buckets, now),
    all: takeAll,
    isRepeatable: false,
    givenUp: givenUpInto(log, 'limits'),
  });
  return {
    take: async (buckets, now) => (buckets.length === 0 ? { left: [] } : withOthers({ buckets, now })),
    giveBack,
    sweep,
  };
}
