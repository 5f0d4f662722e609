import { type Amount, amount, atLeast, rescale, smaller } from '../../kernel/amount.ts';
import type { AssetId } from '../../kernel/ids.ts';
import { type Ratio, scaleInt } from '../../kernel/ratio.ts';
import { type Refusal, unavailable } from '../../kernel/refusal.ts';
import type { Quote } from './quote.ts';

/** What the desk could serve an order from. */
export interface Stock {
  /** What of the asset is ours and promised to nobody. */
  free(asset: AssetId): Promise<bigint>;
  /** The most of it that one order may take, so that nobody empties it for all others. */
  readonly share: Ratio;
}

/** One digit and noughts: whoever asks often learns what he may order, and not what there is. */
export function coarse(atoms: bigint): bigint {
  const digits = atoms.toString();
  return atoms <= 0n ? 0n : BigInt(digits[0] ?? '0') * 10n ** BigInt(digits.length - 1);
}

/** The most that one order is served with. */
export const mostOf = async ({ free, share }: Stock, asset: AssetId): Promise<bigint> =>
  coarse(scaleInt(await free(asset), share, 'down'));

/**
 * What an order of this quote is served from, where nobody but the desk's owner can bring more: the book's coin, on its chain
 * for whoever buys it, on the venue for whoever sells it. The book's money follows the orders by itself, and what providers
 * deliver is their own.
 */
export function neededStock({ route, to, toAmount, from, fromAmount }: Quote): Amount | undefined {
  const leg = route.legs.find((one) => one.leg === 'venue');
  if (!leg) return undefined;
  if (leg.side === 'buy') return amount(to.id, toAmount.atoms);
  return amount(leg.spend, rescale(fromAmount.atoms, from.decimals, leg.spendDecimals, 'up'));
}

/** The quote with a maximum that can be served now; a refusal where not even the smallest order can. */
export async function boundByStock(quote: Quote, stock: Stock): Promise<Quote | Refusal> {
  const needed = neededStock(quote);
  if (!needed || needed.atoms === 0n) return quote;
  const most = await mostOf(stock, needed.asset);
  const served = amount(quote.from.id, (quote.fromAmount.atoms * most) / needed.atoms);
  const maxFrom = smaller(quote.maxFrom, served);
  return atLeast(maxFrom, quote.minFrom)
    ? { ...quote, maxFrom }
    : unavailable('stock', 'There is too little in stock for this swap at the moment. Please try again later.');
}
