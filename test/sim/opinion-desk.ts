import { openOpinions } from '../../src/app/second-nodes.ts';
import { instant } from '../../src/kernel/clock.ts';
import { chainId } from '../../src/kernel/ids.ts';
import { type Case, subjectOf } from '../../src/life/case/case.ts';
import type { Cases } from '../../src/store/cases.ts';

const PATIENCE_MS = 60_000;
/** Opinions are of one chain each; which one, no story asks. */
const SOME_CHAIN = chainId(42_161);

/** What a person is told, and a clock that the story moves. An atom is worth a millionth of a dollar. */
export function opinionDesk(above: bigint) {
  let now = 1_800_000_000_000;
  const open = new Map<string, Case>();
  const cases = {
    list: async () => [],
    raise: async (_: unknown, about: Case) => void open.set(subjectOf(about), about),
    over: async (_: unknown, { subject = '' }: { subject?: string }) => void open.delete(subject),
  } as unknown as Cases;
  const reports = { cases, clock: { now: () => instant(now) }, caseAfterMs: PATIENCE_MS };
  return {
    told: () => [...open.values()],
    wait: () => {
      now += PATIENCE_MS;
    },
    opinions: () => openOpinions(SOME_CHAIN, { above, worth: async (of) => of.atoms as never, reports }),
  };
}
