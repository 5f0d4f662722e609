import type { ChainName, Deed, Event, OrderEvent, Plan, Trip, Wants } from './events.ts';
import { DEEPEST, FIRST, faultOf, SPREAD, TROUBLE } from './plan-faults.ts';
import { type Chance, chance } from './random.ts';

const EVM_TRIPS: readonly Trip[] = ['usdc_wbtc', 'wbtc_usdc', 'eth_usdc', 'usdc_eth'];
const XMR_TRIPS: readonly Trip[] = ['usdc_xmr', 'xmr_usdc'];
const BTC_TRIPS: readonly Trip[] = ['usdc_btc', 'btc_usdc'];
const BRIDGE_TRIPS: readonly Trip[] = ['xmr_xmr1', 'xmr1_xmr'];

export function planOf(seed: number): Plan {
  const c = chance(`plan ${seed}`);
  const hasMonero = c.once(4);
  const orders = Array.from({ length: c.between(1, 3) }, (_, n) => orderOf(c.child(`order ${n}`), hasMonero));
  const faults = Array.from({ length: c.between(0, 4) }, (_, n) => faultOf(c.child(`fault ${n}`)));
  const undone = orders.some(({ trip }) => XMR_TRIPS.includes(trip)) ? moneroUndone(c.child('monero')) : [];
  const more = [
    ...twins(c.child('twins')),
    ...afterwards(c.child('afterwards')),
    ...undone,
    ...bitcoiners(c.child('bitcoin')),
    ...bridgers(c.child('bridge')),
    ...TRADING.flatMap((trading) => traders(c.child(trading.chain), trading)),
    ...takenBack(c.child('taken back'), orders),
    ...pruned(c.child('pruned')),
    ...unheard(c.child('unheard')),
    ...levels(c.child('levels')),
  ];
  return { seed, events: [...orders, ...faults, ...more].sort((a, b) => a.at - b.at) };
}

/** Monero has a block in half a minute: its troubles come over a longer while. */
function moneroUndone(c: Chance): readonly Event[] {
  const loses = () => c.pick(['nothing', 'deposits', 'spent', 'ours'] as const);
  return Array.from({ length: c.between(0, 2) }, () => ({
    ...{
      what: 'monero' as const,
      at: c.between(TROUBLE.from, 2 * TROUBLE.to),
      depth: c.between(1, DEEPEST),
      loses: loses(),
    },
  }));
}

/** In every fifth seed one or two trade Bitcoin, which has a block in half a minute as well. */
function bitcoiners(c: Chance): readonly Event[] {
  if (!c.once(5)) return [];
  const orders = Array.from({ length: c.between(1, 2) }, (_, n) => bitcoiner(c.child(`order ${n}`)));
  const at = () => c.between(TROUBLE.from, 2 * TROUBLE.to);
  const loses = () => c.pick(['nothing', 'spent', 'ours', 'outbid'] as const);
  const undone = Array.from({ length: c.between(0, 2) }, () => ({
    ...{ what: 'undone' as const, chain: 'Bitcoin' as const, at: at(), depth: c.between(1, DEEPEST), loses: loses() },
  }));
  const crowds = c.once(2) ? [crowd(c, 'Bitcoin', at())] : [];
  return [...orders, ...undone, ...crowds];
}

const crowd = (c: Chance, chain: ChainName, at: number): Event => ({
  ...{ what: 'crowd', chain, at, seconds: c.pick([100, 300]) },
});

interface Trading {
  readonly chain: ChainName;
  readonly trips: readonly Trip[];
  /** Seconds after an order in which its blocks may be found anew, where they ever are. */
  readonly undoneWithin?: number;
}

const TRADING: readonly Trading[] = [
  {
    ...{ chain: 'Tron', undoneWithin: 60 },
    trips: ['usdc_trx', 'trx_usdc', 'usdc_tether', 'tether_usdc', 'trx_trx1', 'trx1_trx'],
  },
  { chain: 'Zcash', undoneWithin: 270, trips: ['usdc_zec', 'zec_usdc', 'zec_zec1', 'zec1_zec'] },
  { chain: 'Solana', trips: ['usdc_sol', 'sol_usdc', 'eth_coins', 'coins_eth'] },
];

/** In every seventh somebody trades what this chain has. */
function traders(c: Chance, { chain, trips, undoneWithin = 0 }: Trading): readonly Event[] {
  if (!c.once(7)) return [];
  const orders = Array.from({ length: c.between(1, 2) }, (_, n) => trader(c.child(`order ${n}`), trips));
  const undone = Array.from({ length: undoneWithin > 0 ? c.between(0, 2) : 0 }, () => {
    const at = c.pick(orders).at + c.between(10, undoneWithin);
    const loses = c.pick(['nothing', 'spent', 'ours'] as const);
    return { what: 'undone', chain, at, depth: c.between(1, DEEPEST), loses } as const;
  });
  return [...orders, ...undone, ...(c.once(3) ? [crowd(c, chain, c.between(TROUBLE.from, 2 * TROUBLE.to))] : [])];
}

/** Who issues a token can freeze what somebody has of it. */
const FREEZES: readonly Trip[] = ['usdc_tether', 'eth_coins'];

/** Nobody takes a part of what is paid in these. */
const NO_FEES: readonly Trip[] = ['trx_usdc', 'tether_usdc', 'zec_usdc'];

function trader(c: Chance, trips: readonly Trip[]): OrderEvent {
  const trip = c.pick(trips);
  return {
    ...{ what: 'order', at: FIRST + c.below(SPREAD), trip, usd: c.pick([60, 150, 400, 1_200]) },
    ...{ deeds: c.once(2) ? [HONEST] : hostileDeeds(c), namesRefund: !c.once(3) },
    payee: FREEZES.includes(trip) && c.once(3) ? 'refusing' : 'plain',
    hasEarner: !NO_FEES.includes(trip) && c.child('earner').once(3),
  };
}

/** In every sixth somebody takes Monero over the bridge, to the venue or from there. */
function bridgers(c: Chance): readonly Event[] {
  if (!c.once(6)) return [];
  const order: OrderEvent = {
    ...{ what: 'order', at: FIRST + c.below(SPREAD), trip: c.pick(BRIDGE_TRIPS), usd: c.pick([60, 150, 400]) },
    ...{ payee: 'plain', deeds: c.once(2) ? [HONEST] : hostileDeeds(c), namesRefund: c.once(2) },
  };
  return [order, ...moneroUndone(c.child('monero'))];
}

function bitcoiner(c: Chance): OrderEvent {
  const trip = c.pick(BTC_TRIPS);
  const isOutdone = trip === 'btc_usdc' && c.once(3);
  const outdone: readonly Deed[] = [HONEST, { after: 5 + c.below(30), deed: 'outdoes' }];
  return {
    ...{ what: 'order', at: FIRST + c.below(SPREAD), trip, usd: c.pick([150, 400, 1_200]), payee: 'plain' },
    deeds: isOutdone ? outdone : c.once(2) ? [HONEST] : hostileDeeds(c),
    namesRefund: !c.once(3),
  };
}

const HONEST: Deed = { after: 5, deed: 'pays', percent: 100 };

/** A deposit leaves the chain soon after it was deep enough. */
function takenBack(c: Chance, [first]: readonly OrderEvent[]): readonly Event[] {
  if (!first || !c.once(6)) return [];
  return [{ what: 'reorg', at: first.at + c.between(15, 30), depth: DEEPEST, loses: 'deposits' }];
}

/** The node keeps few states for most of the time. */
function pruned(c: Chance): readonly Event[] {
  return c.once(4) ? [{ what: 'node', at: FIRST, seconds: TROUBLE.to, how: 'prunes' }] : [];
}

const WANTS: readonly Wants[] = [
  'more on the venue',
  'less on the venue',
  'another token',
  'more of the coin',
  'less in the hot account',
];

/** In every sixth the house levels its stock meanwhile. */
function levels(c: Chance): readonly Event[] {
  return c.once(6) ? [{ what: 'levels', at: 0, wants: c.pick(WANTS) }] : [];
}

function unheard(c: Chance): readonly Event[] {
  return c.once(5) ? [{ what: 'unheard', at: c.between(FIRST, 80), calls: c.below(2), isListed: c.once(2) }] : [];
}

/** Two who want the same of the cheapest provider in the same moment, which delivers less than it says for one of them. */
function twins(c: Chance): readonly Event[] {
  if (!c.once(5)) return [];
  const [at, trip, usd] = [FIRST + c.below(SPREAD), c.pick(EVM_TRIPS), c.pick([150, 400])];
  const one: OrderEvent = { what: 'order', at, trip, usd, deeds: [HONEST], payee: 'plain', namesRefund: true };
  return [one, one, { what: 'provider', at: FIRST, mode: 'short_delivery', which: 0 }].map(
    (event) => ({ ...event }) as Event,
  );
}

/** Seconds after which whoever was honest was served. */
export const LONG_AFTER = 110;

/** Whoever was served, and pays again when all is over: half as much, or little more than giving it back costs. */
function afterwards(c: Chance): readonly Event[] {
  if (!c.once(5)) return [];
  const after = LONG_AFTER + c.below(30);
  const again: readonly Deed[] = c.once(2)
    ? [{ after, deed: 'pays', percent: 50 }]
    : [{ after, deed: 'strays', atoms: c.pick([40_000n, 50_000n, 60_000n]), symbol: 'USDT' }];
  const order = { at: FIRST + c.below(SPREAD), trip: c.pick(EVM_TRIPS), usd: c.pick([60, 150]) };
  return [{ what: 'order', ...order, deeds: [HONEST, ...again], payee: 'plain', namesRefund: true }];
}

function orderOf(c: Chance, hasMonero: boolean): OrderEvent {
  const trip = c.pick(hasMonero && c.once(2) ? XMR_TRIPS : EVM_TRIPS);
  const isHonest = c.once(2);
  const payees = ['plain', 'plain', 'refusing', 'turning', 'turning', 'sanctioned'] as const;
  return {
    what: 'order',
    at: FIRST + c.below(SPREAD),
    trip,
    usd: c.pick([60, 150, 400, 1_200]),
    deeds: isHonest ? [HONEST] : hostileDeeds(c),
    payee: isHonest || trip === 'usdc_xmr' ? 'plain' : c.pick(payees),
    namesRefund: !c.once(3),
    hasEarner: !NO_FEES.includes(trip) && c.child('earner').once(3),
  };
}

function hostileDeeds(c: Chance): readonly Deed[] {
  const after = () => 5 + c.below(80);
  const all: readonly (() => readonly Deed[])[] = [
    () => [HONEST],
    () => [HONEST, { after: after(), deed: 'pays', percent: 100 }],
    () => [
      { after: 5, deed: 'pays', percent: 60 },
      { after: after(), deed: 'pays', percent: 40 },
    ],
    () => [
      { after: 5, deed: 'pays', percent: 60 },
      { after: after(), deed: 'closes' },
    ],
    () => [{ after: 5, deed: 'pays', percent: 150 }],
    () => [
      { after: 5, deed: 'fails' },
      { after: after(), deed: 'pays', percent: 100 },
    ],
    () => [
      { after: after(), deed: 'lies' },
      { after: after(), deed: 'pays', percent: 100 },
    ],
    () => [
      { after: 5, deed: 'strays', atoms: c.pick([1n, 1_000n, 30_000_000n]), symbol: c.pick(['USDT', 'USDC', 'ETH']) },
      { after: after(), deed: 'pays', percent: 100 },
      { after: after(), deed: 'strays', atoms: c.pick([1n, 40_000n, 300_000n]), symbol: c.pick(['USDT', 'USDC']) },
    ],
  ];
  return [...c.pick(all)()].sort((a, b) => a.after - b.after);
}
