import { Type } from '@sinclair/typebox';
import { present } from '../../kernel/assert.ts';
import { chainOf, parseSessionId } from '../../kernel/ids.ts';
import { isRefusal, refuse } from '../../kernel/refusal.ts';
import { refundAsset } from '../../life/order/command.ts';
import { takesRefundAddress } from '../../life/order/view/v1-status.ts';
import { bound } from '../create-order.ts';
import { endpoint } from '../endpoint.ts';
import { findOrder, isOwner, knowsDestination, notFound } from '../ownership.ts';
import { AddressText, SessionText } from '../wire-schemas.ts';

/** The checks come in the order of D14: shape, order, proof, given before, awaited, format. */
export const refundOrder = endpoint({
  method: 'POST',
  path: '/v1/order/:orderId/refund',
  summary: 'Say where a deposit on the wrong chain is to be returned',
  input: {
    params: Type.Object({ orderId: Type.String() }),
    body: Type.Object({
      refundAddress: AddressText,
      sessionId: Type.Optional(SessionText),
      verifyAddress: Type.Optional(Type.String()),
    }),
  },
  output: Type.Object({ success: Type.Boolean(), message: Type.String() }),
  quota: 'requests',
  async run({ params, body }, deps) {
    const placed = await findOrder(params.orderId, 'v1', deps);
    if (!placed) return notFound();
    const { order } = placed;
    const { sessionId, verifyAddress } = body;
    const isProven =
      (sessionId !== undefined || verifyAddress !== undefined) &&
      (sessionId === undefined || isOwner(placed, parseSessionId(sessionId), deps)) &&
      (verifyAddress === undefined || knowsDestination(order, verifyAddress, deps));
    if (!isProven) return refuse('not_yours', 'Unauthorized');

    const asset = refundAsset(order);
    if (!asset || !takesRefundAddress(order)) {
      const isGiven = order.claims.some(({ to }) => to !== undefined && to.address === order.refundTo?.address);
      return isGiven
        ? refuse('refund_address_already_submitted', 'Refund address already submitted')
        : refuse('not_awaiting_refund_address', 'Order is not awaiting refund address');
    }
    const address = deps.catalog.parseDestination(chainOf(asset), body.refundAddress);
    if (isRefusal(address)) return address;
    const to = bound(order.id, 'refund', asset, address, deps);
    const changed = await deps.desk.command(order.id, { command: 'give_refund_address', to });
    if (isRefusal(changed)) return changed;
    const { name } = present(deps.catalog.chain(chainOf(asset)), 'chain of a claim').facts;
    return { success: true, message: `Refund address saved. The deposit on ${name} is returned automatically.` };
  },
});
