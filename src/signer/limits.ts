import { type Atoms, parseUnits, rescale } from '../kernel/amount.ts';
import { present } from '../kernel/assert.ts';
import type { AssetId, ChainId } from '../kernel/ids.ts';
import { compare, type Ratio, ratioFromDecimal, scaleInt } from '../kernel/ratio.ts';
import type { SignedTransfer } from '../world/chains/chain.ts';
import type { Ticket } from '../world/venues/venue.ts';
import type { HeldTransfer, Metered } from './memory.ts';
import type { Entry, IntentKind, TransferRequest } from './request.ts';

/** Nothing is unlimited by being forgotten: somebody has to write the word. */
export type Cap = Atoms | 'unlimited';

export interface AssetLimit {
  readonly perTransfer: Cap;
  /** In any 24 hours. */
  readonly perDay: Cap;
  /** What an atom is worth at least, in millionths of a dollar: so much of the limit over all assets it uses. */
  readonly floor: Ratio;
}

/** In the chain's own coin. */
export interface ChainLimit {
  /** The most sent to one deposit address at a time, so that it can pay for its own sweep, and to all in any 24 hours. */
  readonly gas: Cap;
  readonly gasPerDay: Cap;
  /** The most that one transfer may cost, and all in any 24 hours. */
  readonly cost: Cap;
  readonly costPerDay: Cap;
}

export interface TradeLimit {
  readonly baseDecimals: number;
  readonly quoteDecimals: number;
  /** Base atoms in one order. */
  readonly size: Cap;
  /** Base atoms sold in any 24 hours: a low limit price must not make a large sale small. */
  readonly sellPerDay: Cap;
  /** Quote atoms in one order at its limit price, and spent on buying in any 24 hours. */
  readonly notional: Cap;
  readonly notionalPerDay: Cap;
  /** Limit prices outside are refused, and those that lie further from our own trades than `perHour` for each hour since. */
  readonly price: { readonly least: Ratio; readonly most: Ratio; readonly perHour?: Ratio | undefined };
}

export interface Limits {
  readonly assets: Readonly<Record<AssetId, AssetLimit>>;
  /** For assets that are not named above; without it they cannot leave at all. */
  readonly otherAssets: AssetLimit | undefined;
  /** Millionths of a dollar that may leave in any 24 hours, of all assets together. */
  readonly usdPerDay: Cap;
  readonly chains: Readonly<Record<ChainId, ChainLimit>>;
  /** Millionths of a dollar that may leave on the word of whoever carries orders out, and of nobody else. */
  readonly engine: { readonly usdPerTransfer: Cap; readonly usdPerDay: Cap };
  readonly trades: TradeLimit;
}

export const exceeds = (value: bigint, cap: Cap): boolean => cap !== 'unlimited' && value > cap;

export const gasMeter = (chain: ChainId): string => `gas:${chain}`;
export const costMeter = (chain: ChainId): string => `cost:${chain}`;
export const coldMeter = (asset: AssetId): string => `cold:${asset}`;
export const FILL_METER = 'fills';
export const BOUGHT_METER = 'bought';
export const SOLD_METER = 'sold';

/** Money that leaves our control counts; what moves between our own accounts does not. */
export const isOutflow = (kind: IntentKind): boolean => OUTFLOWS.has(kind);
/** What is put in a provider's hands is ours again only once it has delivered. */
const OUTFLOWS: ReadonlySet<IntentKind> = new Set(['payout', 'refund', 'fee', 'fund', 'fill']);

/** Where money that leaves is counted: by asset, in dollars, and in dollars that leave on the word of the engine alone. */
export interface OutflowMeters {
  readonly asset: string;
  readonly usd: string;
  readonly engine: string;
}

/**
 * What is given back out of a deposit account counts by itself, under limits that are as high: whoever sends money in and has it back
 * must not use up what others are paid from.
 */
export function metersFor({ kind, from, asset }: Pick<TransferRequest, 'kind' | 'from' | 'asset'>): OutflowMeters {
  return kind === 'refund' && from !== 'hot'
    ? { asset: `returned:${asset}`, usd: 'usd returned', engine: 'engine returned' }
    : { asset: `asset:${asset}`, usd: 'usd', engine: 'engine' };
}

export const limitOf = ({ assets, otherAssets }: Limits, asset: AssetId): AssetLimit | undefined =>
  assets[asset] ?? otherAssets;

export const worth = ({ floor }: AssetLimit, atoms: bigint): bigint => scaleInt(atoms, floor, 'up');

/** What the venue takes of every withdrawal, in its own coin. */
export interface VenueCharge {
  readonly chainId: ChainId;
  readonly withdrawalFee: Atoms;
}

/** What a signature uses of the limits. `before` is what the same intent had already, which a replacement excludes. */
export function metersOf(
  entry: Entry,
  before: HeldTransfer | undefined,
  limits: Limits,
  venue: VenueCharge,
): readonly Metered[] {
  if (entry.signed === 'trade') return [tradeMeter(entry.request.ticket, limits.trades)];
  if (entry.signed === 'transfer') return transferMeters(entry, before, limits);
  // What is moved stays ours; what moving it costs does not.
  if (entry.request.move.move !== 'withdraw') return [];
  return [{ meter: costMeter(venue.chainId), atoms: venue.withdrawalFee }];
}

function transferMeters(
  { request, answer, onEngine }: Extract<Entry, { signed: 'transfer' }>,
  before: HeldTransfer | undefined,
  limits: Limits,
): readonly Metered[] {
  const { chainId, kind, asset, atoms } = request;
  const cost = { meter: costMeter(chainId), atoms: dearerBy(request, answer, before) };
  if (isExcluded(request, before)) return [cost];
  if (kind === 'gas') return [cost, { meter: gasMeter(chainId), atoms }];
  if (kind === 'cold') return [cost, { meter: coldMeter(asset), atoms }];
  const limit = limitOf(limits, asset);
  const meters = metersFor(request);
  const engine = limit && onEngine ? [{ meter: meters.engine, atoms: worth(limit, onEngine) }] : [];
  const fills = limit && kind === 'fill' ? [{ meter: FILL_METER, atoms: worth(limit, atoms) }] : [];
  if (!isOutflow(kind)) return [cost, ...engine, ...fills];
  const usd = limit ? [{ meter: meters.usd, atoms: worth(limit, atoms) }] : [];
  return [cost, ...engine, ...fills, { meter: meters.asset, atoms }, ...usd];
}

/** A replacement pays the same thing at most once. What follows bytes that somebody calls dead may be paid beside them. */
export const isExcluded = ({ afterDead }: TransferRequest, before: HeldTransfer | undefined): boolean =>
  before !== undefined && afterDead !== before.txHash;

/** How much more than what was signed before these bytes may cost. */
export function dearerBy(
  request: TransferRequest,
  { cost }: Pick<SignedTransfer, 'cost'>,
  before: HeldTransfer | undefined,
): bigint {
  if (!before || !isExcluded(request, before)) return cost;
  return cost > before.cost ? cost - before.cost : 0n;
}

const tradeMeter = (ticket: Ticket, trades: TradeLimit): Metered =>
  ticket.side === 'sell'
    ? { meter: SOLD_METER, atoms: ticket.size }
    : { meter: BOUGHT_METER, atoms: notional(ticket, trades) };

/** No price has more decimals: the shape of a ticket sees to it. */
const PRICE_DECIMALS = 18;

/** Quote atoms at the limit price, rounded up. */
export function notional(ticket: Ticket, trades: TradeLimit): bigint {
  const price = present(parseUnits(ticket.limit, PRICE_DECIMALS), 'price');
  return rescale(ticket.size * price, trades.baseDecimals + PRICE_DECIMALS, trades.quoteDecimals, 'up');
}

export function isPriceSane(ticket: Ticket, bounds: TradeLimit['price']): boolean {
  const price = ratioFromDecimal(ticket.limit);
  return compare(price, bounds.least) >= 0 && compare(price, bounds.most) <= 0;
}
