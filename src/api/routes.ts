import type { Endpoint } from './endpoint.ts';
import { CONTRACT_PATH as PARTNER_CONTRACT, PARTNER_ENDPOINTS } from './partner/routes.ts';
import { WEBHOOKS_BY_KEY } from './partner/webhooks.ts';
import { RATES_PATH } from './rates-xml.ts';
import { bridgeDeposit, bridgeRates, bridgeWithdraw, readBridgeV1 } from './v1/bridge.ts';
import { listChains } from './v1/chains.ts';
import { bulkOrders, listOrders as historyV1, postOrder, quote, readOrder } from './v1/orders.ts';
import { refundOrder } from './v1/refund.ts';
import { listAssets, listTokens } from './v2/assets.ts';
import { bridgeTerms, postBridge, readBridge } from './v2/bridges.ts';
import { EVENTS_PATHS } from './v2/events.ts';
import { listIntegratorOrders, readIntegrator } from './v2/integrator.ts';
import { closeWait, givePayoutAddress, giveRefundAddress, listOrders } from './v2/orders.ts';
import { createSwap, listFills, quoteSwap, readSwapOrder } from './v2/swaps.ts';
import { trackOrder } from './v2/track.ts';

export const ENDPOINTS: readonly Endpoint[] = [
  listChains,
  quote,
  postOrder,
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
  bridgeTerms,
  postBridge,
  readBridge,
  readIntegrator,
  listIntegratorOrders,
  ...WEBHOOKS_BY_KEY,
  trackOrder,
  bridgeRates,
  bridgeDeposit,
  bridgeWithdraw,
  readBridgeV1,
];

const APART = [...EVENTS_PATHS, RATES_PATH, PARTNER_CONTRACT].map((path) => ({ method: 'GET', path }));
const PATTERNS = [...ENDPOINTS, ...PARTNER_ENDPOINTS, ...APART].map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll(/:[^/]+/g, '[^/]+')}$`),
}));

/** The methods that some endpoint at this path answers. */
export function methodsAt(url: string): readonly string[] {
  const [path = ''] = url.split('?');
  return [...new Set(PATTERNS.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
}
