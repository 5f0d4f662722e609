import { type Clock, type Instant, later } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { Cases } from '../store/cases.ts';
import type { Next } from './rounds.ts';

import { together } from './together.ts';

export interface RoundReports {
  readonly cases: Cases;
  readonly clock: Clock;
  /** A round that keeps failing for longer than this becomes a case. */
  readonly caseAfterMs: number;
}

export interface ReportedRounds extends RoundReports {
  /** Whether a case says that this round fails. */
  readonly isToldOf: (round: string) => Promise<boolean>;
}

/** A process that begins asks of all its rounds in one turn. */
export function openRoundReports(reports: RoundReports): ReportedRounds {
  const told = together((rounds: readonly string[]) => reports.cases.openOf('treasury', 'round_failed', rounds), asIs);
  return { ...reports, isToldOf: async (round) => (await told(round)) !== undefined };
}

const asIs = (subject: string): string => subject;

/** The round, with a case while it keeps failing. An error of unknown kind is one at once; it is over when the round works. */
export function reportedRound(
  name: string,
  { cases, clock, caseAfterMs, isToldOf }: ReportedRounds,
  round: () => Promise<Next>,
): () => Promise<Next> {
  let failingSince: Instant | undefined;
  /** A process that begins does not know whether the one before it left a case. */
  let isTold: boolean | undefined;

  async function report(error: Error): Promise<void> {
    failingSince ??= clock.now();
    const isKnown = error instanceof Fault && error.kind !== 'permanent';
    if (isKnown && clock.now() < later(failingSince, caseAfterMs)) return;
    isTold = true;
    await cases.raise('treasury', { case: 'round_failed', round: name, reason: error.message.slice(0, 500) });
  }

  return async () => {
    try {
      isTold ??= await isToldOf(name);
      const next = await round();
      failingSince = undefined;
      if (isTold) await cases.over('treasury', { case: 'round_failed', subject: name });
      isTold = false;
      return next;
    } catch (error) {
      await report(error as Error);
      throw error;
    }
  };
}
