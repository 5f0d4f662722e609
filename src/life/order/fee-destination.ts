import { type Amount, amount, rescale } from '../../kernel/amount.ts';
import type { AssetId } from '../../kernel/ids.ts';
import type { Route, VenueLeg } from '../quote/quote.ts';

/** The trade in which the deposit itself is sold, where a route begins with one. */
export function saleOf({ legs: [first] }: Pick<Route, 'legs'>): VenueLeg | undefined {
  return first?.leg === 'venue' && first.side === 'sell' ? first : undefined;
}

/** What an integrator is paid in (5.4): the deposited token, or the venue's money where the deposit is sold there. */
export const feeAssetOf = (route: Pick<Route, 'legs'>, deposited: AssetId): AssetId =>
  saleOf(route)?.receive ?? deposited;

/** A fee that was taken after the sale, as the venue's money: the same value, with its decimals. */
export function asPaid(route: Pick<Route, 'legs'>, taken: Amount): Amount {
  const sale = saleOf(route);
  if (taken.asset !== sale?.output.asset) return taken;
  return amount(sale.receive, rescale(taken.atoms, sale.output.decimals, sale.receiveDecimals, 'down'));
}
