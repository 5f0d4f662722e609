import { type Amount, amount } from '../../src/kernel/amount.ts';
import type { Instant } from '../../src/kernel/clock.ts';
import { type Address, txHash } from '../../src/kernel/ids.ts';
import type { Part } from '../../src/kernel/transfer-part.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import { budgetAt } from '../../src/life/order/machine/fees.ts';
import { legOf } from '../../src/life/order/machine/leg.ts';
import type { Order } from '../../src/life/order/order.ts';
import type { KeptSighting } from '../../src/life/order/sighting.ts';
import type { Deal } from '../../src/life/order/state.ts';
import { kindOf, type Payment } from '../../src/life/payment/payment.ts';
import { ETH, STRAY, USDC, worth, XMR } from './market.ts';
import { minute, place, type Trip } from './world.ts';

export interface Deposit {
  readonly at: number;
  /** Thousandths of what was asked. */
  readonly part: bigint;
  /** On another chain. */
  readonly isStray: boolean;
  /** vanishes: from the pool. reorged: after it was final. returns: and is mined again. */
  readonly fate: 'stays' | 'vanishes' | 'reorged' | 'returns';
}

/** What a script says of a payment by: its kind, and for payouts which of the two. */
export type Named = 'gas' | 'sweep' | 'fund' | 'refund' | 'payout:0' | 'payout:1';

/** Everything the world will do, whenever it is asked: the same question has the same answer on every try. */
export interface Script {
  readonly trip: Trip;
  readonly deposits: readonly Deposit[];
  readonly closesWaitAt: number | undefined;
  readonly givesRefundAddress: boolean;
  readonly givesPayoutAddress: boolean;
  /** Asks for a refund where another payout address would do. */
  readonly wantsItBack: boolean;
  readonly isClear: boolean;
  readonly showsSender: boolean;
  readonly gas: bigint;
  readonly market: 'full' | 'partial' | 'slow' | 'lots' | 'crumbs' | 'dies' | 'dead';
  /** What providers offer, and what comes of it when one is paid. */
  readonly offers: 'good' | 'late' | 'none' | 'silence';
  readonly deals:
    | 'delivered'
    | 'short'
    | 'other asset'
    | 'returned once'
    | 'returned'
    | 'failed'
    | 'failed, then delivered';
  /** How often each reservation finds the treasury short. */
  readonly shortages: number;
  /** Payments that the chain refuses before they are signed, and those that it executes and fails. */
  readonly refuses: readonly Named[];
  readonly fails: readonly Named[];
  /** Payments that are shown as paid and then fail for good, those that fall out and come back, and those that get stuck. */
  readonly undoes: readonly Named[];
  readonly sticks: readonly Named[];
  /** Milliseconds that each instruction in turn waits to be carried out. */
  readonly delays: readonly number[];
}

/** Steps before which the queue is lost, or only believed to be; then what the state calls for is queued. */
export interface Trouble {
  readonly losesQueueAt: readonly number[];
  readonly doublesQueueAt: readonly number[];
}

export const NO_TROUBLE: Trouble = { losesQueueAt: [], doublesQueueAt: [] };

const CONFIRMS_AFTER = 4;

/** What comes of asking providers. */
export function offerNews({ offers }: Script, order: Order, number: number, at: Instant): Fact | undefined {
  if (order.state.phase !== 'placing' || number !== order.deals) return undefined;
  if (offers === 'silence') return { fact: 'leg_declined', number, refused: false, at };
  const isLate = offers === 'late' && order.state.refusals === 0;
  if (offers === 'none' || isLate) return { fact: 'leg_declined', number, refused: true, at };
  const input = budgetAt(order, order.state.leg, order.state.held);
  const output = worth(input, legOf(order, order.state.leg).output.asset);
  return { fact: 'leg_placed', deal: dealOf(number, input, output), at };
}

/** What comes of the deal that was funded. */
export function dealNews({ deals }: Script, { state, to }: Order, number: number, at: Instant): Fact | undefined {
  if ((state.phase !== 'swapping' && state.phase !== 'provider_failed') || state.deal.number !== number)
    return undefined;
  const { input, output } = state.deal.terms;
  const got = deals === 'short' ? amount(output.asset, (output.atoms * 9n) / 10n) : output;
  const delivered: Fact = { fact: 'leg_delivered', number, got, to: undefined, at };
  const returned: Fact = { fact: 'leg_returned', number, got: lessDust(input), at };
  switch (deals) {
    case 'delivered':
    case 'short':
      return delivered;
    case 'other asset': {
      const other = worth(input, to.id === USDC.id ? ETH.id : XMR.id);
      const bound = other.asset === ETH.id ? place(ETH.id, 'customer') : undefined;
      return { ...delivered, got: other, most: other, to: bound };
    }
    case 'returned once':
      return number === 0 ? returned : delivered;
    case 'returned':
      return returned;
    default:
      if (state.phase === 'swapping') return { fact: 'leg_failed', number, reason: 'lost', at };
      return deals === 'failed, then delivered' ? delivered : undefined;
  }
}

export const worthOf = ({ asked }: Order, { part, isStray }: Deposit): Amount =>
  amount(isStray ? STRAY : asked.asset, (asked.atoms * part) / 1_000n);

const lessDust = (value: Amount): Amount => amount(value.asset, value.atoms - value.atoms / 100n);

export const dealOf = (number: number, input: Amount, output: Amount): Deal => ({
  number,
  provider: 'desk',
  terms: {
    ...{ id: `theirs ${number}`, depositAddress: `theirs ${number}` as Address, input, output, least: output },
    deadline: minute(600),
  },
  binding: `bound:theirs ${number}`,
  placedAt: minute(10),
});

export function nameOf({ purpose }: Payment, part: Part): Named {
  if (part === 'gas') return 'gas';
  return (purpose.for === 'payout' ? `payout:${purpose.number}` : kindOf(purpose)) as Named;
}

export function lifeOf({
  at,
  fate,
}: Deposit): readonly { readonly at: number; readonly state: KeptSighting['state'] }[] {
  const seen = { at, state: 'pool' } as const;
  const settled = at + CONFIRMS_AFTER;
  if (fate === 'vanishes') return [seen, { at: settled, state: 'gone' }];
  const final = [seen, { at: settled, state: 'final' } as const];
  if (fate === 'stays') return final;
  const gone = [...final, { at: settled + 3, state: 'gone' } as const];
  return fate === 'reorged' ? gone : [...gone, { at: settled + 6, state: 'final' }];
}

/** What one ticket spends of what its chunk has left. */
export function filled(market: Script['market'], left: bigint, chunk: number, attempt: number): bigint {
  switch (market) {
    case 'full':
      return left;
    case 'partial':
      return attempt === 0 ? left / 3n : left;
    case 'slow':
      return attempt === 0 ? 0n : left;
    case 'lots':
      return left + 7n;
    case 'crumbs':
      return left > 5n ? left - 5n : left;
    case 'dies':
      return chunk === 0 && attempt === 0 ? left / 2n : 0n;
    case 'dead':
      return 0n;
  }
}

export const sighting = (index: number, value: Amount) => ({
  key: `${index}`,
  orderId: undefined,
  address: 'deposit' as Address,
  asset: value.asset,
  atoms: value.atoms,
  txHash: txHash(`0x${index}`),
  height: 1,
  blockHash: undefined,
  sender: value.asset === STRAY ? undefined : ('sender' as Address),
  isReward: false,
  changed: true,
  isProven: true,
});
