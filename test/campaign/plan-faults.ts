import type { Event, ProviderMode } from './events.ts';
import type { Chance } from './random.ts';

/** Orders come after the desk is up, and trouble while they are under way. */
export const FIRST = 40;
export const SPREAD = 40;
export const TROUBLE = { from: 45, to: 160 };
/** Blocks that are undone at most: payments are settled below that. */
export const DEEPEST = 4;

export function faultOf(c: Chance): Event {
  const at = c.between(TROUBLE.from, TROUBLE.to);
  const seconds = c.pick([15, 45, 100]);
  const all: readonly (() => Event)[] = [
    () => ({ what: 'crash', at, calls: c.below(60), moment: c.pick(['dies before', 'dies after'] as const) }),
    () => ({ what: 'crash', at, calls: c.below(400), moment: c.pick(['dies before', 'dies after'] as const) }),
    () => ({ what: 'lost', at, calls: c.below(200) }),
    () => ({
      what: 'reorg',
      at,
      depth: c.between(1, DEEPEST),
      loses: c.pick(['nothing', 'deposits', 'ours'] as const),
    }),
    () => ({
      what: 'reorg',
      at,
      depth: c.between(2, DEEPEST),
      loses: c.pick(['nothing', 'deposits', 'ours'] as const),
    }),
    () => ({ what: 'spike', at, times: c.pick([3, 20, 400]), seconds }),
    () => ({ what: 'stall', at, seconds }),
    () => ({ what: 'node', at, seconds, how: c.pick(['down', 'lags', 'forgets'] as const) }),
    () => ({ what: 'provider', at: c.between(FIRST, 120), mode: c.pick(PROVIDER_MODES), which: c.below(2) }),
    () => ({
      what: 'venue',
      at,
      mode: c.pick(['down', 'error_after_effect', 'reject'] as const),
      count: c.between(1, 4),
    }),
    () => ({ what: 'book', at: c.between(FIRST, 90), depthUsd: c.pick([20, 100, 1_000]) }),
    () => ({ what: 'clock', at, by: c.pick([-30, 45, 600, 3_700]) }),
    () => ({ what: 'engine', at: c.between(10, 120) }),
    () => ({ what: 'signer', at }),
    () => ({ what: 'restore', at: c.between(FIRST + 10, 140), backAt: 0 }),
  ];
  const event = c.pick(all)();
  return event.what === 'restore' ? { ...event, backAt: event.at + c.between(10, 100) } : event;
}

const PROVIDER_MODES: readonly ProviderMode[] = [
  'short_delivery',
  'false_delivery',
  'other_asset',
  'no_delivery',
  'error_after_effect',
  'reject',
  'down',
];
