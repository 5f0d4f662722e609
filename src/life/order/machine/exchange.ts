import { type Amount, amount, isZero, rescale } from '../../../kernel/amount.ts';
import { boundedChunk, nextChunk } from '../../quote/chunk-plan.ts';
import type { BridgeLeg, VenueLeg } from '../../quote/quote.ts';
import type { Order } from '../order.ts';

/** The same value where the leg needs it: another number of decimals, rounded down. */
export function stockFor(leg: VenueLeg | BridgeLeg, value: Amount): Amount {
  const [asset, decimals] =
    leg.leg === 'venue' ? [leg.spend, leg.spendDecimals] : [leg.output.asset, leg.output.decimals];
  return amount(asset, rescale(value.atoms, leg.input.decimals, decimals, 'down'));
}

/** An order that was to be traded at once is traded in one piece, however much arrived. */
export const chunkSize = (leg: VenueLeg, stock: Amount): Amount =>
  leg.chunks.count === 1 ? stock : boundedChunk(stock, leg.chunks.each);

/** What a leg takes from the treasury first: on the venue no more than the first chunk. */
export const firstStock = (leg: VenueLeg | BridgeLeg, stock: Amount): Amount =>
  leg.leg === 'venue' && !isZero(stock) ? nextChunk(stock, chunkSize(leg, stock)) : stock;

/** What lies on the venue after a trade, as the coins on the chain that stand for it. */
export function offVenue(order: Order, index: number, held: Amount): Amount {
  const before = order.route.legs[index - 1];
  if (before?.leg !== 'venue' || held.asset !== before.receive) return held;
  return amount(before.output.asset, rescale(held.atoms, before.receiveDecimals, before.output.decimals, 'down'));
}
