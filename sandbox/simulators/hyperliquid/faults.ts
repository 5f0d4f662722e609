import type { IncomingMessage } from 'node:http';

export interface VenueFault {
  /** down: hangs up. slow: answers late. error_after_effect: acts, then hangs up. reject: refuses without acting. */
  readonly mode: 'down' | 'slow' | 'error_after_effect' | 'reject';
  /** How many requests it hits; for ever when absent. */
  readonly count?: number;
  readonly delayMs?: number;
  /** It meets what is sent there alone, and no question. */
  readonly isForSends?: true;
}

export const SLOW_MS = 3_000;

/** At most one fault at a time; reads are only ever down or slow. */
export function faultBox() {
  let current: { readonly fault: VenueFault; left: number } | undefined;
  const isTouched = (fault: VenueFault, path: string): boolean =>
    path === '/exchange' || (!fault.isForSends && (fault.mode === 'down' || fault.mode === 'slow'));
  return {
    set(fault: VenueFault): void {
      current = { fault, left: fault.count ?? Number.POSITIVE_INFINITY };
    },
    clear(): void {
      current = undefined;
    },
    /** The fault that this request meets. */
    take(request: IncomingMessage): VenueFault | undefined {
      if (!current || !isTouched(current.fault, request.url ?? '')) return undefined;
      const { fault } = current;
      current.left -= 1;
      if (current.left <= 0) current = undefined;
      return fault;
    },
  };
}
