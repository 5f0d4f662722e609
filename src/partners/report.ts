import { type Instant, instant, isoTime } from '../kernel/clock.ts';
import type { AssetId, OrderId } from '../kernel/ids.ts';
import { medianOf } from '../kernel/time-buckets.ts';
import { showUsd, type UsdMicros } from '../kernel/usd.ts';

/** Figures are of orders made on these last days, today included, by UTC. */
export const REPORT_DAYS = 30;
const DAY_MS = 86_400_000;
/** Most traded first. */
export const TOP_PAIRS = 10;

/** Days since 1970. */
export const dayOf = (at: Instant): number => Math.floor(at / DAY_MS);
/** The days that figures are told of at this time, the first and the last. */
export function reportWindow(now: Instant): readonly [first: number, last: number] {
  const today = dayOf(now);
  return [Math.max(today - REPORT_DAYS + 1, 0), today];
}
const dateOf = (day: number): string => isoTime(instant(day * DAY_MS)).slice(0, 10);

export interface DayFigures {
  readonly day: number;
  readonly orders: number;
  readonly completed: number;
  readonly refunded: number;
  readonly failed: number;
  readonly expired: number;
  readonly attributed: number;
  readonly volumeUsd: UsdMicros;
  readonly projectedUsd: UsdMicros;
  readonly paidUsd: UsdMicros;
  readonly skippedUsd: UsdMicros;
}

export interface Figures {
  readonly days: readonly DayFigures[];
  readonly pairs: readonly {
    readonly fromSymbol: string;
    readonly toSymbol: string;
    readonly orders: number;
    readonly volumeUsd: UsdMicros;
  }[];
  readonly fees: readonly { readonly asset: AssetId; readonly projected: bigint; readonly paid: bigint }[];
  /** How many orders took how long, by bucket. */
  readonly times: readonly number[];
  readonly distinctClients: number;
}

export interface OrderFilter {
  readonly status?: string | undefined;
  readonly feeStatus?: string | undefined;
  /** Inclusive. */
  readonly from?: Instant | undefined;
  /** Exclusive. */
  readonly to?: Instant | undefined;
}

export interface OrderPlace {
  readonly createdAt: Instant;
  readonly id: OrderId;
}

/** PORT. What is counted of an integration's orders. */
export interface Reports {
  /** Of the days from `first` to `last`. */
  figures(integrationId: string, first: number, last: number): Promise<Figures>;
  /** Newest first. */
  orders(
    integrationId: string,
    filter: OrderFilter,
    limit: number,
    before: OrderPlace | undefined,
  ): Promise<readonly OrderPlace[]>;
  /** Counts what was written since, so that whoever reads these days next has little to count. */
  count(first: number, last: number): Promise<void>;
}

const sum = (days: readonly DayFigures[], of: (day: DayFigures) => number): number =>
  days.reduce((total, day) => total + of(day), 0);
const sumUsd = (days: readonly DayFigures[], of: (day: DayFigures) => bigint): string =>
  showUsd(days.reduce((total, day) => total + of(day), 0n) as UsdMicros);

export function attributionOf({ days, distinctClients }: Figures) {
  return {
    windowDays: REPORT_DAYS,
    totalOrders: sum(days, ({ orders }) => orders),
    attributedOrders: sum(days, ({ attributed }) => attributed),
    distinctIps: distinctClients,
  };
}

/** What a business asks of its orders; `nameOf` knows where an asset is and what it is called. */
export function statsOf<N extends object>(figures: Figures, today: number, nameOf: (asset: AssetId) => N) {
  const { days, pairs, fees, times } = figures;
  const orders = sum(days, (day) => day.orders);
  const ended = {
    completed: sum(days, (day) => day.completed),
    refunded: sum(days, (day) => day.refunded),
    failed: sum(days, (day) => day.failed),
    expired: sum(days, (day) => day.expired),
  };
  return {
    windowDays: REPORT_DAYS,
    orders,
    ...ended,
    open: orders - ended.completed - ended.refunded - ended.failed - ended.expired,
    volumeUsd: sumUsd(days, (day) => day.volumeUsd),
    feesUsd: {
      projected: sumUsd(days, (day) => day.projectedUsd),
      paid: sumUsd(days, (day) => day.paidUsd),
      skipped: sumUsd(days, (day) => day.skippedUsd),
    },
    fees: fees.map(({ asset, projected, paid }) => ({
      ...nameOf(asset),
      projected: projected.toString(),
      paid: paid.toString(),
    })),
    medianSeconds: medianOf(times) ?? null,
    pairs: pairs.map(({ volumeUsd, ...pair }) => ({ ...pair, volumeUsd: showUsd(volumeUsd) })),
    days: Array.from({ length: REPORT_DAYS }, (_, back) => dayRow(days, today - REPORT_DAYS + 1 + back)),
  };
}

function dayRow(days: readonly DayFigures[], day: number) {
  const mine = days.filter((one) => one.day === day);
  return {
    date: dateOf(day),
    orders: sum(mine, ({ orders }) => orders),
    completed: sum(mine, ({ completed }) => completed),
    volumeUsd: sumUsd(mine, ({ volumeUsd }) => volumeUsd),
    feesUsd: sumUsd(mine, ({ projectedUsd, paidUsd }) => projectedUsd + paidUsd),
  };
}
