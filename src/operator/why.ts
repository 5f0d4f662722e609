import { isoTime } from '../kernel/clock.ts';
import type { Order } from '../life/order/order.ts';
import type { In, Phase, State } from '../life/order/state.ts';
import type { OrderReport } from './reads.ts';

/** Complete by type: a new phase must say what it waits for. */
const WAITS: { readonly [P in Phase]: (state: In<P>, order: Order) => string } = {
  awaiting_deposit: (_, { expiresAt }) => `waits for the deposit until ${isoTime(expiresAt)}`,
  confirming: (_, { funds }) => `the deposit was seen and has ${funds.have} of ${funds.need} confirmations`,
  below_minimum: () => 'what arrived is under the minimum; a top-up continues it',
  screening: () => 'the sender of the deposit is being checked',
  funding_gas: () => 'gas is being sent ahead, so that the deposit can be collected',
  collecting: () => 'the deposit is being collected to the hot account',
  stocking: ({ shortOf }) => (shortOf ? `the treasury is short of ${shortOf}` : 'waits for the treasury'),
  trading: ({ run }) => `chunk ${run.chunk + 1} of ${run.chunks} is being traded, attempt ${run.attempt + 1}`,
  placing: ({ refusals }) => `a provider is looked for; all of them refused ${refusals} times`,
  funding: ({ deal }) => `${deal.provider} is being paid for its order ${deal.terms.id}`,
  swapping: ({ deal }) => `${deal.provider} carries out its order ${deal.terms.id}`,
  provider_failed: ({ deal, reason }) => `${deal.provider} failed its order ${deal.terms.id}: ${reason}; ask it`,
  payout_due: ({ shortOf }) => (shortOf ? `the hot account is short of ${shortOf}` : 'waits for the hot account'),
  payout_reserved: () => 'the payout is set apart and waits to be signed',
  payout_signed: ({ txHash }) => `the payout ${txHash} is signed and waits to be sent`,
  payout_sent: ({ txHash }) => `the payout ${txHash} was sent and waits for its confirmation`,
  payout_refused: ({ reason }) => `the chain refuses the destination: ${reason}; the customer may give another`,
  refunding: ({ leg, reason }, { claims }) =>
    `the deposit goes back because ${reason}; stage: ${claims.find((claim) => claim.leg === leg)?.stage ?? 'unknown'}`,
  completed: ({ at }) => `was paid out at ${isoTime(at)}`,
  refunded: ({ at, reason }) => `was refunded at ${isoTime(at)} because ${reason}`,
  expired: ({ at }) => `nothing could be carried out by ${isoTime(at)}`,
  failed: ({ code }) => `a person must act: ${code}`,
};

/** Why the order is where it is: what its phase waits for, and what keeps going wrong. */
export function why({ order, work }: OrderReport): string {
  const { state } = order;
  // The table is keyed by the very phase that selects the state; TypeScript cannot follow that through the union.
  const waits = WAITS[state.phase] as (state: State, order: Order) => string;
  const troubles = work.flatMap(({ effect, tries, trouble }) =>
    trouble === undefined ? [] : [`${effect} failed ${tries} times, last with: ${trouble}`],
  );
  return [waits(state, order), ...troubles].join('; ');
}
