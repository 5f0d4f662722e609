import type { Amount, Atoms } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import type { AssetId } from '../../kernel/ids.ts';
import type { Ratio } from '../../kernel/ratio.ts';
import type { Asset } from '../../world/chains/chain.ts';
import type { Book, Market, Side } from '../../world/venues/venue.ts';
import { feeStage } from './fee.ts';
import { takerStage, tradeStage, visibleDepth, worstPrice } from './price.ts';
import type { ChunkPlan, FeeTerm, VenueLeg } from './quote.ts';
import { inSequence, rescaling, type Stage } from './stage.ts';

/** The two assets off the venue that stand one to one for its market's coin and money. */
export interface Stands {
  readonly base: AssetId;
  readonly quote: AssetId;
}

/** What has to be done on the book to get from one to the other; undefined where no route exists. */
export function tradeSide(from: AssetId, to: AssetId, stands: Stands): Side | undefined {
  if (from === stands.quote && to === stands.base) return 'buy';
  if (from === stands.base && to === stands.quote) return 'sell';
  return undefined;
}

/** Which assets some route begins or ends with: every route can be taken both ways. */
export const routesOf =
  (stands: Stands) =>
  (_direction: 'from' | 'to', asset: Asset): boolean =>
    asset.id === stands.base || asset.id === stands.quote;

/** A way from the deposit to the payout. */
export interface Way {
  readonly side: Side;
  /** From the deposit to what is spent on the book. */
  readonly input: Stage;
  /** From what is spent on the book to what it gives, before the venue's fee. */
  readonly trade: Stage;
  /** From the deposit to what execution yields in the asset paid out, before the fees on that. */
  readonly gross: Stage;
  /** From the deposit to the payout. */
  readonly all: Stage;
}

export function wayOver(market: Market, book: Book, side: Side, from: Asset, to: Asset, fees: readonly FeeTerm[]): Way {
  const { spendDecimals, receiveDecimals } = sides(market, side);
  const input = inSequence(feeStage(fees, 'input', from.id), rescaling(from.decimals, spendDecimals));
  const trade = tradeStage(book, side);
  const gross = inSequence(input, trade, takerStage(market.takerFee), rescaling(receiveDecimals, to.decimals));
  return { side, input, trade, gross, all: inSequence(gross, feeStage(fees, 'output', to.id)) };
}

function sides(market: Market, side: Side) {
  const base = { asset: market.base, decimals: market.baseDecimals };
  const quote = { asset: market.quote, decimals: market.quoteDecimals };
  const [spend, receive] = side === 'buy' ? [quote, base] : [base, quote];
  return {
    spend: spend.asset,
    spendDecimals: spend.decimals,
    receive: receive.asset,
    receiveDecimals: receive.decimals,
  };
}

/** The largest deposit of which a safe share of the visible book can take what is left after fees. */
export function largestInput(way: Way, book: Book, share: (depth: bigint) => bigint): bigint {
  return present(way.input.back(share(visibleDepth(book, way.side))), 'an input for any depth');
}

/** The one leg of such a way; `chunks` plans what is spent there. */
export function venueLeg(
  way: Way,
  market: Market,
  deposit: Amount,
  slippage: Ratio,
  chunks: (spend: bigint, asset: Pick<Asset, 'id' | 'decimals'>) => ChunkPlan,
): VenueLeg {
  const named = sides(market, way.side);
  const spent = spendOf(way, deposit.atoms);
  const got = present(way.trade.forward(spent), 'a trade within the depth');
  return {
    leg: 'venue',
    side: way.side,
    ...named,
    worstPrice: worstPrice(way.side, spent, got, slippage),
    chunks: chunks(spent, { id: named.spend, decimals: named.spendDecimals }),
  };
}

const spendOf = (way: Way, deposit: Atoms): bigint => present(way.input.forward(deposit), 'input stages have no depth');
