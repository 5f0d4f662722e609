import { present } from '../src/kernel/assert.ts';

/** A row of what the desk keeps of an order. */
export interface Told {
  readonly at: number;
  readonly phase: string;
  readonly fact: { readonly fact: string; readonly part?: string; readonly payment?: string };
}

/** How long after the step before it an order came to this one. */
export interface Step {
  readonly step: string;
  readonly ms: number;
}

/** From the moment a deposit is final to the moment its payout is sent. */
export interface Wait {
  readonly ms: number;
  readonly steps: readonly Step[];
  /** Of that, a provider's: from its funding that is sent to its delivery that is final, with the blocks that both wait for. */
  readonly elsewhereMs: number;
}

const SENT = 'payout sent';
const DELIVERED = 'delivered by the provider';
const NAMES: Readonly<Record<string, string>> = {
  deposit_screened: 'screened',
  inventory_short: 'found stock short',
  stock_reserved: 'stock reserved',
  ticket_done: 'traded on the venue',
  leg_placed: 'deal placed',
  leg_delivered: DELIVERED,
  payout_reserved: 'payout reserved',
  'transfer_signed fund': 'funding signed',
  'transfer_sent fund': 'funding sent',
  'transfer_signed payout': 'payout signed',
  'transfer_sent payout': SENT,
};

/** The steps that the customer waits for; a collection beside them is nobody's. */
function stepOf({ fact: { fact, part, payment } }: Told): string | undefined {
  if (payment === undefined) return NAMES[fact];
  return part === 'main' ? NAMES[`${fact} ${payment.split(':').at(-2)}`] : undefined;
}

export function waitOf(history: readonly Told[]): Wait {
  const final = history.findIndex(({ phase }) => phase === 'screening');
  const { at: since } = present(history[final], 'a deposit that is final');
  const steps: Step[] = [];
  let before = since;
  for (const told of history.slice(final + 1)) {
    const step = stepOf(told);
    if (step === undefined) continue;
    steps.push({ step, ms: told.at - before });
    before = told.at;
    if (step === SENT) break;
  }
  present(
    steps.find(({ step }) => step === SENT),
    'an order that was paid',
  );
  const elsewhereMs = steps.reduce((sum, { step, ms }) => (step === DELIVERED ? sum + ms : sum), 0);
  return { ms: before - since, steps, elsewhereMs };
}

const share = (sorted: readonly number[], part: number): number =>
  present(sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)], 'a wait');

export interface Spread {
  readonly median: number;
  readonly p95: number;
  readonly last: number;
}

export function spreadOf(waits: readonly number[]): Spread {
  const sorted = [...waits].sort((a, b) => a - b);
  return { median: share(sorted, 0.5), p95: share(sorted, 0.95), last: share(sorted, 1) };
}

/** By step, in the order in which they come, over all orders that took it. */
export function byStep(waits: readonly Wait[]): ReadonlyMap<string, readonly number[]> {
  const steps = new Map<string, number[]>();
  for (const { step, ms } of waits.flatMap((wait) => wait.steps)) {
    const all = steps.get(step) ?? [];
    all.push(ms);
    steps.set(step, all);
  }
  return steps;
}
