import type { Plan } from './events.ts';
import { planOf } from './plan.ts';
import type { Bug } from './planting.ts';
import { type Outcome, play } from './play.ts';

/** A plan with these of its events alone. */
export const only = (plan: Plan, kept: readonly number[]): Plan => ({
  ...plan,
  events: plan.events.filter((_, at) => kept.includes(at)),
});

export interface Failure {
  readonly seed: number;
  /** The events without which nothing is found. */
  readonly kept: readonly number[];
  readonly outcome: Outcome;
}

const MOST_PLAYS = 30;

/** Leaves out one event after the other for as long as the same check finds something. */
export async function shrink(seed: number, outcome: Outcome, bug?: Bug): Promise<Failure> {
  const whole = planOf(seed);
  const check = outcome.findings[0]?.check;
  let kept = whole.events.map((_, at) => at);
  let last = outcome;
  let plays = 0;
  for (let at = kept.length - 1; at >= 0 && plays < MOST_PLAYS; at -= 1) {
    const fewer = kept.filter((_, index) => index !== at);
    plays += 1;
    const tried = await play(only(whole, fewer), bug);
    if (!tried.findings.some((finding) => finding.check === check)) continue;
    kept = fewer;
    last = tried;
  }
  return { seed, kept, outcome: last };
}

/** The one line that plays it again. */
export const replayLine = ({ seed, kept }: Failure, bug?: Bug): string =>
  `npm run campaign -- --seed ${seed} --only ${kept.join(',') || 'none'}${bug ? ` --bug '${bug.name}'` : ''}`;
