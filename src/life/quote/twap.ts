import { amount, smaller } from '../../kernel/amount.ts';
import { inverse, scaleInt } from '../../kernel/ratio.ts';
import { showUsd, type UsdMicros, type UsdPrice, usd, usdValue } from '../../kernel/usd.ts';
import type { Market, Side } from '../../world/venues/venue.ts';
import { boundedChunk, countChunks } from './chunks.ts';
import type { ChunkPlan, TwapWish } from './quote.ts';

/** Section 8.4: where chunked execution begins, and how large a chunk is unless the client says otherwise. */
const SELL_ABOVE = usd(5_000);
const SELL_CHUNK_COINS = 6n;
const BUY_ABOVE = usd(25_000);
const BUY_CHUNK = usd(5_000);
const INTERVAL_MS = 8_000;

export interface ChunkInputs {
  readonly side: Side;
  readonly market: Market;
  /** What the leg spends, in the venue's atoms, and its price. */
  readonly spend: bigint;
  readonly spendPrice: UsdPrice;
  /** The order's value, which the thresholds look at. */
  readonly worth: UsdMicros;
  readonly wish: TwapWish | undefined;
}

export function chunkPlan(inputs: ChunkInputs): ChunkPlan {
  const { side, market, spend, spendPrice, worth, wish } = inputs;
  const asset = side === 'buy' ? market.quote : market.base;
  const isLarge = worth > (side === 'buy' ? BUY_ABOVE : SELL_ABOVE);
  const wanted = isLarge && !wish?.disabled ? chunkSize(inputs) : spend;
  const total = amount(asset, spend);
  const each = smaller(boundedChunk(total, amount(asset, wanted)), total);
  return {
    count: countChunks(total, each),
    each,
    intervalMs: wish?.intervalMs ?? INTERVAL_MS,
    chunkSizeUsd: wish?.chunkSizeUsd ?? Number(showUsd(usdValue(each, spendPrice))),
  };
}

function chunkSize({ side, market, spendPrice, wish }: ChunkInputs): bigint {
  if (wish?.chunkSizeUsd === undefined && side === 'sell') return SELL_CHUNK_COINS * 10n ** BigInt(market.baseDecimals);
  const worth = wish?.chunkSizeUsd === undefined ? BUY_CHUNK : usd(wish.chunkSizeUsd);
  return scaleInt(worth, inverse(spendPrice), 'up');
}
