import { type Static, Type } from '@sinclair/typebox';
import { present } from '../../kernel/assert.ts';
import { isoTime } from '../../kernel/clock.ts';
import { chainOf, tokenOf } from '../../kernel/ids.ts';
import { showUsd, type UsdPrice, usdValue } from '../../kernel/usd.ts';
import { isWaiting } from '../../life/order/machine/claim.ts';
import type { Order } from '../../life/order/order.ts';
import { depositSeen } from '../../life/order/view/deposit-seen.ts';
import { twapOf } from '../../life/order/view/twap.ts';
import { v1Status } from '../../life/order/view/v1-status.ts';
import { actualOutput, completedAt, errorOf, payoutTxHash, refundTxHash } from '../../life/order/view/v2-customer.ts';
import type { Quote } from '../../life/quote/quote.ts';
import type { PlacedWithSession } from '../create-order.ts';
import type { ApiDeps } from '../deps.ts';
import { Fill, type FillRow } from '../fill.ts';
import { Atomic, ChainNumber, definite, orNull, ref, Timestamp, UsdText } from '../wire-schemas.ts';

export const QuoteV1 = Type.Object({
  fromAmount: Atomic,
  fromAmountUsd: UsdText,
  fromSymbol: Type.String(),
  toAmount: Atomic,
  toAmountUsd: UsdText,
  toSymbol: Type.String(),
  estimatedTime: Type.Number(),
  minReceived: Atomic,
  minDepositUsd: Type.Number(),
  integratorFee: Type.Optional(Type.Object({ percent: Type.Number(), amount: Atomic, amountUsd: UsdText })),
});

export function quoteV1(quote: Quote): Static<typeof QuoteV1> {
  const fee = quote.integratorFee;
  return definite({
    fromAmount: quote.fromAmount.atoms.toString(),
    fromAmountUsd: showUsd(quote.fromUsd),
    fromSymbol: quote.from.symbol,
    toAmount: quote.toAmount.atoms.toString(),
    toAmountUsd: showUsd(quote.toUsd),
    toSymbol: quote.to.symbol,
    estimatedTime: quote.estimatedSeconds,
    minReceived: quote.minReceived.atoms.toString(),
    minDepositUsd: quote.minDepositUsd,
    integratorFee: fee && {
      percent: fee.percent,
      amount: fee.amount.atoms.toString(),
      amountUsd: showUsd(fee.usd),
    },
  });
}

export const CreatedV1 = Type.Object({
  orderId: Type.String(),
  sessionId: Type.String(),
  depositAddress: Type.String(),
  depositChain: Type.String(),
  depositChainId: ChainNumber,
  depositToken: Type.String(),
  depositTokenSymbol: Type.String(),
  depositAmount: Atomic,
  toAddress: Type.String(),
  expectedOutput: Atomic,
  expiresAt: Timestamp,
  status: Type.String(),
});

export function createdV1({ order, session }: PlacedWithSession, { catalog }: ApiDeps): Static<typeof CreatedV1> {
  return {
    orderId: order.id,
    sessionId: session,
    depositAddress: order.depositAddress,
    depositChain: present(catalog.chain(order.from.chainId), 'chain of an order').facts.name,
    depositChainId: order.from.chainId,
    depositToken: order.from.token,
    depositTokenSymbol: order.from.symbol,
    depositAmount: order.asked.atoms.toString(),
    toAddress: order.destination.address,
    expectedOutput: order.expected.atoms.toString(),
    expiresAt: isoTime(order.expiresAt),
    status: v1Status(order),
  };
}

export const TwapProgress = Type.Object({
  enabled: Type.Boolean(),
  status: Type.String(),
  chunksCompleted: Type.Number(),
  chunksTotal: Type.Number(),
  filledQty: UsdText,
  totalQty: UsdText,
  chunkSizeUsd: Type.Number(),
  intervalMs: Type.Number(),
  estimatedTimeRemainingMs: Type.Number(),
});

export const DetailV1 = Type.Object({
  orderId: Type.String(),
  status: Type.String(),
  depositAddress: Type.String(),
  depositChainId: ChainNumber,
  depositTokenSymbol: Type.String(),
  depositAmount: Atomic,
  depositTxHash: Type.Optional(Type.String()),
  confirmations: Type.Optional(Type.Integer()),
  requiredConfirmations: Type.Optional(Type.Integer()),
  toAddress: Type.String(),
  expectedOutput: Atomic,
  actualOutput: Type.Optional(Atomic),
  createdAt: Timestamp,
  completedAt: orNull(Timestamp),
  expiresAt: Timestamp,
  errorMessage: Type.Optional(Type.String()),
  payoutTxHash: Type.Optional(Type.String()),
  refundTxHash: Type.Optional(Type.String()),
  twap: Type.Optional(TwapProgress),
  hlFills: Type.Array(ref(Fill)),
});

export function detailV1(order: Order, fills: readonly FillRow[]): Static<typeof DetailV1> {
  const deposit = depositSeen(order);
  return definite({
    orderId: order.id,
    status: v1Status(order),
    depositAddress: order.depositAddress,
    depositChainId: order.from.chainId,
    depositTokenSymbol: order.from.symbol,
    depositAmount: order.asked.atoms.toString(),
    depositTxHash: deposit?.txHash,
    confirmations: deposit && order.funds.have,
    requiredConfirmations: deposit && order.funds.need,
    toAddress: order.destination.address,
    expectedOutput: order.expected.atoms.toString(),
    actualOutput: actualOutput(order)?.atoms.toString(),
    createdAt: isoTime(order.createdAt),
    completedAt: doneAt(order),
    expiresAt: isoTime(order.expiresAt),
    errorMessage: messageOf(order),
    payoutTxHash: payoutTxHash(order),
    refundTxHash: refundTxHash(order),
    twap: twapOf(order),
    hlFills: [...fills],
  });
}

/** Why it did not go as asked; or what is asked for beside it, since v1 has no other word for that. */
function messageOf(order: Order): string | undefined {
  const told = errorOf(order)?.message;
  if (told !== undefined) return told;
  const asked = order.claims.find(isWaiting)?.amount;
  return (
    asked &&
    `${asked.atoms} of ${tokenOf(asked.asset)} came on chain ${chainOf(asked.asset)} beside the order: give an address there to have it back.`
  );
}

function doneAt(order: Order): string | null {
  const at = completedAt(order);
  return at === undefined ? null : isoTime(at);
}

export const HistoryRow = Type.Object({
  id: Type.String(),
  from_chain_id: ChainNumber,
  from_token_symbol: Type.String(),
  from_amount: Atomic,
  to_chain_id: ChainNumber,
  to_token_symbol: Type.String(),
  to_amount_expected: Atomic,
  to_address: Type.String(),
  status: Type.String(),
  created_at: Timestamp,
  completed_at: orNull(Timestamp),
});

export function historyRow(order: Order): Static<typeof HistoryRow> {
  return {
    id: order.id,
    from_chain_id: order.from.chainId,
    from_token_symbol: order.from.symbol,
    from_amount: order.asked.atoms.toString(),
    to_chain_id: order.to.chainId,
    to_token_symbol: order.to.symbol,
    to_amount_expected: order.expected.atoms.toString(),
    to_address: order.destination.address,
    status: v1Status(order),
    created_at: isoTime(order.createdAt),
    completed_at: doneAt(order),
  };
}

export const Summary = Type.Object({
  orderId: Type.String(),
  status: Type.String(),
  fromTokenSymbol: Type.String(),
  fromAmount: Atomic,
  fromAmountUsd: UsdText,
  toTokenSymbol: Type.String(),
  toAddress: Type.String(),
  expectedOutput: Atomic,
  actualOutput: Type.Optional(Atomic),
  outputAmountUsd: UsdText,
  depositTxHash: Type.Optional(Type.String()),
  receivingTxHash: Type.Optional(Type.String()),
  errorMessage: orNull(Type.String()),
  createdAt: Timestamp,
  completedAt: orNull(Timestamp),
  expiresAt: Timestamp,
  refundTxHash: orNull(Type.String()),
  isXmrInput: Type.Boolean(),
  isXmrOutput: Type.Boolean(),
});

/** `fromAmount` is what arrived once something did; the output's value is the expected one until it is known. */
export function summaryOf(order: Order): Static<typeof Summary> {
  const deposit = depositSeen(order);
  const deposited = deposit?.amount ?? order.asked;
  const output = actualOutput(order);
  const inDollars = (amount: Order['asked'], price: UsdPrice) => showUsd(usdValue(amount, price));
  return definite({
    orderId: order.id,
    status: v1Status(order),
    fromTokenSymbol: order.from.symbol,
    fromAmount: deposited.atoms.toString(),
    fromAmountUsd: inDollars(deposited, order.route.fromPrice),
    toTokenSymbol: order.to.symbol,
    toAddress: order.destination.address,
    expectedOutput: order.expected.atoms.toString(),
    actualOutput: output?.atoms.toString(),
    // Of another asset than was asked for nobody knows the price any more.
    outputAmountUsd: inDollars(output?.asset === order.to.id ? output : order.expected, order.route.toPrice),
    depositTxHash: deposit?.txHash,
    receivingTxHash: payoutTxHash(order),
    errorMessage: messageOf(order) ?? null,
    createdAt: isoTime(order.createdAt),
    completedAt: doneAt(order),
    expiresAt: isoTime(order.expiresAt),
    refundTxHash: refundTxHash(order) ?? null,
    isXmrInput: isXmr(order.from),
    isXmrOutput: isXmr(order.to),
  });
}

/** The interface itself gives XMR's chain the number 0. */
export const isXmr = ({ chainId, native }: Order['from']): boolean => chainId === 0 && native;
