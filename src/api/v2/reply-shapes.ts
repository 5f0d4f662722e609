import type { Static } from '@sinclair/typebox';
import { type Amount, formatUnits, scale } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import { isoTime } from '../../kernel/clock.ts';
import { type AssetId, chainOf, tokenOf } from '../../kernel/ids.ts';
import { percent } from '../../kernel/ratio.ts';
import { showUsd, usdValue } from '../../kernel/usd.ts';
import type { KeptClaim, Order } from '../../life/order/order.ts';
import { depositSeen } from '../../life/order/view/deposit-seen.ts';
import { orderFees } from '../../life/order/view/order-fees.ts';
import { twapOf } from '../../life/order/view/twap.ts';
import {
  actualOutput,
  completedAt,
  customerState,
  deliveredAsset,
  errorOf,
  fundedExpectedOutput,
  payoutTxHash,
  type RefundRecovery,
  refundRecoveries,
  refundRecovery,
  refundTxHash,
  v2Status,
} from '../../life/order/view/v2-customer.ts';
import type { Quote } from '../../life/quote/quote.ts';
import type { ApiDeps } from '../deps.ts';
import { fillsStatus, newestFills } from '../fill.ts';
import { trackingUrl } from '../tracking.ts';
import { definite } from '../wire-schemas.ts';
import { bridgeFields } from './bridge-fields.ts';
import type { IntegratorFee, OrderRow, QuoteV2, SwapOrder } from './schema.ts';

const text = (amount: Amount | undefined): string | undefined => amount?.atoms.toString();

export function quoteV2(quote: Quote): Static<typeof QuoteV2> {
  const chunks = quote.route.legs.find((leg) => leg.leg === 'venue')?.chunks;
  const fee = quote.integratorFee;
  const { from, to } = quote;
  return definite({
    fromChainId: from.chainId,
    fromToken: from.token,
    fromSymbol: from.symbol,
    fromDecimals: from.decimals,
    toChainId: to.chainId,
    toToken: to.token,
    toSymbol: to.symbol,
    toDecimals: to.decimals,
    fromAmount: quote.fromAmount.atoms.toString(),
    fromAmountUsd: showUsd(quote.fromUsd),
    toAmount: quote.toAmount.atoms.toString(),
    toAmountUsd: showUsd(quote.toUsd),
    mode: quote.mode,
    fees: quote.fees.map(({ type, amount, symbol, usd }) => ({
      type,
      amount: amount.atoms.toString(),
      token: tokenOf(amount.asset),
      symbol,
      amountUsd: showUsd(usd),
    })),
    integratorFee: fee
      ? {
          percent: fee.percent,
          amountUsd: showUsd(fee.usd),
          payoutAddress: fee.payoutAddress,
          amount: fee.amount.atoms.toString(),
          token: tokenOf(fee.amount.asset),
          symbol: fee.symbol,
        }
      : null,
    limits: { minFromAmount: quote.minFrom.atoms.toString(), maxFromAmount: quote.maxFrom.atoms.toString() },
    minDepositUsd: quote.minDepositUsd,
    estimatedTime: quote.estimatedSeconds,
    twap:
      chunks && chunks.count > 1
        ? { chunksTotal: chunks.count, chunkSizeUsd: chunks.chunkSizeUsd, intervalMs: chunks.intervalMs }
        : undefined,
    expiresAt: isoTime(quote.expiresAt),
  });
}

/**
 * The order as its owner reads it, with the newest page of fills. Fields stand as the schema writes them, those that are always
 * there first, so that an order is the same text wherever it is shown. One literal without a spread is made ten times faster.
 */
export async function swapOrder(order: Order, deps: ApiDeps): Promise<Static<typeof SwapOrder>> {
  const fills = await newestFills(order, deps);
  const { from, to, funds, bridge } = order;
  const deposit = depositSeen(order);
  const error = errorOf(order);
  const at = completedAt(order);
  const bridged = bridgeFields(order, deps);
  const { depositUri } = present(deps.catalog.chain(from.chainId), 'chain of an order');
  return definite({
    orderId: order.id,
    product: order.product,
    status: v2Status(order),
    customerState: customerState(order, deps.rules),
    fromChainId: from.chainId,
    fromToken: from.token,
    fromSymbol: from.symbol,
    fromDecimals: from.decimals,
    toChainId: to.chainId,
    toToken: to.token,
    toSymbol: to.symbol,
    toDecimals: to.decimals,
    depositAddress: order.depositAddress,
    depositUri: depositUri(order.depositAddress, from, bridge ? undefined : order.asked.atoms),
    depositAmount: order.asked.atoms.toString(),
    expectedOutput: order.expected.atoms.toString(),
    toAddress: (order.replacement ?? order.destination).address,
    refundAddress: order.refundTo?.address ?? null,
    depositTxHash: deposit?.txHash ?? null,
    payoutTxHash: payoutTxHash(order) ?? null,
    refundTxHash: refundTxHash(order) ?? null,
    fees: orderFees(order).map(({ type, amount }) => ({
      type,
      amount: amount.atoms.toString(),
      token: tokenOf(amount.asset),
      symbol: deps.catalog.asset(amount.asset).symbol,
    })),
    integratorFee: integratorFee(order),
    twap: twapOf(order) ?? null,
    refundRecoveries: refundRecoveries(order).flatMap((one) => recovery(one, deps) ?? []),
    hlFills: fills.fills,
    hlFillsStatus: fillsStatus(order),
    hlFillsNextCursor: fills.nextCursor,
    createdAt: isoTime(order.createdAt),
    updatedAt: isoTime(order.updatedAt),
    completedAt: at === undefined ? null : isoTime(at),
    expiresAt: isoTime(order.expiresAt),
    errorCode: error?.code ?? null,
    errorMessage: error?.message ?? null,
    trackingUrl: trackingUrl(order.id, deps),
    confirmations: deposit && funds.have,
    requiredConfirmations: deposit && funds.need,
    observedDepositAmount: text(deposit?.amount),
    fundedExpectedOutput: text(fundedExpectedOutput(order)),
    actualOutput: text(actualOutput(order)),
    deliveredToken: deliveredToken(order, deps),
    asset: bridge?.asset,
    direction: bridge?.direction,
    destination: bridged.destination,
    minimumDepositAmount: bridged.minimumDepositAmount,
    xmr1DepositAddress: bridged.xmr1DepositAddress,
    trx1DepositAddress: bridged.trx1DepositAddress,
    zec1DepositAddress: bridged.zec1DepositAddress,
    depositAddressForms: bridged.depositAddressForms,
    bridgeSettlement: bridged.bridgeSettlement,
    refundRecovery: recovery(refundRecovery(order), deps),
  });
}

export function rowOf(order: Order, deps: ApiDeps): Static<typeof OrderRow> {
  const at = completedAt(order);
  return definite({
    orderId: order.id,
    product: order.product,
    status: v2Status(order),
    asset: order.bridge?.asset,
    direction: order.bridge?.direction,
    fromSymbol: order.from.symbol,
    toSymbol: order.to.symbol,
    depositAmount: order.asked.atoms.toString(),
    expectedOutput: order.expected.atoms.toString(),
    actualOutput: text(actualOutput(order)),
    deliveredToken: deliveredToken(order, deps),
    toAddress: (order.replacement ?? order.destination).address,
    createdAt: isoTime(order.createdAt),
    updatedAt: isoTime(order.updatedAt),
    completedAt: at === undefined ? null : isoTime(at),
    expiresAt: isoTime(order.expiresAt),
  });
}

/** The fee on what was asked; it follows what arrives. */
function integratorFee({ integratorFee: fee, asked, from, route }: Order): Static<typeof IntegratorFee> | null {
  if (!fee) return null;
  const amount = scale(asked, percent(String(fee.percent)), 'down');
  return {
    percent: fee.percent,
    amountUsd: showUsd(usdValue(amount, route.fromPrice)),
    payoutAddress: fee.payoutAddress,
    amount: amount.atoms.toString(),
    token: from.token,
    symbol: from.symbol,
  };
}

function recovery(owed: RefundRecovery | undefined, deps: ApiDeps): Static<typeof SwapOrder>['refundRecovery'] {
  if (!owed) return undefined;
  const { decimals, ...place } = placeOf(owed.asset, deps);
  return definite({
    kind: owed.kind,
    ...place,
    amount: owed.amount.atoms.toString(),
    phase: owed.phase,
    decimals,
    suggestedAddress: owed.suggestedAddress,
    deducted: text(owed.deducted),
    details: owed.kept && keptDetails(owed.asset, owed.kept, deps),
  });
}

type Recovery = NonNullable<Static<typeof SwapOrder>['refundRecovery']>;

/** Why a refund is not made for now, and what would help. */
function keptDetails(id: AssetId, { why, cost, least }: KeptClaim, deps: ApiDeps): NonNullable<Recovery['details']> {
  const { facts } = present(deps.catalog.chain(chainOf(id)), 'chain of a claim');
  const coin = deps.catalog.asset(cost.asset);
  const spent = `${formatUnits(cost.atoms, coin.decimals)} ${coin.symbol}`;
  const message =
    why === 'small'
      ? `Its return would cost about ${spent}, too much beside what it is worth. It is kept, and goes back with what comes later or when that is cheaper.`
      : `This token is not listed here. It goes back once at least ${spent} for its gas has come to the deposit address on ${facts.name}, or when support decides.`;
  return {
    reason: why === 'small' ? 'worth_too_little' : 'unlisted_token',
    message,
    networkCost: cost.atoms.toString(),
    networkCostAsset: coin.symbol,
    ...(least ? { leastAmount: least.atoms.toString() } : {}),
  };
}

function deliveredToken(order: Order, { catalog }: ApiDeps): Static<typeof SwapOrder>['deliveredToken'] {
  const id = deliveredAsset(order);
  if (!id) return undefined;
  const { chainId, token, symbol, decimals } = catalog.asset(id);
  return { chainId, token, symbol, decimals };
}

/** What strayed to us may be a token that nobody listed; then its id is its name. */
function placeOf(id: AssetId, { catalog }: ApiDeps) {
  const { facts } = present(catalog.chain(chainOf(id)), 'chain of a claim');
  const known = facts.assets.find((asset) => asset.id === id);
  const place = { chain: facts.name, chainId: facts.id, token: tokenOf(id) };
  return { asset: known?.symbol ?? tokenOf(id), ...place, decimals: known?.decimals };
}
