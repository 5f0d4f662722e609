import { type Amount, amount, equal, rescale, zero } from '../../../kernel/amount.ts';
import { showUsd, type UsdMicros, usdValue } from '../../../kernel/usd.ts';
import type { VenueLeg } from '../../quote/quote.ts';
import type { Order } from '../order.ts';
import type { Execution } from '../state.ts';
import { hasEnded, venueLegIn } from './trade-stage.ts';

export interface Twap {
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
export function twapOf(order: Order): Twap | undefined {
  const leg = venueLegIn(order);
  if (!leg || leg.chunks.count < 2) return undefined;
  const run = runOf(order) ?? order.traded;
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
    filledQty: dollars(order, leg, run?.spent ?? zero(leg.spend)),
    totalQty: dollars(order, leg, run?.total ?? planned(leg)),
    chunkSizeUsd: leg.chunks.chunkSizeUsd,
    intervalMs: leg.chunks.intervalMs,
    estimatedTimeRemainingMs: remaining,
  };
}

/** The trade that is under way, also while it waits for its next chunk. */
const runOf = ({ state }: Order): Execution | undefined => ('run' in state ? state.run : undefined);

/** As it was quoted; what arrives decides. */
const planned = ({ spend, chunks }: VenueLeg): Amount =>
  chunks.total ?? amount(spend, chunks.each.atoms * BigInt(chunks.count));

function twapStatus(order: Order): Twap['status'] {
  const { traded } = order;
  if (runOf(order)) return 'active';
  if (traded) return equal(traded.spent, traded.total) ? 'completed' : 'failed';
  return hasEnded(order) ? 'failed' : 'pending';
}

/** Buyers spend the venue's dollars, sellers the coin that they deposited. */
function dollars(order: Order, leg: VenueLeg, spent: Amount): string {
  if (leg.side === 'buy') return showUsd(rescale(spent.atoms, leg.spendDecimals, USD_DECIMALS, 'down') as UsdMicros);
  const value = rescale(spent.atoms, leg.spendDecimals, order.from.decimals, 'down');
  return showUsd(usdValue(amount(order.from.id, value), order.route.fromPrice));
}

const USD_DECIMALS = 6;
