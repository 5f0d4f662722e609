import { fromExactJson, toExactJson } from '../../exact-json.ts';

/** One token of one chain. */
export interface Leg {
  readonly chainId: number;
  readonly token: string;
}

export interface Sum extends Leg {
  readonly atoms: bigint;
  readonly txHash: string;
}

/** A payment that is under way. It is written down before it is made, so whoever dies with it looks whether it is out. */
export interface Paying extends Leg {
  readonly to: string;
  readonly atoms: bigint;
  readonly startedAt: number;
  /** Transactions that had brought the recipient as much by then. */
  readonly before: readonly string[];
  /** It gives a deposit back, for this reason; without it the payment is the delivery. */
  readonly refund?: { readonly reason: string; readonly endsOrder: boolean };
}

export interface OrderTerms {
  readonly id: string;
  readonly depositAddress: string;
  readonly input: Leg;
  readonly output: Leg;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly least: bigint;
  /** Whatever comes is filled, if it is as much as `amountIn`. */
  readonly takesAll?: boolean;
  readonly recipient: string;
  readonly refundTo: string;
  readonly deadline: number;
  /** As it was asked, to be told again. */
  readonly request: Readonly<Record<string, unknown>>;
}

export type Phase = 'waiting' | 'short' | 'processing' | 'success' | 'refunded';

export interface Order extends OrderTerms {
  readonly openedAt: number;
  amountIn: bigint;
  amountOut: bigint;
  least: bigint;
  phase: Phase;
  updatedAt: number;
  /** All that ever came, and how much of it was filled or sent back. */
  seen: bigint;
  handled: bigint;
  depositHashes: readonly string[];
  /** When a deposit that came is acted on. */
  fillAt: number;
  delivered: Sum | null;
  readonly refunds: Sum[];
  reason: string;
  paying?: Paying | undefined;
}

export function newOrder(terms: OrderTerms, openedAt: number): Order {
  return {
    ...terms,
    openedAt,
    phase: 'waiting',
    updatedAt: openedAt,
    seen: 0n,
    handled: 0n,
    depositHashes: [],
    fillAt: 0,
    delivered: null,
    refunds: [],
    reason: '',
  };
}

export const refundedIn = ({ refunds }: Order): bigint => refunds.reduce((sum, { atoms }) => sum + atoms, 0n);

/** The transactions in which it was paid. */
export const paidIn = ({ delivered, refunds }: Order): readonly string[] =>
  [...(delivered ? [delivered] : []), ...refunds].map(({ txHash }) => txHash);

/** What a desk is told after its snapshot: an order as it is since, or that one is forgotten. */
export type OrderChange = { readonly order: Order } | { readonly forgotten: string };

export const saveOrders = (orders: readonly Order[]): string => toExactJson(orders);

export const loadOrders = (text: string): Order[] => fromExactJson(text) as Order[];
