import { amount, smaller } from '../../kernel/amount.ts';
import { inverse, scaleInt } from '../../kernel/ratio.ts';
import { showUsd, type UsdMicros, type UsdPrice, usd, usdValue } from '../../kernel/usd.ts';
import type { Market, Side } from '../../world/venues/venue.ts';
import type { ChunkPlan, TwapWish } from './quote.ts';

/** Section 8.4: where chunked execution begins, and how large a chunk is unless the client says otherwise. */
const SELL_ABOVE = usd(5_000);
const SELL_CHUNK_COINS = 6n;
const BUY_ABOVE = usd(25_000);
const BUY_CHUNK = usd(5_000);
const INTERVAL_MS = 8_000;
/** More chunks than this would take hours; the chunk grows instead. */
const MAX_CHUNKS = 1_000n;

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
  const size = wanted * MAX_CHUNKS < spend ? (spend + MAX_CHUNKS - 1n) / MAX_CHUNKS : wanted;
  const each = smaller(amount(asset, size), amount(asset, spend));
  return {
    count: countChunks(spend, each.atoms),
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

/** A last chunk under a tenth of the others joins the one before it: the venue would refuse it. */
function countChunks(total: bigint, each: bigint): number {
  return Number((total - each / 10n) / each) + 1;
}
