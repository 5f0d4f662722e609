import type { Endpoint } from './endpoint.ts';
import { listChains } from './v1/chains.ts';
import { bulkOrders, createOrder, listOrders as historyV1, quote, readOrder } from './v1/orders.ts';
import { refundOrder } from './v1/refund.ts';
import { listAssets, listTokens } from './v2/assets.ts';
import { EVENTS_PATH } from './v2/events.ts';
import { closeWait, givePayoutAddress, giveRefundAddress, listOrders } from './v2/orders.ts';
import { createSwap, listFills, quoteSwap, readSwapOrder } from './v2/swaps.ts';

export const ENDPOINTS: readonly Endpoint[] = [
  listChains,
  quote,
  createOrder,
  readOrder,
  historyV1,
  bulkOrders,
  refundOrder,
  quoteSwap,
  createSwap,
  readSwapOrder,
  listFills,
  listAssets,
  listTokens,
  listOrders,
  closeWait,
  giveRefundAddress,
  givePayoutAddress,
];

const PATTERNS = [...ENDPOINTS, { method: 'GET', path: EVENTS_PATH }].map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll(/:[^/]+/g, '[^/]+')}$`),
}));

/** The methods that some endpoint at this path answers. */
export function methodsAt(url: string): readonly string[] {
  const [path = ''] = url.split('?');
  return [...new Set(PATTERNS.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
}
