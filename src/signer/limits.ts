import { type Atoms, parseUnits, rescale } from '../kernel/amount.ts';
import { present } from '../kernel/assert.ts';
import type { AssetId, ChainId } from '../kernel/ids.ts';
import { compare, type Ratio, ratioFromDecimal } from '../kernel/ratio.ts';
import type { Ticket } from '../world/venues/venue.ts';
import { assetMeter } from './memory.ts';
import type { Entry, IntentKind } from './request.ts';

/** Nothing is unlimited by being forgotten: somebody has to write the word. */
export type Cap = Atoms | 'unlimited';

export interface AssetLimit {
  readonly perTransfer: Cap;
  /** In any 24 hours. */
  readonly perDay: Cap;
}

export interface ChainLimit {
  /** The most native coin sent to one deposit address at a time, so that it can pay for its own sweep. */
  readonly gas: Cap;
  /** The most that one transfer may cost, in the chain's own coin. */
  readonly cost: Cap;
}

export interface TradeLimit {
  readonly baseDecimals: number;
  readonly quoteDecimals: number;
  /** Base atoms in one order. */
  readonly size: Cap;
  /** Quote atoms in one order and in any 24 hours, at the order's limit price. */
  readonly notional: Cap;
  readonly notionalPerDay: Cap;
  /** Limit prices outside are refused; undefined trusts the caller's price. */
  readonly price: { readonly least: Ratio; readonly most: Ratio } | undefined;
}

export interface Limits {
  readonly assets: Readonly<Record<AssetId, AssetLimit>>;
  /** For assets that are not named above; without it they cannot leave at all. */
  readonly otherAssets: AssetLimit | undefined;
  readonly chains: Readonly<Record<ChainId, ChainLimit>>;
  readonly trades: TradeLimit;
}

export const exceeds = (value: bigint, cap: Cap): boolean => cap !== 'unlimited' && value > cap;

export const NOTIONAL_METER = 'notional';

/** Money that leaves our control counts; what moves between our own accounts does not. */
export const isOutflow = (kind: IntentKind): boolean => OUTFLOWS.has(kind);
/** What is put in a provider's hands is ours again only once it has delivered. */
const OUTFLOWS: ReadonlySet<IntentKind> = new Set(['payout', 'refund', 'fee', 'fund']);

export function meterOf(entry: Entry, trades: TradeLimit): { meter: string; atoms: bigint } | undefined {
  if (entry.signed === 'trade') return { meter: NOTIONAL_METER, atoms: notional(entry.request.ticket, trades) };
  if (!isOutflow(entry.request.kind)) return undefined;
  if (entry.signed === 'transfer') return { meter: assetMeter(entry.request.asset), atoms: entry.request.atoms };
  const { move } = entry.request;
  return move.move === 'send' ? { meter: assetMeter(move.asset), atoms: move.atoms } : undefined;
}

/** No price has more decimals: the shape of a ticket sees to it. */
const PRICE_DECIMALS = 18;

/** Quote atoms at the limit price, rounded up. */
export function notional(ticket: Ticket, trades: TradeLimit): bigint {
  const price = present(parseUnits(ticket.limit, PRICE_DECIMALS), 'price');
  return rescale(ticket.size * price, trades.baseDecimals + PRICE_DECIMALS, trades.quoteDecimals, 'up');
}

export function isPriceSane(ticket: Ticket, bounds: TradeLimit['price']): boolean {
  const price = ratioFromDecimal(ticket.limit);
  return !bounds || (compare(price, bounds.least) >= 0 && compare(price, bounds.most) <= 0);
}
