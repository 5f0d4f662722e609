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

/** What a chain's proxy knows of its chain: enough to tell a payment from a question, and to say no as its node does. */
export interface Wire {
  /** Methods and paths that send a transaction. */
  readonly sends: ReadonlySet<string>;
  /** The node does not take a transaction. */
  reject(passing: Passing): Verdict;
  /** Where somebody on the chain can refuse to be paid. */
  readonly refusing?: Refusing;
}

export interface Refusing {
  /** Destinations of customer payouts that this question tries out; none for everything else. */
  triedBy(passing: Passing): readonly string[];
  /** The chain says that the destination takes nothing. */
  refuse(passing: Passing): Verdict;
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

  /** Every question to this chain would pass. */
  isCalm(chainId: number): boolean {
    const isOfChain = ({ target }: ActiveFault) => target === `chain:${chainId}` || target === `payout:${chainId}`;
    return this.#refused.size === 0 && !this.#active.some(isOfChain);
  }

  judge(chainId: number, wire: Wire, passing: Passing): Verdict {
    const refusal = wire.refusing && this.#judgePayout(chainId, wire.refusing, passing);
    if (refusal) return refusal;
    const isSend = wire.sends.has(passing.path) || passing.calls.some((call) => wire.sends.has(call.method));
    const fault = this.#active.find(({ target, mode }) => {
      // A question has no effect to lose and nothing to be rejected.
      if (target === `chain:${chainId}`) return mode === 'down' || mode === 'slow' || isSend;
      return target === `payout:${chainId}` && mode !== 'refuse_destination' && isSend;
    });
    if (!fault) return PASS;
    this.#strike(fault);
    return verdictOf(fault.mode, wire, passing);
  }

  #judgePayout(chainId: number, refusing: Refusing, passing: Passing): Verdict | undefined {
    const fault = this.#active.find(
      ({ target, mode }) => target === `payout:${chainId}` && mode === 'refuse_destination',
    );
    if (!fault && this.#refused.size === 0) return undefined;
    const destinations = refusing.triedBy(passing).map((to) => `${chainId}:${to}`);
    const fresh = destinations.find((to) => !this.#refused.has(to));
    if (fault && fresh !== undefined) {
      this.#refused.add(fresh);
      this.#strike(fault);
    }
    return destinations.some((to) => this.#refused.has(to)) ? refusing.refuse(passing) : undefined;
  }

  #strike(fault: ActiveFault): void {
    if (fault.left === undefined) return;
    fault.left -= 1;
    if (fault.left === 0) this.#active = this.#active.filter((other) => other !== fault);
  }
}

function verdictOf(mode: Mode, wire: Wire, passing: Passing): Verdict {
  if (mode === 'down') return { fate: 'drop' };
  if (mode === 'slow') return { fate: 'delay', ms: SLOW_MS };
  if (mode === 'error_after_effect') return { fate: 'lose_answer' };
  return wire.reject(passing);
}
