import { type Static, Type } from '@sinclair/typebox';
import type { Order } from '../../life/order/order.ts';
import { type CustomerState, v2Status } from '../../life/order/view/v2-customer.ts';
import type { ApiDeps } from '../deps.ts';
import { endpoint } from '../endpoint.ts';
import { notFound } from '../ownership.ts';
import { openTrackingId } from '../tracking.ts';
import { definite } from '../wire-schemas.ts';
import { swapOrder } from './reply-shapes.ts';
import { TrackedOrder } from './schema.ts';

export const trackOrder = endpoint({
  method: 'GET',
  path: '/v2/track/:trackingId',
  summary: 'Track an order',
  description: 'With the last part of trackingUrl: a right to look, never to act. No address is shown.',
  input: {
    params: Type.Object({
      trackingId: Type.String({ examples: ['sw_7qjx4k2m5n3p6r7s2t4u5v6w7x2y3z4a.7qjx4k2m5n3p6r7s'] }),
    }),
  },
  output: TrackedOrder,
  quota: 'requests',
  async run({ params }, deps) {
    const id = openTrackingId(params.trackingId, deps);
    // Webhooks tell orders of both generations in this shape, with its link.
    const placed = id && (await deps.desk.find(id));
    return placed ? tracked(placed.order, deps) : notFound();
  },
});

async function tracked(order: Order, deps: ApiDeps): Promise<Static<typeof TrackedOrder>> {
  const seen = await swapOrder(order, deps);
  return definite({
    orderId: seen.orderId,
    product: seen.product,
    status: statusOf(v2Status(order), seen.customerState.kind),
    customerState: seen.customerState,
    confirmations: seen.confirmations,
    requiredConfirmations: seen.requiredConfirmations,
    fromChainId: seen.fromChainId,
    fromToken: seen.fromToken,
    fromSymbol: seen.fromSymbol,
    fromDecimals: seen.fromDecimals,
    toChainId: seen.toChainId,
    toToken: seen.toToken,
    toSymbol: seen.toSymbol,
    toDecimals: seen.toDecimals,
    depositAmount: seen.depositAmount,
    observedDepositAmount: seen.observedDepositAmount,
    expectedOutput: seen.expectedOutput,
    actualOutput: seen.actualOutput,
    deliveredToken: seen.deliveredToken,
    depositTxHash: seen.depositTxHash ?? undefined,
    payoutTxHash: seen.payoutTxHash ?? undefined,
    refundTxHash: seen.refundTxHash ?? undefined,
    createdAt: seen.createdAt,
    updatedAt: seen.updatedAt,
    expiresAt: seen.expiresAt,
  });
}

function statusOf(
  status: ReturnType<typeof v2Status>,
  kind: CustomerState['kind'],
): Static<typeof TrackedOrder>['status'] {
  if (kind === 'action_required') return 'info_needed';
  switch (status) {
    case 'awaiting_deposit':
    case 'awaiting_xmr1':
    case 'awaiting_trx1':
      return 'pending';
    default:
      return status;
  }
}
