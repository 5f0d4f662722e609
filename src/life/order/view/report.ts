import { type Amount, scale } from '../../../kernel/amount.ts';
import type { TxHash } from '../../../kernel/ids.ts';
import { percent } from '../../../kernel/ratio.ts';
import { bucketOf } from '../../../kernel/time-buckets.ts';
import { type UsdMicros, usdValue } from '../../../kernel/usd.ts';
import { isPaid, txHashOf } from '../../payment/payment.ts';
import type { Draft } from '../create.ts';
import { arrived, feeAmount } from '../fee-destination.ts';
import type { FeeSkipReason } from '../order.ts';
import { completedAt, errorOf, type V2Status, v2Status } from './v2-customer.ts';

export type FeeStatus = 'none' | 'projected' | 'paid' | 'skipped';

/** What the integrator earns by an order, as far as it is known. */
export interface FeeReport {
  readonly status: FeeStatus;
  readonly skipReason: FeeSkipReason | undefined;
  readonly percent: number;
  /** What is paid, or would have been; undefined where no fee was asked. */
  readonly amount: Amount | undefined;
  readonly usd: UsdMicros;
  readonly txHash: TxHash | undefined;
}

const NOTHING = 0n as UsdMicros;
const NO_FEE: FeeReport = {
  ...{ status: 'none', skipReason: undefined, percent: 0, amount: undefined, usd: NOTHING, txHash: undefined },
};

/** An order that ended without a swap owes nobody a fee; one whose deposit goes back has skipped it. */
export function feeReport(order: Draft): FeeReport {
  const asked = order.integratorFee ?? order.feeSkipped;
  const status = v2Status(order);
  if (!asked) return NO_FEE;
  if (status === 'expired' || status === 'failed') return { ...NO_FEE, percent: asked.percent };
  const known = {
    percent: asked.percent,
    amount: feeAmount(order, asked.percent),
    usd: usdValue(scale(arrived(order), percent(String(asked.percent)), 'down'), order.route.fromPrice),
    txHash: undefined,
  };
  const payment = order.payments.findLast(({ purpose }) => purpose.for === 'integrator_fee');
  if (payment && isPaid(payment))
    return { ...known, status: 'paid', skipReason: undefined, amount: payment.amount, txHash: txHashOf(payment) };
  const isGoingBack = errorOf(order)?.code === 'refunded';
  if (isGoingBack) return { ...known, status: 'skipped', skipReason: 'refunded' };
  if (order.feeSkipped) return { ...known, status: 'skipped', skipReason: order.feeSkipped.reason };
  return { ...known, status: 'projected', skipReason: undefined };
}

/** What partners find an order by, and what it adds to their figures. Plain values: the database counts with them. */
export interface OrderReport {
  readonly status: V2Status;
  readonly feeStatus: FeeStatus;
  readonly feeAsset: string | null;
  readonly feeAtoms: string;
  readonly feeUsd: string;
  readonly volumeUsd: string;
  readonly timeBucket: number | null;
  readonly fromSymbol: string;
  readonly toSymbol: string;
}

export function reportRow(order: Draft): OrderReport {
  const fee = feeReport(order);
  const status = v2Status(order);
  const isCompleted = status === 'completed';
  return {
    status,
    feeStatus: fee.status,
    feeAsset: fee.amount?.asset ?? null,
    feeAtoms: (fee.amount?.atoms ?? 0n).toString(),
    feeUsd: fee.usd.toString(),
    volumeUsd: (isCompleted ? usdValue(arrived(order), order.route.fromPrice) : NOTHING).toString(),
    timeBucket: isCompleted ? timeBucket(order) : null,
    fromSymbol: order.from.symbol,
    toSymbol: order.to.symbol,
  };
}

/** From the first sight of the deposit: how long the customer thinks it over is not the desk's time. */
function timeBucket(order: Draft): number | null {
  const end = completedAt(order);
  return end === undefined ? null : bucketOf((end - (order.funds.firstSeenAt ?? order.createdAt)) / 1000);
}
