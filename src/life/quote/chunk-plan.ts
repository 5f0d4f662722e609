import { type Amount, add, amount, atLeast, isZero, scale, smaller } from '../../kernel/amount.ts';
import { inverse, ratio, scaleInt } from '../../kernel/ratio.ts';
import { showUsd, type UsdMicros, type UsdPrice, usd, usdValue } from '../../kernel/usd.ts';
import type { Market, Side } from '../../world/venues/venue.ts';
import type { ChunkPlan, TwapRequest } from './quote.ts';

/** Section 8.4 says where chunked execution begins, and how large a chunk is unless the client says otherwise. */
const SELL_ABOVE = usd(5_000);
const SELL_CHUNK_COINS = 6n;
const BUY_ABOVE = usd(25_000);
const BUY_CHUNK = usd(5_000);
const INTERVAL_MS = 8_000;
/** More chunks than this would take hours; the chunk grows instead. */
const MOST_CHUNKS = 1_000n;

export interface ChunkInputs {
  readonly side: Side;
  readonly market: Market;
  /** What the leg spends, in the venue's atoms, and its price. */
  readonly spend: bigint;
  readonly spendPrice: UsdPrice;
  /** The order's value, which the thresholds look at. */
  readonly worth: UsdMicros;
  readonly twap: TwapRequest | undefined;
}

export function chunkPlan(inputs: ChunkInputs): ChunkPlan {
  const { side, market, spend, spendPrice, worth, twap } = inputs;
  const asset = side === 'buy' ? market.quote : market.base;
  const isLarge = worth > (side === 'buy' ? BUY_ABOVE : SELL_ABOVE);
  const wanted = isLarge && !twap?.disabled ? chunkSize(inputs) : spend;
  const total = amount(asset, spend);
  const each = smaller(boundedChunk(total, amount(asset, wanted)), total);
  const count = countChunks(total, each);
  return {
    count,
    each,
    ...(count > 1 ? { total } : {}),
    intervalMs: twap?.intervalMs ?? INTERVAL_MS,
    chunkSizeUsd: twap?.chunkSizeUsd ?? Number(showUsd(usdValue(each, spendPrice))),
  };
}

function chunkSize({ side, market, spendPrice, twap }: ChunkInputs): bigint {
  if (twap?.chunkSizeUsd === undefined && side === 'sell') return SELL_CHUNK_COINS * 10n ** BigInt(market.baseDecimals);
  const worth = twap?.chunkSizeUsd === undefined ? BUY_CHUNK : usd(twap.chunkSizeUsd);
  return scaleInt(worth, inverse(spendPrice), 'up');
}

/** The chunk that works `total` in a bearable number of steps. */
export function boundedChunk(total: Amount, wanted: Amount): Amount {
  const least = scale(total, ratio(1n, MOST_CHUNKS), 'up');
  return atLeast(wanted, least) ? wanted : least;
}

/** A last chunk under a tenth of the others joins the one before it: the venue would refuse it. */
export function nextChunk(left: Amount, each: Amount): Amount {
  const withTail = add(each, scale(each, ratio(1n, 10n), 'down'));
  return atLeast(left, withTail) ? each : left;
}

/** Counts how often `nextChunk` is asked until nothing is left. */
export function countChunks(total: Amount, each: Amount): number {
  if (isZero(each)) return 1;
  const before = (total.atoms - each.atoms / 10n) / each.atoms;
  return Number(before) + 1;
}
