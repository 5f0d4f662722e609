import { present } from '../kernel/assert.ts';
import { Fault } from '../kernel/fault.ts';
import type { Asked, openQuota, Quota, Taken } from '../store/quota.ts';
import { together } from './together.ts';

/**
 * Limits that are asked for in one turn are decided by one statement. Where its answer is lost nobody knows whether hits were taken, and
 * nobody is asked again: that would count them twice.
 */
export function takesInTurns({ take, takeAll, sweep }: ReturnType<typeof openQuota>): Quota {
  const withOthers = together(
    async (all: readonly Asked[]): Promise<readonly { readonly of: Asked; readonly taken: Taken | Fault }[]> => {
      const [one, ...more] = all;
      if (one && more.length === 0) return [{ of: one, taken: await take(one.buckets, one.now) }];
      const answers = await takeAll(all).catch((error: unknown) => {
        if (error instanceof Fault) return error;
        throw error;
      });
      return all.map((of, at) => ({
        of,
        taken: answers instanceof Fault ? answers : present(answers[at], 'answer to each'),
      }));
    },
    ({ of }) => of,
  );
  return {
    async take(buckets, now) {
      if (buckets.length === 0) return { left: [] };
      const { taken } = present(await withOthers({ buckets, now }), 'answer to each');
      if (taken instanceof Fault) throw taken;
      return taken;
    },
    sweep,
  };
}
