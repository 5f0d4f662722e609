import { type Amount, amount, equal, rescale } from '../../../kernel/amount.ts';
import { showUsd, type UsdMicros, usdValue } from '../../../kernel/usd.ts';
import type { VenueLeg } from '../../quote/quote.ts';
import type { Claim, Order } from '../order.ts';
import type { Phase } from '../state.ts';

export type V1Status =
  | 'awaiting_deposit'
  | 'deposit_detected'
  | 'deposit_confirmed'
  | 'funding_gas'
  | 'gas_funded'
  | 'executing_swap'
  | 'swap_pending'
  | 'completed'
  | 'expired'
  | 'failed'
  | 'refunding_wrong_chain'
  | 'refunding'
  | 'refunded';

const STATUS: Readonly<Record<Exclude<Phase, 'refunding' | 'expired'>, V1Status>> = {
  awaiting_deposit: 'awaiting_deposit',
  confirming: 'deposit_detected',
  below_minimum: 'awaiting_deposit',
  screening: 'deposit_confirmed',
  funding_gas: 'funding_gas',
  collecting: 'gas_funded',
  stocking: 'executing_swap',
  trading: 'executing_swap',
  placing: 'executing_swap',
  funding: 'executing_swap',
  swapping: 'swap_pending',
  provider_failed: 'swap_pending',
  payout_due: 'swap_pending',
  payout_reserved: 'swap_pending',
  payout_signed: 'swap_pending',
  payout_sent: 'swap_pending',
  payout_refused: 'refunding_wrong_chain',
  completed: 'completed',
  refunded: 'refunded',
  failed: 'failed',
};

/** v1 takes a refund address only while it says `refunding_wrong_chain`, so it says so whenever one is needed. */
export function v1Status(order: Order): V1Status {
  const { state } = order;
  if (state.phase !== 'refunding' && state.phase !== 'expired') return STATUS[state.phase];
  const claim = openClaimOf(order);
  if (!claim) return state.phase;
  return claim.stage === 'address_required' ? 'refunding_wrong_chain' : 'refunding';
}

/** The claim to show: the first that is not settled, else the last. */
export function openClaimOf(order: Order): Claim | undefined {
  return order.claims.find((claim) => claim.stage !== 'completed');
}

export interface V1Twap {
  readonly enabled: boolean;
  readonly status: 'pending' | 'active' | 'completed' | 'failed';
  readonly chunksCompleted: number;
  readonly chunksTotal: number;
  readonly filledQty: string;
  readonly totalQty: string;
  readonly chunkSizeUsd: number;
  readonly intervalMs: number;
  readonly estimatedTimeRemainingMs: number;
}

/** Progress of chunked execution; undefined where the order is worked at once. */
export function twapOf(order: Order): V1Twap | undefined {
  const leg = order.route.legs.find((one) => one.leg === 'venue');
  if (!leg || leg.chunks.count < 2) return undefined;
  const run = order.state.phase === 'trading' ? order.state.run : order.traded;
  const status = twapStatus(order);
  const chunksTotal = run?.chunks ?? leg.chunks.count;
  const chunksCompleted = status === 'completed' ? chunksTotal : (run?.chunk ?? 0);
  const remaining =
    status === 'completed' || status === 'failed' ? 0 : (chunksTotal - chunksCompleted) * leg.chunks.intervalMs;
  return {
    enabled: true,
    status,
    chunksCompleted,
    chunksTotal,
    filledQty: run ? dollars(order, leg, run.spent) : '0',
    totalQty: run ? dollars(order, leg, run.total) : '0',
    chunkSizeUsd: leg.chunks.chunkSizeUsd,
    intervalMs: leg.chunks.intervalMs,
    estimatedTimeRemainingMs: remaining,
  };
}

const ENDED: ReadonlySet<Phase> = new Set(['refunding', 'refunded', 'failed', 'expired']);

function twapStatus({ state, traded }: Order): V1Twap['status'] {
  if (state.phase === 'trading') return 'active';
  if (traded) return equal(traded.spent, traded.total) ? 'completed' : 'failed';
  return ENDED.has(state.phase) ? 'failed' : 'pending';
}

/** Buyers spend the venue's dollars, sellers the coin that they deposited. */
function dollars(order: Order, leg: VenueLeg, spent: Amount): string {
  if (leg.side === 'buy') return showUsd(rescale(spent.atoms, leg.spendDecimals, USD_DECIMALS, 'down') as UsdMicros);
  const value = rescale(spent.atoms, leg.spendDecimals, order.from.decimals, 'down');
  return showUsd(usdValue(amount(order.from.id, value), order.route.fromPrice));
}

const USD_DECIMALS = 6;
