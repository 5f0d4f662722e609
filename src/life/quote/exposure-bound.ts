import { type Refusal, refuse } from '../../kernel/refusal.ts';
import type { Quote } from './quote.ts';

/** PORT. Whether as much waits to be traded on the book as may, by what is done there. */
export interface Exposure {
  isFull(side: 'buy' | 'sell'): Promise<boolean>;
}

/** Whoever would add to what waits is refused for a while; what is on its way goes on, and makes room. */
export async function boundByExposure(quote: Quote, exposure: Exposure): Promise<Quote | Refusal> {
  const leg = quote.route.legs.find((one) => one.leg === 'venue');
  if (!leg || !(await exposure.isFull(leg.side))) return quote;
  return refuse(
    'unavailable',
    'Too much is waiting to be traded in this direction at the moment. Please try again later.',
  );
}
