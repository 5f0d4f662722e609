import type { CaseKind, CaseOf } from '../life/case/case.ts';

/** The last part of the path of a call about one case. */
export type CallName = 'close' | 'retry' | 'send-again' | 'raise-fee' | 'give-back' | 'settle' | 'approve' | 'adopt';

/** What a person is told about a case, and can do about it. */
export interface CaseGuide {
  readonly reason: string;
  readonly meaning: string;
  /** `now`: money waits or may be lost. `today`: nothing is lost by waiting. */
  readonly urgency: 'now' | 'today';
  readonly actions: readonly string[];
  /** What the operator's room can do about it, beside closing it. */
  readonly calls: readonly CallName[];
}

export type Guide<K extends CaseKind> = Omit<CaseGuide, 'reason' | 'calls'> & {
  readonly reason: (one: CaseOf<K>) => string;
  readonly calls?: CaseGuide['calls'];
};

export const LOOK = 'read GET /operator/orders/{id}: history, ledger, payments, attempts and why it is where it is';
export const CLOSE = 'close it with POST /operator/cases/{id}/close { by, reason } when it is dealt with';
