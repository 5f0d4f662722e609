import type { Passing, Verdict } from './proxy.ts';

export const MODES = [
  'down',
  'slow',
  'error_after_effect',
  'reject',
  'short_delivery',
  'other_asset',
  'refuse_destination',
] as const;
export type Mode = (typeof MODES)[number];

/** What a chain's proxy knows of its chain: enough to tell a payment from a question. */
export interface Wire {
  /** Methods and paths that send a transaction. */
  readonly sends: ReadonlySet<string>;
  /** Destinations of customer payouts that this question tries out; none for everything else. */
  payoutTo(passing: Passing): readonly string[];
}

/** Longer than anyone is used to wait, shorter than the service's own deadline. */
const SLOW_MS = 5_000;
const PASS: Verdict = { fate: 'pass' };

interface ActiveFault {
  readonly target: string;
  readonly mode: Mode;
  /** How often it may still strike; undefined: until it is cleared. */
  left: number | undefined;
}

/** Faults of the chains' connections. Each strikes `count` times, or until all are cleared. */
export class ChainFaults {
  #active: ActiveFault[] = [];
  /** A destination that was refused once stays refused, as a frozen account does. */
  readonly #refused = new Set<string>();

  set(target: string, mode: Mode, count: number | undefined): void {
    this.#active = this.#active.filter((fault) => fault.target !== target || fault.mode !== mode);
    this.#active.push({ target, mode, left: count });
  }

  clear(): void {
    this.#active = [];
    this.#refused.clear();
  }

  judge(chainId: number, wire: Wire, passing: Passing): Verdict {
    const isSend = wire.sends.has(passing.path) || passing.calls.some((call) => wire.sends.has(call.method));
    const refusal = this.#judgePayout(chainId, wire, passing);
    if (refusal) return refusal;
    const fault = this.#active.find(({ target, mode }) => {
      // A question has no effect to lose and nothing to be rejected.
      if (target === `chain:${chainId}`) return mode === 'down' || mode === 'slow' || isSend;
      return target === `payout:${chainId}` && mode !== 'refuse_destination' && isSend;
    });
    if (!fault) return PASS;
    this.#strike(fault);
    return verdictOf(fault.mode, passing);
  }

  #judgePayout(chainId: number, wire: Wire, passing: Passing): Verdict | undefined {
    const destinations = wire.payoutTo(passing).map((to) => `${chainId}:${to.toLowerCase()}`);
    const fault = this.#active.find(
      ({ target, mode }) => target === `payout:${chainId}` && mode === 'refuse_destination',
    );
    const fresh = destinations.find((to) => !this.#refused.has(to));
    if (fault && fresh !== undefined) {
      this.#refused.add(fresh);
      this.#strike(fault);
    }
    return destinations.some((to) => this.#refused.has(to)) ? verdictOf('refuse_destination', passing) : undefined;
  }

  #strike(fault: ActiveFault): void {
    if (fault.left === undefined) return;
    fault.left -= 1;
    if (fault.left === 0) this.#active = this.#active.filter((other) => other !== fault);
  }
}

function verdictOf(mode: Mode, passing: Passing): Verdict {
  if (mode === 'down') return { fate: 'drop' };
  if (mode === 'slow') return { fate: 'delay', ms: SLOW_MS };
  if (mode === 'error_after_effect') return { fate: 'lose_answer' };
  if (mode === 'refuse_destination') return refusal(passing, 3, 'execution reverted: destination is frozen');
  return refusal(passing, -32_000, 'rejected by the sandbox');
}

function refusal(passing: Passing, code: number, message: string): Verdict {
  // monerod takes transactions by plain HTTP and has its own way to say no.
  if (passing.calls.length === 0) return { fate: 'answer', body: { status: 'Failed', reason: message } };
  const answers = passing.calls.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code, message } }));
  return { fate: 'answer', body: answers.length === 1 ? answers[0] : answers };
}
