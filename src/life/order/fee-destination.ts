import { type Amount, amount, isZero, rescale, scale } from '../../kernel/amount.ts';
import type { AssetId } from '../../kernel/ids.ts';
import { inverse, percent, ratio, scaleInt, times } from '../../kernel/ratio.ts';
import { usdPrice } from '../../kernel/usd.ts';
import type { Route, VenueLeg } from '../quote/quote.ts';
import type { Order } from './order.ts';

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

/** What a fee is a part of: what is carried out, or what was asked for until something is. */
export const arrived = ({ used, asked }: Pick<Order, 'used' | 'asked'>): Amount => (isZero(used) ? asked : used);

/**
 * What an integrator is paid of the order at that rate, in percent: in the deposited token; where the deposit is sold first, in what
 * the venue paid for it (5.4). Until the sale that is reckoned by the price of the quote, with the venue's money as a dollar.
 */
export function feeAmount(
  order: Pick<Order, 'used' | 'asked' | 'route' | 'traded' | 'feeEarned'>,
  rate: number,
): Amount {
  const share = percent(String(rate));
  if (order.feeEarned) return asPaid(order.route, order.feeEarned);
  const sale = saleOf(order.route);
  if (!sale) return scale(arrived(order), share, 'down');
  if (order.traded) return scale(order.traded.got, share, 'down');
  const dollar = usdPrice(ratio(1n, 1n), sale.receiveDecimals);
  const price = times(order.route.fromPrice, inverse(dollar));
  return amount(sale.receive, scaleInt(arrived(order).atoms, times(price, share), 'down'));
}
