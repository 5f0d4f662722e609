/** down: hangs up. slow: answers late. error_after_effect: acts, then answers 500. reject: refuses without acting. */
export type WireFault = 'down' | 'slow' | 'error_after_effect' | 'reject';

/**
 * short_delivery: pays less than it promised. other_asset: pays another asset of the same chain. no_delivery: takes the
 * deposit and stays silent. delivery_after_refund: pays twice, once each way. false_delivery: pays less and says that it was all.
 */
export type FillFault = 'short_delivery' | 'other_asset' | 'no_delivery' | 'delivery_after_refund' | 'false_delivery';

export interface ProviderFault {
  readonly mode: WireFault | FillFault;
  /** How many requests or fills it hits; for ever when absent. */
  readonly count?: number;
  readonly delayMs?: number;
}

export const SLOW_MS = 3_000;

const FILL_FAULTS: ReadonlySet<string> = new Set<FillFault>([
  'short_delivery',
  'other_asset',
  'no_delivery',
  'delivery_after_refund',
  'false_delivery',
]);
const isFill = (mode: ProviderFault['mode']): mode is FillFault => FILL_FAULTS.has(mode);

export interface FaultBox {
  set(fault: ProviderFault): void;
  clear(): void;
  onRequest(method: string | undefined): (ProviderFault & { readonly mode: WireFault }) | undefined;
  /** A fault that cannot be played with this fill waits for the next. */
  onFill(isPossible: (fault: FillFault) => boolean): FillFault | undefined;
}

/** At most one fault at a time; questions are only ever down or slow. */
export function faultBox(): FaultBox {
  let current: { readonly fault: ProviderFault; left: number } | undefined;
  const use = (): void => {
    if (!current) return;
    current.left -= 1;
    if (current.left <= 0) current = undefined;
  };
  return {
    set(fault) {
      current = { fault, left: fault.count ?? Number.POSITIVE_INFINITY };
    },
    clear() {
      current = undefined;
    },
    onRequest(method) {
      const fault = current?.fault;
      if (!fault || isFill(fault.mode)) return undefined;
      if (method !== 'POST' && fault.mode !== 'down' && fault.mode !== 'slow') return undefined;
      use();
      return { ...fault, mode: fault.mode };
    },
    onFill(isPossible) {
      const mode = current?.fault.mode;
      if (!mode || !isFill(mode) || !isPossible(mode)) return undefined;
      use();
      return mode;
    },
  };
}
