// Written by `npm run sdk` from the contract.

/** The refusal; the header X-Request-Id names the request. */
export interface ErrorReply {
  /** A sentence for a person. */
  error: string;
  code:
    | 'invalid_request'
    | 'invalid_amount'
    | 'exactly_one_amount'
    | 'invalid_address'
    | 'address_refused'
    | 'unsupported_chain'
    | 'unsupported_token'
    | 'unsupported_pair'
    | 'amount_below_minimum'
    | 'amount_above_maximum'
    | 'fee_too_high'
    | 'invalid_cursor'
    | 'invalid_end_user_ip'
    | 'unsupported_funding_provider'
    | 'key_in_query'
    | 'invalid_key'
    | 'not_signed_in'
    | 'sign_in_refused'
    | 'forbidden'
    | 'end_user_ip_not_allowed'
    | 'server_key_required'
    | 'not_found'
    | 'deposit_wait_not_open'
    | 'action_not_available'
    | 'address_already_set'
    | 'last_owner'
    | 'payload_too_large'
    | 'unsupported_media_type'
    | 'method_not_allowed'
    | 'upgrade_required'
    | 'idempotency_mismatch'
    | 'rate_limited'
    | 'unavailable'
    | 'internal_error';
  details?: {
    /** Every field that is wrong, at once. */
    errors?: {
      field: string;
      code:
        | 'invalid_request'
        | 'invalid_amount'
        | 'exactly_one_amount'
        | 'invalid_address'
        | 'address_refused'
        | 'unsupported_chain'
        | 'unsupported_token'
        | 'unsupported_pair'
        | 'amount_below_minimum'
        | 'amount_above_maximum'
        | 'fee_too_high'
        | 'invalid_cursor'
        | 'invalid_end_user_ip'
        | 'unsupported_funding_provider'
        | 'key_in_query'
        | 'invalid_key'
        | 'not_signed_in'
        | 'sign_in_refused'
        | 'forbidden'
        | 'end_user_ip_not_allowed'
        | 'server_key_required'
        | 'not_found'
        | 'deposit_wait_not_open'
        | 'action_not_available'
        | 'address_already_set'
        | 'last_owner'
        | 'payload_too_large'
        | 'unsupported_media_type'
        | 'method_not_allowed'
        | 'upgrade_required'
        | 'idempotency_mismatch'
        | 'rate_limited'
        | 'unavailable'
        | 'internal_error';
      message: string;
    }[];
    /** What is unavailable for the moment. */
    missing?: 'switched_off' | 'deposit_address' | 'prices' | 'offers' | 'stock' | 'answer';
    [name: string]: unknown;
  };
}

export interface Fill {
  /** Unique; use it to tell fills apart. */
  tradeId: string;
  txHash?: string;
  market: string;
  side: 'buy' | 'sell';
  price: string;
  size: string;
  quoteAmount: string;
  fee: string;
  feeToken: string;
  executedAt: string;
}

/** Told apart by kind; only action_required enables an action. */
export interface CustomerState {
  kind:
    | 'awaiting_deposit'
    | 'notice'
    | 'processing'
    | 'paused'
    | 'action_required'
    | 'completed'
    | 'refunded'
    | 'failed'
    | 'expired';
  notice?: 'below_expected' | 'below_minimum' | 'checking';
  step?: 'deposit_seen' | 'confirming' | 'funding' | 'executing' | 'paying_out';
  reason?: 'preparing_refund' | 'below_minimum';
  action?: 'coinflip' | 'refund_address' | 'payout_address';
  code?: string;
  observedDepositAmount?: string;
  minimumDepositAmount?: string;
  topUpUntil?: string;
  /** Something is not paid back yet. */
  stillOwed?: true;
}

/** An estimate: never an execution floor and never a deposit instruction. */
export interface Quote {
  fromChainId: number;
  fromToken: string;
  fromSymbol: string;
  fromDecimals: number;
  toChainId: number;
  toToken: string;
  toSymbol: string;
  toDecimals: number;
  fromAmount: string;
  /** Display valuation only. */
  fromAmountUsd: string;
  toAmount: string;
  /** Display valuation only. */
  toAmountUsd: string;
  mode: 'exact_in' | 'exact_out';
  fees: {
    type: 'network' | 'service' | 'integrator' | 'bridge' | 'activation';
    amount: string;
    token: string;
    symbol: string;
    /** Display valuation only. */
    amountUsd: string;
  }[];
  integratorFee: {
    percent: number;
    /** Display valuation only. */
    amountUsd: string;
    payoutAddress: string;
    amount: string;
    token: string;
    symbol: string;
  } | null;
  limits: {
    minFromAmount: string;
    maxFromAmount: string;
  };
  minDepositUsd: number;
  /** Seconds. */
  estimatedTime: number;
  twap?: {
    chunksTotal: number;
    chunkSizeUsd: number;
    intervalMs: number;
  };
  expiresAt: string;
}

export interface SwapOrder {
  orderId: string;
  product: 'swap' | 'bridge';
  status:
    | 'awaiting_deposit'
    | 'awaiting_xmr1'
    | 'awaiting_trx1'
    | 'processing'
    | 'completed'
    | 'failed'
    | 'expired'
    | 'refunded'
    | 'needs_review';
  customerState: CustomerState;
  confirmations?: number;
  requiredConfirmations?: number;
  fromChainId: number;
  fromToken: string;
  fromSymbol: string;
  fromDecimals: number;
  toChainId: number;
  toToken: string;
  toSymbol: string;
  toDecimals: number;
  depositAddress: string;
  depositUri: string;
  depositAmount: string;
  observedDepositAmount?: string;
  expectedOutput: string;
  fundedExpectedOutput?: string;
  actualOutput?: string;
  deliveredToken?: {
    chainId: number;
    token: string;
    symbol: string;
    decimals: number;
  };
  /** Of bridges: xmr, trx or zec. */
  asset?: string;
  direction?: 'deposit' | 'withdraw';
  /** Of bridges: toAddress again. */
  destination?: string;
  minimumDepositAmount?: string;
  xmr1DepositAddress?: string;
  trx1DepositAddress?: string;
  zec1DepositAddress?: string;
  depositAddressForms?: {
    unified: string;
    transparent: string;
  };
  /** What was really bridged. A null fee does not prove that there was none. */
  bridgeSettlement?: {
    input: {
      amount: string;
      decimals: number;
      symbol: string;
    };
    output: {
      amount: string;
      decimals: number;
      symbol: string;
    };
    fee: {
      amount: string;
      decimals: number;
      symbol: string;
    } | null;
  };
  toAddress: string;
  refundAddress: string | null;
  depositTxHash: string | null;
  payoutTxHash: string | null;
  refundTxHash: string | null;
  /** As they stand: network and activation costs are priced again when the deposit is final. */
  fees: {
    type: 'network' | 'service' | 'integrator' | 'bridge' | 'activation';
    amount: string;
    token: string;
    symbol: string;
  }[];
  integratorFee: {
    percent: number;
    /** Display valuation only. */
    amountUsd: string;
    payoutAddress: string;
    amount: string;
    token: string;
    symbol: string;
  } | null;
  twap: {
    enabled: boolean;
    status: 'pending' | 'active' | 'completed' | 'failed';
    chunksCompleted: number;
    chunksTotal: number;
    /** Display valuation only. */
    filledQty: string;
    /** Display valuation only. */
    totalQty: string;
    chunkSizeUsd: number;
    intervalMs: number;
    estimatedTimeRemainingMs: number;
  } | null;
  refundRecovery?: {
    kind: 'wrong_chain' | 'source' | 'table_deposit';
    /** Symbol of what is returned. */
    asset: string;
    /** Name of the chain it is returned on. */
    chain: string;
    chainId: number;
    token: string;
    /** Absent for a token that nobody lists. */
    decimals?: number;
    amount: string;
    phase: 'address_required' | 'checking' | 'queued' | 'sending' | 'completed' | 'blocked';
    suggestedAddress?: string;
    /** Network cost of the refund, which is not part of amount. */
    deducted?: string;
    /** Why a blocked refund is not made for now. What comes later is joined with it. */
    details?: {
      reason: 'worth_too_little' | 'unlisted_token';
      message: string;
      networkCost: string;
      /** Symbol of the chain's own coin. */
      networkCostAsset: string;
      leastAmount?: string;
    };
  };
  /** All that is or was owed, the oldest first. */
  refundRecoveries: {
    kind: 'wrong_chain' | 'source' | 'table_deposit';
    /** Symbol of what is returned. */
    asset: string;
    /** Name of the chain it is returned on. */
    chain: string;
    chainId: number;
    token: string;
    /** Absent for a token that nobody lists. */
    decimals?: number;
    amount: string;
    phase: 'address_required' | 'checking' | 'queued' | 'sending' | 'completed' | 'blocked';
    suggestedAddress?: string;
    /** Network cost of the refund, which is not part of amount. */
    deducted?: string;
    /** Why a blocked refund is not made for now. What comes later is joined with it. */
    details?: {
      reason: 'worth_too_little' | 'unlisted_token';
      message: string;
      networkCost: string;
      /** Symbol of the chain's own coin. */
      networkCostAsset: string;
      leastAmount?: string;
    };
  }[];
  hlFills: Fill[];
  hlFillsStatus: 'pending' | 'complete' | 'incomplete';
  hlFillsNextCursor: string | null;
  createdAt: string;
  updatedAt: string;
  completedAt: string | null;
  expiresAt: string;
  errorCode: string | null;
  errorMessage: string | null;
  /** A page that shows the order to anyone who has it, without a right to act. */
  trackingUrl: string;
}

export interface CreatedSwap {
  orderId: string;
  product: 'swap' | 'bridge';
  status:
    | 'awaiting_deposit'
    | 'awaiting_xmr1'
    | 'awaiting_trx1'
    | 'processing'
    | 'completed'
    | 'failed'
    | 'expired'
    | 'refunded'
    | 'needs_review';
  customerState: CustomerState;
  confirmations?: number;
  requiredConfirmations?: number;
  fromChainId: number;
  fromToken: string;
  fromSymbol: string;
  fromDecimals: number;
  toChainId: number;
  toToken: string;
  toSymbol: string;
  toDecimals: number;
  depositAddress: string;
  depositUri: string;
  depositAmount: string;
  observedDepositAmount?: string;
  expectedOutput: string;
  fundedExpectedOutput?: string;
  actualOutput?: string;
  deliveredToken?: {
    chainId: number;
    token: string;
    symbol: string;
    decimals: number;
  };
  /** Of bridges: xmr, trx or zec. */
  asset?: string;
  direction?: 'deposit' | 'withdraw';
  /** Of bridges: toAddress again. */
  destination?: string;
  minimumDepositAmount?: string;
  xmr1DepositAddress?: string;
  trx1DepositAddress?: string;
  zec1DepositAddress?: string;
  depositAddressForms?: {
    unified: string;
    transparent: string;
  };
  /** What was really bridged. A null fee does not prove that there was none. */
  bridgeSettlement?: {
    input: {
      amount: string;
      decimals: number;
      symbol: string;
    };
    output: {
      amount: string;
      decimals: number;
      symbol: string;
    };
    fee: {
      amount: string;
      decimals: number;
      symbol: string;
    } | null;
  };
  toAddress: string;
  refundAddress: string | null;
  depositTxHash: string | null;
  payoutTxHash: string | null;
  refundTxHash: string | null;
  /** As they stand: network and activation costs are priced again when the deposit is final. */
  fees: {
    type: 'network' | 'service' | 'integrator' | 'bridge' | 'activation';
    amount: string;
    token: string;
    symbol: string;
  }[];
  integratorFee: {
    percent: number;
    /** Display valuation only. */
    amountUsd: string;
    payoutAddress: string;
    amount: string;
    token: string;
    symbol: string;
  } | null;
  twap: {
    enabled: boolean;
    status: 'pending' | 'active' | 'completed' | 'failed';
    chunksCompleted: number;
    chunksTotal: number;
    /** Display valuation only. */
    filledQty: string;
    /** Display valuation only. */
    totalQty: string;
    chunkSizeUsd: number;
    intervalMs: number;
    estimatedTimeRemainingMs: number;
  } | null;
  refundRecovery?: {
    kind: 'wrong_chain' | 'source' | 'table_deposit';
    /** Symbol of what is returned. */
    asset: string;
    /** Name of the chain it is returned on. */
    chain: string;
    chainId: number;
    token: string;
    /** Absent for a token that nobody lists. */
    decimals?: number;
    amount: string;
    phase: 'address_required' | 'checking' | 'queued' | 'sending' | 'completed' | 'blocked';
    suggestedAddress?: string;
    /** Network cost of the refund, which is not part of amount. */
    deducted?: string;
    /** Why a blocked refund is not made for now. What comes later is joined with it. */
    details?: {
      reason: 'worth_too_little' | 'unlisted_token';
      message: string;
      networkCost: string;
      /** Symbol of the chain's own coin. */
      networkCostAsset: string;
      leastAmount?: string;
    };
  };
  /** All that is or was owed, the oldest first. */
  refundRecoveries: {
    kind: 'wrong_chain' | 'source' | 'table_deposit';
    /** Symbol of what is returned. */
    asset: string;
    /** Name of the chain it is returned on. */
    chain: string;
    chainId: number;
    token: string;
    /** Absent for a token that nobody lists. */
    decimals?: number;
    amount: string;
    phase: 'address_required' | 'checking' | 'queued' | 'sending' | 'completed' | 'blocked';
    suggestedAddress?: string;
    /** Network cost of the refund, which is not part of amount. */
    deducted?: string;
    /** Why a blocked refund is not made for now. What comes later is joined with it. */
    details?: {
      reason: 'worth_too_little' | 'unlisted_token';
      message: string;
      networkCost: string;
      /** Symbol of the chain's own coin. */
      networkCostAsset: string;
      leastAmount?: string;
    };
  }[];
  hlFills: Fill[];
  hlFillsStatus: 'pending' | 'complete' | 'incomplete';
  hlFillsNextCursor: string | null;
  createdAt: string;
  updatedAt: string;
  completedAt: string | null;
  expiresAt: string;
  errorCode: string | null;
  errorMessage: string | null;
  /** A page that shows the order to anyone who has it, without a right to act. */
  trackingUrl: string;
  /** The owner’s credential; keep it private and out of addresses. */
  sessionId: string;
}

export interface TrackedOrder {
  orderId: string;
  product: 'swap' | 'bridge';
  status: 'pending' | 'processing' | 'info_needed' | 'expired' | 'refunded' | 'failed' | 'completed';
  customerState: CustomerState;
  confirmations?: number;
  requiredConfirmations?: number;
  fromChainId: number;
  fromToken: string;
  fromSymbol: string;
  fromDecimals: number;
  toChainId: number;
  toToken: string;
  toSymbol: string;
  toDecimals: number;
  depositAmount: string;
  observedDepositAmount?: string;
  expectedOutput: string;
  actualOutput?: string;
  deliveredToken?: {
    chainId: number;
    token: string;
    symbol: string;
    decimals: number;
  };
  depositTxHash?: string;
  payoutTxHash?: string;
  refundTxHash?: string;
  createdAt: string;
  updatedAt: string;
  expiresAt: string;
}

export interface OrderRow {
  orderId: string;
  product: 'swap' | 'bridge';
  status:
    | 'awaiting_deposit'
    | 'awaiting_xmr1'
    | 'awaiting_trx1'
    | 'processing'
    | 'completed'
    | 'failed'
    | 'expired'
    | 'refunded'
    | 'needs_review';
  asset?: string;
  direction?: 'deposit' | 'withdraw';
  fromSymbol: string;
  toSymbol: string;
  depositAmount: string;
  expectedOutput: string;
  actualOutput?: string;
  deliveredToken?: {
    chainId: number;
    token: string;
    symbol: string;
    decimals: number;
  };
  toAddress: string;
  createdAt: string;
  updatedAt: string;
  completedAt: string | null;
  expiresAt: string;
}

export interface Token {
  chainId: number;
  token: string;
  symbol: string;
  name: string;
  decimals: number;
  native: boolean;
  /** Display valuation of one whole unit. */
  priceUsd?: string;
  deposit: boolean;
  payout: boolean;
}

/** A text frame: the order at once, on every change, and at its end. */
export interface OrderEvent {
  type: 'snapshot' | 'update' | 'final';
  /** Counts the frames of this socket from 1. */
  seq: number;
  order: SwapOrder;
}

export interface QuoteSwapInput {
  fromChainId: number;
  toChainId: number;
  fromToken: string;
  toToken: string;
  toAddress?: string;
  fromAmount?: string;
  toAmount?: string;
  integratorFeePercent?: number;
}

export interface CreateSwapInput {
  fromChainId: number;
  toChainId: number;
  fromToken: string;
  toToken: string;
  toAddress: string;
  fromAmount?: string;
  toAmount?: string;
  integratorFeePercent?: number;
  sessionId?: string;
  refundAddress?: string;
  fundingProvider?: string;
}

export interface ReadSwapInput {
  id: string;
  /** The order’s destination address: read-only proof instead of X-Session-ID. */
  verify?: string;
}

export interface ListFillsInput {
  id: string;
  /** The order’s destination address: read-only proof instead of X-Session-ID. */
  verify?: string;
  limit?: number;
  cursor?: string;
}

export interface ListFillsReply {
  fills: Fill[];
  status: 'pending' | 'complete' | 'incomplete';
  nextCursor: string | null;
}

export type ListAssetsInput = Record<string, never>;

export interface ListAssetsReply {
  chains: {
    chainId: number;
    name: string;
    family: string;
    nativeToken: string;
    deposit: boolean;
    payout: boolean;
    requiredConfirmations: number;
    minSwapUsd: number;
    addressExample: string;
  }[];
  featuredTokens: Token[];
  fundingProviders: string[];
}

export interface ListTokensInput {
  direction?: 'from' | 'to';
  chainId?: number;
  q?: string;
  offset?: number;
  limit?: number;
}

export interface ListTokensReply {
  tokens: Token[];
  total: number;
  offset: number;
  limit: number;
  nextOffset: number | null;
}

export interface ListOrdersInput {
  limit?: number;
  cursor?: string;
}

export interface ListOrdersReply {
  orders: OrderRow[];
  nextCursor: string | null;
}

export interface CloseDepositWaitInput {
  id: string;
}

export interface SaveRefundAddressInput {
  id: string;
  refundAddress: string;
}

export interface SavePayoutAddressInput {
  id: string;
  payoutAddress: string;
}

export type ReadBridgeTermsInput = Record<string, never>;

export interface ReadBridgeTermsReply {
  fees: {
    /** Fraction of the gross amount. */
    depositFeeRate: number;
    /** Fraction of the gross amount. */
    withdrawalFeeRate: number;
    /** Kept of every withdrawal, in whole coins. */
    withdrawalFlat: {
      [name: string]: unknown;
    };
    withdrawalFlatXmr?: number;
    withdrawalFlatTrx?: number;
  };
  /** Least gross amount in both directions, in whole coins; exactly this much settles. */
  minimums: {
    [name: string]: unknown;
  };
  assets: {
    asset: string;
    native: string;
    wrapped: string;
    deposit: boolean;
    withdraw: boolean;
    requiredConfirmations: number;
  }[];
}

export interface CreateBridgeInput {
  asset: 'xmr' | 'trx' | 'zec';
  direction: 'deposit' | 'withdraw';
  toAddress: string;
  refundAddress?: string;
  sessionId?: string;
}

export interface ReadBridgeInput {
  id: string;
  /** The order’s destination address: read-only proof instead of X-Session-ID. */
  verify?: string;
}

export interface TrackOrderInput {
  trackingId: string;
}

export interface Operations {
  /** Quote a swap. By what is sent (fromAmount) or by what is to be received (toAmount). Where a toAddress is given it is checked, and the payment to it is priced; without one, that to somebody who was never paid before. */
  quoteSwap: { input: QuoteSwapInput; reply: Quote };
  /** Create a swap order. Repeat it after a timeout only with the Idempotency-Key of the first call: without one, a second call creates a second order. */
  createSwap: { input: CreateSwapInput; reply: CreatedSwap };
  /** Read a swap order. The answer names itself in ETag. Whoever sends that name in If-None-Match is answered 304 without a body until the order changes. */
  readSwap: { input: ReadSwapInput; reply: SwapOrder };
  /** List execution fills. Newest first. A null nextCursor means that no older receipts are saved, not that all are in. */
  listFills: { input: ListFillsInput; reply: ListFillsReply };
  /** List chains and featured tokens. */
  listAssets: { input: ListAssetsInput; reply: ListAssetsReply };
  /** Search tokens. */
  listTokens: { input: ListTokensInput; reply: ListTokensReply };
  /** List the session’s orders. Newest first. Rows can lag behind the single reads: read the order before offering an action. */
  listOrders: { input: ListOrdersInput; reply: ListOrdersReply };
  /** Close the deposit wait. Continues on what has arrived instead of waiting for the rest. */
  closeDepositWait: { input: CloseDepositWaitInput; reply: SwapOrder };
  /** Save the refund address. Once saved it does not change. The answer confirms the save, not a payment. */
  saveRefundAddress: { input: SaveRefundAddressInput; reply: SwapOrder };
  /** Save another payout address. After the chain refused the first one. Once saved it does not change. */
  savePayoutAddress: { input: SavePayoutAddressInput; reply: SwapOrder };
  /** Fees, minimums and what is switched on. Read it when an order is made: all of it can change. */
  readBridgeTerms: { input: ReadBridgeTermsInput; reply: ReadBridgeTermsReply };
  /** Create a bridge order. No amount is named: what arrives is bridged. Repeat it after a timeout only with the Idempotency-Key of the first call. */
  createBridge: { input: CreateBridgeInput; reply: CreatedSwap };
  /** Read a bridge order. The answer names itself in ETag. Whoever sends that name in If-None-Match is answered 304 without a body until the order changes. */
  readBridge: { input: ReadBridgeInput; reply: SwapOrder };
  /** Track an order. With the last part of trackingUrl: a right to look, never to act. No address is shown. */
  trackOrder: { input: TrackOrderInput; reply: TrackedOrder };
}

/** Where each operation is found, and which parts of its input travel in the address. */
export const OPERATIONS = {
  quoteSwap: { method: 'POST', path: '/v2/swaps/quote', inPath: [], inQuery: [] },
  createSwap: { method: 'POST', path: '/v2/swaps', inPath: [], inQuery: [] },
  readSwap: { method: 'GET', path: '/v2/swaps/{id}', inPath: ['id'], inQuery: ['verify'] },
  listFills: { method: 'GET', path: '/v2/swaps/{id}/fills', inPath: ['id'], inQuery: ['verify', 'limit', 'cursor'] },
  listAssets: { method: 'GET', path: '/v2/swaps/assets', inPath: [], inQuery: [] },
  listTokens: {
    method: 'GET',
    path: '/v2/swaps/assets/tokens',
    inPath: [],
    inQuery: ['direction', 'chainId', 'q', 'offset', 'limit'],
  },
  listOrders: { method: 'GET', path: '/v2/orders', inPath: [], inQuery: ['limit', 'cursor'] },
  closeDepositWait: { method: 'POST', path: '/v2/orders/{id}/deposit-wait/close', inPath: ['id'], inQuery: [] },
  saveRefundAddress: { method: 'PUT', path: '/v2/orders/{id}/refund-address', inPath: ['id'], inQuery: [] },
  savePayoutAddress: { method: 'PUT', path: '/v2/orders/{id}/payout-address', inPath: ['id'], inQuery: [] },
  readBridgeTerms: { method: 'GET', path: '/v2/bridges/terms', inPath: [], inQuery: [] },
  createBridge: { method: 'POST', path: '/v2/bridges', inPath: [], inQuery: [] },
  readBridge: { method: 'GET', path: '/v2/bridges/{id}', inPath: ['id'], inQuery: ['verify'] },
  trackOrder: { method: 'GET', path: '/v2/track/{trackingId}', inPath: ['trackingId'], inQuery: [] },
} as const;

/** Operations that open a socket. */
export const STREAMS = {
  followSwap: { method: 'GET', path: '/v2/swaps/{id}/events', inPath: ['id'], inQuery: ['verify'] },
  followBridge: { method: 'GET', path: '/v2/bridges/{id}/events', inPath: ['id'], inQuery: ['verify'] },
} as const;
