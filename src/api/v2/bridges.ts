import { Type } from '@sinclair/typebox';
import { type Amount, formatUnits } from '../../kernel/amount.ts';
import { type Ratio, scaleInt } from '../../kernel/ratio.ts';
import { isRefusal } from '../../kernel/refusal.ts';
import { shownNumber } from '../../kernel/usd.ts';
import type { BridgeAsset, BridgeDirection } from '../../life/quote/bridge-quote.ts';
import { bridgeTermsOf, readBridgeRequest } from '../bridge-request.ts';
import { createBridge } from '../create-order.ts';
import type { ApiDeps } from '../deps.ts';
import { asCreated, asText, endpoint } from '../endpoint.ts';
import { createdOnce } from '../idempotency.ts';
import { readable, readSession } from '../ownership.ts';
import { AddressText, oneOf, SessionText } from '../wire-schemas.ts';
import { orderText } from './order-text.ts';
import { swapOrder } from './reply-shapes.ts';
import { CreatedSwap, NOT_MODIFIED, OrderParams, ProofQuery, SwapOrder } from './schema.ts';

const PerAsset = (description: string) => Type.Record(Type.String(), Type.Number(), { description });
const Terms = Type.Object({
  fees: Type.Object({
    depositFeeRate: Type.Number({ description: 'Fraction of the gross amount.' }),
    withdrawalFeeRate: Type.Number({ description: 'Fraction of the gross amount.' }),
    withdrawalFlat: PerAsset('Kept of every withdrawal, in whole coins.'),
    withdrawalFlatXmr: Type.Optional(Type.Number()),
    withdrawalFlatTrx: Type.Optional(Type.Number()),
  }),
  minimums: PerAsset('Least gross amount in both directions, in whole coins; exactly this much settles.'),
  assets: Type.Array(
    Type.Object({
      asset: Type.String(),
      native: Type.String(),
      wrapped: Type.String(),
      deposit: Type.Boolean(),
      withdraw: Type.Boolean(),
      requiredConfirmations: Type.Integer(),
    }),
  ),
});

export const bridgeTerms = endpoint({
  method: 'GET',
  path: '/v2/bridges/terms',
  summary: 'Fees, minimums and what is switched on',
  description: 'Read it when an order is made: all of it can change.',
  input: {},
  output: Terms,
  quota: 'requests',
  async run(_, deps) {
    const { depositRate, withdrawalRate, assets } = deps.bridges.settings;
    const flat = coins(assets, ({ withdrawalFlat }) => withdrawalFlat);
    return {
      fees: {
        depositFeeRate: fraction(depositRate),
        withdrawalFeeRate: fraction(withdrawalRate),
        withdrawalFlat: flat,
        ...(flat.xmr === undefined ? {} : { withdrawalFlatXmr: flat.xmr }),
        ...(flat.trx === undefined ? {} : { withdrawalFlatTrx: flat.trx }),
      },
      minimums: coins(assets, ({ minimum }) => minimum),
      assets: await Promise.all(assets.map((asset) => offered(asset, deps))),
    };
  },
});

/** Nine decimals tell any rate that somebody would set. */
const RATE_DECIMALS = 9;
const fraction = (rate: Ratio): number =>
  shownNumber(formatUnits(scaleInt(10n ** BigInt(RATE_DECIMALS), rate, 'down'), RATE_DECIMALS));

const coins = (assets: readonly BridgeAsset[], of: (asset: BridgeAsset) => Amount): Record<string, number> =>
  Object.fromEntries(
    assets.map((asset) => [asset.name, shownNumber(formatUnits(of(asset).atoms, asset.native.decimals))]),
  );

/** The terms ask in the same way as a creation does, so that the two cannot disagree. */
async function offered({ name, native, wrapped }: BridgeAsset, deps: ApiDeps) {
  const isOpen = async (direction: BridgeDirection) =>
    !isRefusal(await bridgeTermsOf({ asset: name, direction }, deps));
  const [deposit, withdraw] = await Promise.all([isOpen('deposit'), isOpen('withdraw')]);
  return {
    asset: name,
    native: native.symbol,
    wrapped: wrapped.symbol,
    deposit,
    withdraw,
    requiredConfirmations: deps.catalog.chain(native.chainId)?.facts.largeConfirmations ?? 0,
  };
}

export const postBridge = endpoint({
  method: 'POST',
  path: '/v2/bridges',
  summary: 'Create a bridge order',
  description:
    'No amount is named: what arrives is bridged. Repeat it after a timeout only with the Idempotency-Key of the first call.',
  input: {
    body: Type.Object({
      asset: oneOf('xmr', 'trx', 'zec'),
      direction: oneOf('deposit', 'withdraw'),
      toAddress: AddressText,
      refundAddress: Type.Optional(AddressText),
      sessionId: Type.Optional(SessionText),
    }),
  },
  output: CreatedSwap,
  status: 201,
  quota: 'creates',
  async run({ body, caller, idempotencyKey }, deps) {
    const { asset, direction, toAddress, refundAddress } = body;
    const kind = direction === 'deposit' ? 'dep' : 'wd';
    const creation = { key: idempotencyKey, generation: 'v2', kind, body, caller } as const;
    const placed = await createdOnce(creation, deps, async (identity) => {
      const wanted = await readBridgeRequest({ bridge: { asset, direction }, toAddress, refundAddress }, deps);
      if (isRefusal(wanted)) return wanted;
      const session = await readSession(body.sessionId, caller, deps);
      if (isRefusal(session)) return session;
      return createBridge({ ...wanted, generation: 'v2', session, identity }, caller, deps);
    });
    if (isRefusal(placed)) return placed;
    return asCreated(placed, { ...(await swapOrder(placed.order, deps)), sessionId: placed.session });
  },
});

export const readBridge = endpoint({
  method: 'GET',
  path: '/v2/bridges/:id',
  summary: 'Read a bridge order',
  description: NOT_MODIFIED,
  input: { params: OrderParams, query: Type.Object(ProofQuery) },
  output: SwapOrder,
  quota: 'requests',
  proof: 'session',
  async run({ params, query, session }, deps) {
    const placed = await readable(params.id, 'bridge', { session, verify: query.verify }, deps);
    return isRefusal(placed) ? placed : asText(await orderText(placed.order, deps));
  },
});
