import type { RefusalKind } from '../kernel/refusal.ts';

/** What the contract says of an endpoint beyond its schemas. */
export interface Operation {
  /** The `operationId`, and the method of the generated client. */
  readonly name: string;
  readonly tag: 'Assets' | 'Swaps' | 'Bridges' | 'Orders';
  /** Kept answers of the tests (`test/wire/golden/v2-….json`) that are shown as examples. */
  readonly replies: readonly string[];
  /** What it refuses beyond what every endpoint of its kind may refuse. */
  readonly refuses: readonly RefusalKind[];
  /** Says that the endpoint takes the header Idempotency-Key. */
  readonly repeatable?: true;
  /** Says that the answer has an ETag, and that whoever holds it already is told so. */
  readonly named?: true;
  /** Says that the server key of the integration that created the order opens it, too. */
  readonly creator?: true;
}

const SWAP_REFUSALS = [
  'invalid_amount',
  'exactly_one_amount',
  'invalid_address',
  'address_refused',
  'unsupported_chain',
  'unsupported_token',
  'unsupported_pair',
  'amount_above_maximum',
  'fee_too_high',
] as const;
const SAVED_ADDRESS = ['invalid_address', 'address_refused', 'action_not_available', 'address_already_set'] as const;

/**
 * Operations are found by method and path, as the contract spells them. Every v2 endpoint that the contract shows has a
 * row.
 */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'GET /v2/swaps/assets': { name: 'listAssets', tag: 'Assets', replies: ['assets'], refuses: [] },
  'GET /v2/swaps/assets/tokens': { name: 'listTokens', tag: 'Assets', replies: ['tokens'], refuses: [] },
  'POST /v2/swaps/quote': {
    name: 'quoteSwap',
    tag: 'Swaps',
    replies: ['quote', 'quote-exact-out', 'quote-fee'],
    refuses: SWAP_REFUSALS,
  },
  'POST /v2/swaps': {
    name: 'createSwap',
    tag: 'Swaps',
    replies: ['created'],
    refuses: [...SWAP_REFUSALS, 'amount_below_minimum', 'unsupported_funding_provider', 'idempotency_mismatch'],
    repeatable: true,
  },
  'GET /v2/swaps/{id}': {
    name: 'readSwap',
    tag: 'Swaps',
    replies: ['read', 'read-below-expected', 'read-refund-wanted', 'read-completed'],
    refuses: [],
    named: true,
  },
  'GET /v2/swaps/{id}/fills': { name: 'listFills', tag: 'Swaps', replies: ['fills'], refuses: ['invalid_cursor'] },
  'GET /v2/swaps/{id}/events': { name: 'followSwap', tag: 'Swaps', replies: [], refuses: ['upgrade_required'] },
  'GET /v2/bridges/terms': { name: 'readBridgeTerms', tag: 'Bridges', replies: ['bridge-terms'], refuses: [] },
  'POST /v2/bridges': {
    name: 'createBridge',
    tag: 'Bridges',
    replies: ['bridge-created', 'bridge-created-withdraw'],
    refuses: ['invalid_address', 'address_refused', 'idempotency_mismatch'],
    repeatable: true,
  },
  'GET /v2/bridges/{id}': {
    name: 'readBridge',
    tag: 'Bridges',
    replies: ['bridge-read', 'bridge-read-completed'],
    refuses: [],
    named: true,
  },
  'GET /v2/bridges/{id}/events': { name: 'followBridge', tag: 'Bridges', replies: [], refuses: ['upgrade_required'] },
  'GET /v2/track/{trackingId}': { name: 'trackOrder', tag: 'Orders', replies: ['track'], refuses: [] },
  'GET /v2/orders': { name: 'listOrders', tag: 'Orders', replies: ['orders'], refuses: ['invalid_cursor'] },
  'POST /v2/orders/{id}/deposit-wait/close': {
    name: 'closeDepositWait',
    tag: 'Orders',
    replies: ['closed'],
    refuses: ['deposit_wait_not_open'],
    creator: true,
  },
  'PUT /v2/orders/{id}/refund-address': {
    name: 'saveRefundAddress',
    tag: 'Orders',
    replies: ['refund-saved'],
    refuses: SAVED_ADDRESS,
  },
  'PUT /v2/orders/{id}/payout-address': {
    name: 'savePayoutAddress',
    tag: 'Orders',
    replies: ['payout-saved'],
    refuses: SAVED_ADDRESS,
  },
};
