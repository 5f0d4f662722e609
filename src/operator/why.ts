import { isoTime } from '../kernel/clock.ts';
import { type ChainId, chainOf } from '../kernel/ids.ts';
import type { Case } from '../life/case/case.ts';
import type { Order } from '../life/order/order.ts';
import type { In, Phase, State } from '../life/order/state.ts';
import type { Payment, PaymentState } from '../life/payment/payment.ts';
import { guideFor } from './case-guide.ts';
import type { OrderReport } from './reads.ts';

/** Complete by type: a new phase must say what it waits for. */
const WAITS: { readonly [P in Phase]: (state: In<P>, order: Order) => string } = {
  awaiting_deposit: ({ until }, { expiresAt }) =>
    until
      ? `the deposit has left the chain and may come back until ${isoTime(until)}`
      : `waits for the deposit until ${isoTime(expiresAt)}`,
  confirming: ({ rest }, { funds }) =>
    rest
      ? `a part of the deposit is final, and the rest is waited for until ${isoTime(rest.until)}`
      : `the deposit was seen and has ${funds.have} of ${funds.need} confirmations`,
  below_minimum: () => 'what arrived is under the minimum; a top-up continues it',
  screening: () => 'the sender of the deposit is being checked',
  collecting: () => 'the deposit is being collected to the hot account',
  stocking: ({ shortOf }) => (shortOf ? `the treasury is short of ${shortOf}` : 'waits for the treasury'),
  trading: ({ run: { chunk, chunks, attempt, idleSince } }) => {
    const idle =
      idleSince === undefined
        ? ''
        : `; since ${isoTime(idleSince)} the book gives nothing at a price that the order accepts`;
    return `chunk ${chunk + 1} of ${chunks} is being traded, attempt ${attempt + 1}${idle}`;
  },
  placing: ({ refusals }) =>
    `a provider is looked for${refusals === 0 ? '' : `; all of them refused ${refusals} times`}`,
  swapping: ({ deal }) => `${deal.provider} carries out its order ${deal.terms.id}`,
  provider_failed: ({ deal, reason }) => `${deal.provider} failed its order ${deal.terms.id}: ${reason}; ask it`,
  payout_due: ({ shortOf }) => (shortOf ? `the hot account is short of ${shortOf}` : 'waits for the hot account'),
  paying: () => 'the payout is under way',
  payout_refused: ({ reason }) => `the chain refuses the destination: ${reason}; the customer may give another`,
  refunding: ({ claim, reason }, { claims }) =>
    `the deposit goes back because ${reason}; stage: ${claims.find(({ number }) => number === claim)?.stage ?? 'unknown'}`,
  completed: ({ at }) => `was paid out at ${isoTime(at)}`,
  refunded: ({ at, reason }) => `was refunded at ${isoTime(at)} because ${reason}`,
  expired: ({ at }) => `nothing could be carried out by ${isoTime(at)}`,
  failed: ({ code }) => `a person must act: ${code}`,
};

/** Complete by type: what a payment that is not settled waits for. */
const UNDER_WAY: { readonly [S in PaymentState['state']]: string | undefined } = {
  due: 'waits to be priced',
  awaiting_gas: 'waits for gas that is sent ahead',
  reserved: 'is set apart and waits to be signed',
  signed: 'is signed and waits to be sent',
  sent: 'was sent and waits for a block',
  confirmed: 'is in a block and watched until it is final',
  settled: undefined,
  refused: undefined,
  held: 'can never take effect as it was signed; a person must look',
};

function underWay({ id, state }: Payment): readonly string[] {
  const what = UNDER_WAY[state.state];
  const hash = 'txHash' in state ? ` by ${state.txHash}` : '';
  return what === undefined ? [] : [`payment ${id}${hash} ${what}`];
}

/** A report may be of an order that has seen no deposit yet. */
function heldBack({ funds }: Order): readonly string[] {
  const missing = funds?.missing;
  if (!missing) return [];
  return [
    `HELD: ${missing.atoms} atoms of ${missing.asset} that were credited are not on the chain; goes on when they are`,
  ];
}

/** Phases in which the order waits for what its chain will show. */
const LOOKS_OUT: ReadonlySet<Phase> = new Set(['awaiting_deposit', 'below_minimum', 'confirming']);

/** What keeps the desk from seeing a deposit of this order, as far as a case says so. */
export function unseen({ state, from }: Order, open: readonly Case[], nameOf: (chain: ChainId) => string) {
  if (!LOOKS_OUT.has(state.phase)) return [];
  const chain = chainOf(from.id);
  const keepsFromSeeing = (one: Case): boolean =>
    (one.case === 'scanner_behind' && one.chain === chain) ||
    (one.case === 'round_failed' && one.round === `scan ${nameOf(chain)}`);
  return open.filter(keepsFromSeeing).map((one) => guideFor(one).reason);
}

/** Why the order is where it is: what its phase and its payments wait for, and what keeps going wrong. */
export function why({ order, work }: Pick<OrderReport, 'order' | 'work'>, ofItsChain: readonly string[] = []): string {
  const { state } = order;
  // The table is keyed by the very phase that selects the state; TypeScript cannot follow that through the union.
  const waits = WAITS[state.phase] as (state: State, order: Order) => string;
  const troubles = work.flatMap(({ effect, tries, trouble }) =>
    trouble === undefined ? [] : [`${effect} failed ${tries} times, last with: ${trouble}`],
  );
  const held = new Set(work.flatMap(({ heldBy }) => (heldBy === undefined ? [] : [`HELD by the breaker ${heldBy}`])));
  const payments = order.payments.flatMap(underWay);
  return [...heldBack(order), ...held, waits(state, order), ...ofItsChain, ...payments, ...troubles].join('; ');
}
