import { type Static, Type } from '@sinclair/typebox';
import { amount, formatUnits, scale } from '../../kernel/amount.ts';
import { isoTime } from '../../kernel/clock.ts';
import { lessThanOneBy } from '../../kernel/ratio.ts';
import { isRefusal, unavailable } from '../../kernel/refusal.ts';
import { shownNumber } from '../../kernel/usd.ts';
import type { Bridge, Order } from '../../life/order/order.ts';
import type { Phase } from '../../life/order/state.ts';
import { depositSeen } from '../../life/order/view/deposit-seen.ts';
import { completedAt, errorOf, payoutTxHash } from '../../life/order/view/v2-customer.ts';
import type { BridgeAsset } from '../../life/quote/bridge-quote.ts';
import { readBridgeRequest } from '../bridge-request.ts';
import { createBridge } from '../create-order.ts';
import type { ApiDeps } from '../deps.ts';
import { asCreated, endpoint } from '../endpoint.ts';
import { createdOnce } from '../idempotency.ts';
import { findOrder, notFound } from '../ownership.ts';
import { AddressText, definite, oneOf, orNull, Timestamp } from '../wire-schemas.ts';

/** The first generation bridges this coin alone. */
const ASSET = 'xmr';

const CreatedBridge = Type.Object({
  orderId: Type.String(),
  depositAddress: Type.String(),
  destination: Type.String(),
  expiresAt: Timestamp,
  sessionId: Type.String(),
});
const Body = Type.Object({ toAddress: AddressText });

/** The two directions differ in nothing but their words. */
const bridgeEndpoint = (direction: Bridge['direction'], summary: string) => {
  const kind = direction === 'deposit' ? 'dep' : 'wd';
  return endpoint({
    method: 'POST',
    path: `/v1/bridge/${direction}`,
    summary,
    input: { body: Body },
    output: CreatedBridge,
    quota: 'creates',
    async run({ body, caller, idempotencyKey }, deps) {
      const creation = { key: idempotencyKey, generation: 'v1', kind, body, caller } as const;
      const placed = await createdOnce(creation, deps, async (identity) => {
        const bridge = { asset: ASSET, direction };
        const wanted = await readBridgeRequest({ bridge, toAddress: body.toAddress }, deps);
        if (isRefusal(wanted)) return wanted;
        return createBridge({ ...wanted, generation: 'v1', session: undefined, identity }, caller, deps);
      });
      if (isRefusal(placed)) return placed;
      const { id, depositAddress, destination, expiresAt } = placed.order;
      return asCreated(placed, {
        orderId: id,
        depositAddress,
        destination: destination.address,
        expiresAt: isoTime(expiresAt),
        sessionId: placed.session,
      });
    },
  });
};

export const bridgeDeposit = bridgeEndpoint('deposit', 'Bridge XMR to its wrapped form');
export const bridgeWithdraw = bridgeEndpoint('withdraw', 'Bridge wrapped XMR back');

const STATUSES = ['awaiting_deposit', 'pending_confirmations', 'processing', 'completed', 'failed', 'expired'] as const;

const BridgeV1 = Type.Object({
  id: Type.String(),
  type: oneOf('deposit', 'withdraw'),
  status: oneOf(...STATUSES),
  amount: Type.String({ description: 'Decimal; what arrived so far.' }),
  confirmations: Type.Integer(),
  requiredConfirmations: Type.Integer(),
  tx_in: orNull(Type.String()),
  tx_out: orNull(Type.String()),
  created_at: Timestamp,
  completed_at: orNull(Timestamp),
  failure_reason: Type.Optional(Type.String()),
});

/** Complete by type (D13). A bridge whose deposit goes back has failed. */
const WORDS: Readonly<Record<Phase, (typeof STATUSES)[number]>> = {
  awaiting_deposit: 'awaiting_deposit',
  confirming: 'pending_confirmations',
  below_minimum: 'awaiting_deposit',
  screening: 'processing',
  collecting: 'processing',
  stocking: 'processing',
  trading: 'processing',
  placing: 'processing',
  swapping: 'processing',
  provider_failed: 'processing',
  payout_due: 'processing',
  paying: 'processing',
  payout_refused: 'processing',
  refunding: 'failed',
  completed: 'completed',
  refunded: 'failed',
  expired: 'expired',
  failed: 'failed',
};

function bridgeV1(order: Order, { direction }: Bridge): Static<typeof BridgeV1> {
  const { funds, from } = order;
  const status = WORDS[order.state.phase];
  const at = status === 'completed' ? completedAt(order) : undefined;
  return definite({
    id: order.id,
    type: direction,
    status,
    amount: formatUnits(funds.seen.atoms, from.decimals),
    confirmations: funds.have,
    requiredConfirmations: funds.need,
    tx_in: depositSeen(order)?.txHash ?? null,
    tx_out: payoutTxHash(order) ?? null,
    created_at: isoTime(order.createdAt),
    completed_at: at === undefined ? null : isoTime(at),
    failure_reason: status === 'failed' ? errorOf(order)?.message : undefined,
  });
}

/** This read needs no proof, so it must never show an order of the second generation (D4). */
export const readBridgeV1 = endpoint({
  method: 'GET',
  path: '/v1/bridge/order/:orderId',
  summary: 'Read a bridge order',
  input: { params: Type.Object({ orderId: Type.String() }) },
  output: BridgeV1,
  quota: 'requests',
  async run({ params }, deps) {
    const placed = await findOrder(params.orderId, 'v1', deps);
    return placed?.order.bridge ? bridgeV1(placed.order, placed.order.bridge) : notFound();
  },
});

const Rate = { rate: Type.Number(), eta: Type.String() };

export const bridgeRates = endpoint({
  method: 'GET',
  path: '/v1/bridge/rates',
  summary: 'What bridging keeps of one XMR, beside what trading would',
  input: {},
  output: Type.Object({
    rates: Type.Array(Type.Object({ exchange: Type.String(), ...Rate })),
    serviceRate: Type.Object(Rate),
  }),
  quota: 'requests',
  async run(_, deps) {
    const { settings } = deps.bridges;
    const asset = settings.assets.find(({ name }) => name === ASSET);
    if (!asset) return unavailable('switched_off', 'This bridge is not configured.');
    const kept = scale(oneOfIt(asset), lessThanOneBy(settings.depositRate), 'down');
    const traded = await byTrading(asset, deps);
    return {
      rates: traded ? [{ exchange: 'Hyperliquid XMR1/USDC', rate: coins(traded.atoms, asset), eta: '15 minutes' }] : [],
      serviceRate: { rate: coins(kept.atoms, asset), eta: '40 minutes' },
    };
  },
});

const oneOfIt = ({ native }: BridgeAsset) => amount(native.id, 10n ** BigInt(native.decimals));
const coins = (atoms: bigint, { native }: BridgeAsset): number => shownNumber(formatUnits(atoms, native.decimals));

/** Trading reaches the same end in another way: it sells the coin for the book's money and buys it back. */
async function byTrading(asset: BridgeAsset, { quotes, bridges }: ApiDeps) {
  const { money } = bridges;
  const common = { mode: 'exact_in', integrator: undefined, twap: undefined } as const;
  const sold = await quotes.quote({ ...common, from: asset.native, to: money, amount: oneOfIt(asset) });
  if (isRefusal(sold)) return undefined;
  const bought = await quotes.quote({ ...common, from: money, to: asset.native, amount: sold.toAmount });
  return isRefusal(bought) ? undefined : bought.toAmount;
}
