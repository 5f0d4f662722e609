import { Type } from '@sinclair/typebox';
import { Fill } from '../fill.ts';
import { MAX_FEE_PERCENT } from '../limits.ts';
import {
  AddressText,
  Atomic,
  ChainNumber,
  ErrorV2,
  oneOf,
  orNull,
  ref,
  Timestamp,
  TokenText,
  UsdText,
} from '../wire-schemas.ts';
import { RefundRecoveryV2 } from './refund-recovery-schema.ts';

export const OrderParams = Type.Object({ id: Type.String({ examples: ['sw_7qjx4k2m5n3p6r7s2t4u5v6w7x2y3z4a'] }) });

/** What whoever polls an order should know. */
export const NOT_MODIFIED =
  'The answer names itself in ETag. Whoever sends that name in If-None-Match is answered 304 without a body until the order changes.';

export const ProofQuery = {
  verify: Type.Optional(
    Type.String({ description: 'The order’s destination address: read-only proof instead of X-Session-ID.' }),
  ),
};

export const SwapBody = Type.Object({
  fromChainId: ChainNumber,
  toChainId: ChainNumber,
  fromToken: TokenText,
  toToken: TokenText,
  toAddress: AddressText,
  fromAmount: Type.Optional(Atomic),
  toAmount: Type.Optional(Atomic),
  integratorFeePercent: Type.Optional(Type.Number({ minimum: 0, maximum: MAX_FEE_PERCENT })),
});

export const IntegratorFee = Type.Object({
  percent: Type.Number(),
  amountUsd: UsdText,
  payoutAddress: Type.String(),
  amount: Atomic,
  token: Type.String(),
  symbol: Type.String(),
});

export const Token = Type.Object(
  {
    chainId: ChainNumber,
    token: Type.String(),
    symbol: Type.String(),
    name: Type.String(),
    decimals: Type.Integer(),
    native: Type.Boolean(),
    priceUsd: Type.Optional(Type.String({ description: 'Display valuation of one whole unit.' })),
    deposit: Type.Boolean(),
    payout: Type.Boolean(),
  },
  { $id: 'Token' },
);

const Ends = {
  fromChainId: ChainNumber,
  fromToken: Type.String(),
  fromSymbol: Type.String(),
  fromDecimals: Type.Integer(),
  toChainId: ChainNumber,
  toToken: Type.String(),
  toSymbol: Type.String(),
  toDecimals: Type.Integer(),
};

const FeeLine = {
  type: oneOf('network', 'service', 'integrator', 'bridge', 'activation'),
  amount: Atomic,
  token: Type.String(),
  symbol: Type.String(),
};

export const QuoteV2 = Type.Object(
  {
    ...Ends,
    fromAmount: Atomic,
    fromAmountUsd: UsdText,
    toAmount: Atomic,
    toAmountUsd: UsdText,
    mode: oneOf('exact_in', 'exact_out'),
    fees: Type.Array(Type.Object({ ...FeeLine, amountUsd: UsdText })),
    integratorFee: orNull(IntegratorFee),
    limits: Type.Object({ minFromAmount: Atomic, maxFromAmount: Atomic }),
    minDepositUsd: Type.Number(),
    estimatedTime: Type.Integer({ description: 'Seconds.' }),
    twap: Type.Optional(
      Type.Object({ chunksTotal: Type.Integer(), chunkSizeUsd: Type.Number(), intervalMs: Type.Integer() }),
    ),
    expiresAt: Timestamp,
  },
  { $id: 'Quote', description: 'An estimate: never an execution floor and never a deposit instruction.' },
);

const CustomerStateV2 = Type.Object(
  {
    kind: oneOf(
      'awaiting_deposit',
      'notice',
      'processing',
      'paused',
      'action_required',
      'completed',
      'refunded',
      'failed',
      'expired',
    ),
    notice: Type.Optional(oneOf('below_expected', 'below_minimum', 'checking')),
    step: Type.Optional(oneOf('deposit_seen', 'confirming', 'funding', 'executing', 'paying_out')),
    reason: Type.Optional(oneOf('preparing_refund', 'below_minimum')),
    action: Type.Optional(oneOf('coinflip', 'refund_address', 'payout_address')),
    code: Type.Optional(Type.String()),
    observedDepositAmount: Type.Optional(Atomic),
    minimumDepositAmount: Type.Optional(Atomic),
    topUpUntil: Type.Optional(Timestamp),
    stillOwed: Type.Optional(Type.Literal(true, { description: 'Something is not paid back yet.' })),
  },
  { $id: 'CustomerState', description: 'Told apart by kind; only action_required enables an action.' },
);

const TwapV2 = Type.Object({
  enabled: Type.Boolean(),
  status: oneOf('pending', 'active', 'completed', 'failed'),
  chunksCompleted: Type.Integer(),
  chunksTotal: Type.Integer(),
  filledQty: UsdText,
  totalQty: UsdText,
  chunkSizeUsd: Type.Number(),
  intervalMs: Type.Integer(),
  estimatedTimeRemainingMs: Type.Integer(),
});

export const OrderStatus = oneOf(
  'awaiting_deposit',
  'awaiting_xmr1',
  'awaiting_trx1',
  'processing',
  'completed',
  'failed',
  'expired',
  'refunded',
  'needs_review',
);
const Product = oneOf('swap', 'bridge');

const Settled = Type.Object({ amount: Atomic, decimals: Type.Integer(), symbol: Type.String() });

export const FillsState = oneOf('pending', 'complete', 'incomplete');

/** The unit of `actualOutput` where another asset was delivered than was asked for. */
const DeliveredToken = Type.Object({
  chainId: ChainNumber,
  token: Type.String(),
  symbol: Type.String(),
  decimals: Type.Integer(),
});

export const SwapOrder = Type.Object(
  {
    orderId: Type.String(),
    product: Product,
    status: OrderStatus,
    customerState: ref(CustomerStateV2),
    confirmations: Type.Optional(Type.Integer()),
    requiredConfirmations: Type.Optional(Type.Integer()),
    ...Ends,
    depositAddress: Type.String(),
    depositUri: Type.String(),
    depositAmount: Atomic,
    observedDepositAmount: Type.Optional(Atomic),
    expectedOutput: Atomic,
    fundedExpectedOutput: Type.Optional(Atomic),
    actualOutput: Type.Optional(Atomic),
    deliveredToken: Type.Optional(DeliveredToken),
    asset: Type.Optional(Type.String({ description: 'Of bridges: xmr, trx or zec.' })),
    direction: Type.Optional(oneOf('deposit', 'withdraw')),
    destination: Type.Optional(Type.String({ description: 'Of bridges: toAddress again.' })),
    minimumDepositAmount: Type.Optional(Atomic),
    xmr1DepositAddress: Type.Optional(Type.String()),
    trx1DepositAddress: Type.Optional(Type.String()),
    zec1DepositAddress: Type.Optional(Type.String()),
    depositAddressForms: Type.Optional(Type.Object({ unified: Type.String(), transparent: Type.String() })),
    bridgeSettlement: Type.Optional(
      Type.Object(
        { input: Settled, output: Settled, fee: orNull(Settled) },
        { description: 'What was really bridged. A null fee does not prove that there was none.' },
      ),
    ),
    toAddress: Type.String(),
    refundAddress: orNull(Type.String()),
    depositTxHash: orNull(Type.String()),
    payoutTxHash: orNull(Type.String()),
    refundTxHash: orNull(Type.String()),
    fees: Type.Array(Type.Object(FeeLine), {
      description: 'As they stand: network and activation costs are priced again when the deposit is final.',
    }),
    integratorFee: orNull(IntegratorFee),
    twap: orNull(TwapV2),
    refundRecovery: Type.Optional(RefundRecoveryV2),
    refundRecoveries: Type.Array(RefundRecoveryV2, { description: 'All that is or was owed, the oldest first.' }),
    hlFills: Type.Array(ref(Fill)),
    hlFillsStatus: FillsState,
    hlFillsNextCursor: orNull(Type.String()),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    completedAt: orNull(Timestamp),
    expiresAt: Timestamp,
    errorCode: orNull(Type.String()),
    errorMessage: orNull(Type.String()),
    trackingUrl: Type.String({
      description: 'A page that shows the order to anyone who has it, without a right to act.',
    }),
  },
  { $id: 'SwapOrder' },
);

/** What somebody may see who was given the tracking address: no address of anyone, no action. */
export const TrackedOrder = Type.Object(
  {
    orderId: Type.String(),
    product: Product,
    status: oneOf('pending', 'processing', 'info_needed', 'expired', 'refunded', 'failed', 'completed'),
    customerState: ref(CustomerStateV2),
    confirmations: Type.Optional(Type.Integer()),
    requiredConfirmations: Type.Optional(Type.Integer()),
    ...Ends,
    depositAmount: Atomic,
    observedDepositAmount: Type.Optional(Atomic),
    expectedOutput: Atomic,
    actualOutput: Type.Optional(Atomic),
    deliveredToken: Type.Optional(DeliveredToken),
    depositTxHash: Type.Optional(Type.String()),
    payoutTxHash: Type.Optional(Type.String()),
    refundTxHash: Type.Optional(Type.String()),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    expiresAt: Timestamp,
  },
  { $id: 'TrackedOrder' },
);

export const CreatedSwap = Type.Object(
  {
    ...SwapOrder.properties,
    sessionId: Type.String({ description: 'The owner’s credential; keep it private and out of addresses.' }),
  },
  { $id: 'CreatedSwap' },
);

export const OrderRow = Type.Object(
  {
    orderId: Type.String(),
    product: Product,
    status: OrderStatus,
    asset: Type.Optional(Type.String()),
    direction: Type.Optional(oneOf('deposit', 'withdraw')),
    fromSymbol: Type.String(),
    toSymbol: Type.String(),
    depositAmount: Atomic,
    expectedOutput: Atomic,
    actualOutput: Type.Optional(Atomic),
    deliveredToken: Type.Optional(DeliveredToken),
    toAddress: Type.String(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    completedAt: orNull(Timestamp),
    expiresAt: Timestamp,
  },
  { $id: 'OrderRow' },
);

/** What the contract shows under its own name. */
export const NAMED_SCHEMAS = [
  ErrorV2,
  Fill,
  CustomerStateV2,
  QuoteV2,
  SwapOrder,
  CreatedSwap,
  TrackedOrder,
  OrderRow,
  Token,
];
