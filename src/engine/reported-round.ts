import { type Clock, type Instant, later } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { Cases } from '../store/cases.ts';
import type { Next } from './rounds.ts';

export interface RoundReports {
  readonly cases: Cases;
  readonly clock: Clock;
  /** A round that keeps failing for longer than this becomes a case. */
  readonly caseAfterMs: number;
}

/** The round, with a case while it keeps failing. An error of unknown kind is one at once; it is over when the round works. */
export function reportedRound(
  name: string,
  { cases, clock, caseAfterMs }: RoundReports,
  round: () => Promise<Next>,
): () => Promise<Next> {
  let failingSince: Instant | undefined;
  // A process that begins does not know whether the one before it left a case.
  let mayBeOpen = true;

  async function report(error: Error): Promise<void> {
    failingSince ??= clock.now();
    const isKnown = error instanceof Fault && error.kind !== 'permanent';
    if (isKnown && clock.now() < later(failingSince, caseAfterMs)) return;
    mayBeOpen = true;
    await cases.raise('treasury', { case: 'round_failed', round: name, reason: error.message.slice(0, 500) });
  }

  return async () => {
    try {
      const next = await round();
      failingSince = undefined;
      if (mayBeOpen) await cases.over('treasury', { case: 'round_failed', subject: name });
      mayBeOpen = false;
      return next;
    } catch (error) {
      await report(error as Error);
      throw error;
    }
  };
}
