import type { SwapOrder } from '../../sdk/src/index.ts';
import { TRON_ID } from '../../src/world/chains/tron/codec.ts';
import { ZCASH_ID } from '../../src/world/chains/zcash/rules.ts';
import { EVM_ADDRESS, MONERO_ADDRESS, USDC, VENUE_XMR } from '../wire/assets.ts';

const ZEC = {
  fromChainId: ZCASH_ID,
  fromToken: 'ZEC',
  fromSymbol: 'ZEC',
  fromDecimals: 8,
  minimumDepositAmount: '5000000',
};
const ZEC_FORMS = {
  unified:
    'u1l8xunezsvhq8fgzfl7404m450nwnd76zshscn6nfys7vyz2ywyh4cc5daaq0c7q2su5lqfh23sp7fkf3kt27ve5948mzpfdvckzaect2jtte308mkwlycj2u0eac077wu70vqcetkxf',
  transparent: 't1Hsc1LR8yKnbbe3twRp88p6vFfC5t7DLbs',
};
const TRON_ADDRESS = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
const BASE_USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const ORDER_ID = `sw_${'a'.repeat(32)}`;
const AT = '2030-01-01T00:00:00.000Z';
const LATER = '2030-01-01T01:00:00.000Z';

const BASE: SwapOrder = {
  orderId: ORDER_ID,
  product: 'swap',
  status: 'awaiting_deposit',
  refundRecoveries: [],
  customerState: { kind: 'awaiting_deposit' },
  fromChainId: 42161,
  fromToken: USDC.token,
  fromSymbol: 'USDC',
  fromDecimals: 6,
  toChainId: 0,
  toToken: 'XMR',
  toSymbol: 'XMR',
  toDecimals: 12,
  depositAddress: EVM_ADDRESS,
  depositUri: `ethereum:${USDC.token}@42161/transfer?address=${EVM_ADDRESS}&uint256=300000000`,
  depositAmount: '300000000',
  expectedOutput: '1000000000000',
  toAddress: MONERO_ADDRESS,
  refundAddress: null,
  depositTxHash: null,
  payoutTxHash: null,
  refundTxHash: null,
  fees: [],
  integratorFee: null,
  twap: null,
  hlFills: [],
  hlFillsStatus: 'pending',
  hlFillsNextCursor: null,
  createdAt: AT,
  updatedAt: AT,
  completedAt: null,
  expiresAt: LATER,
  errorCode: null,
  errorMessage: null,
  trackingUrl: `/track/${ORDER_ID}.aaaaaaaaaaaaaaaa`,
};

const from = (part: Partial<SwapOrder>): SwapOrder => ({
  ...{ ...BASE, ...part },
  refundRecoveries: part.refundRecovery ? [part.refundRecovery] : [],
});
const arrived = {
  depositTxHash: `0x${'ab'.repeat(32)}`,
  observedDepositAmount: '300000000',
  status: 'processing',
} as const;
const step = (name: NonNullable<SwapOrder['customerState']['step']>, part: Partial<SwapOrder> = {}) =>
  from({ ...arrived, customerState: { kind: 'processing', step: name }, ...part });
const native = {
  ...{ fromChainId: 0, fromToken: 'XMR', fromSymbol: 'XMR', fromDecimals: 12 },
  ...{ toChainId: 42161, toToken: USDC.token, toSymbol: 'USDC', toDecimals: 6, toAddress: EVM_ADDRESS },
  ...{ depositAddress: MONERO_ADDRESS, depositAmount: '1500000000000', expectedOutput: '449123456' },
  depositUri: `monero:${MONERO_ADDRESS}?tx_amount=1.5`,
} as const;
const recovery = (
  phase: NonNullable<SwapOrder['refundRecovery']>['phase'],
): NonNullable<SwapOrder['refundRecovery']> => ({
  ...{
    kind: 'wrong_chain',
    asset: 'ETH',
    chain: 'Base',
    chainId: 8453,
    token: '0x0000000000000000000000000000000000000000',
  },
  ...{ decimals: 18, amount: '100000000000000000', phase },
});
const toReturn: NonNullable<SwapOrder['refundRecovery']> = {
  ...recovery('address_required'),
  ...{ kind: 'source', chain: 'Arbitrum', chainId: 42161, asset: 'USDC', token: USDC.token, decimals: 6 },
  ...{ amount: '300000000', suggestedAddress: EVM_ADDRESS },
};
const asking = (refundRecovery: NonNullable<SwapOrder['refundRecovery']>, part: Partial<SwapOrder> = {}) =>
  from({ customerState: { kind: 'action_required', action: 'refund_address' }, ...part, refundRecovery });
const completed = {
  ...arrived,
  status: 'completed',
  customerState: { kind: 'completed' },
  ...{ actualOutput: '998000000000', payoutTxHash: 'cd'.repeat(32), completedAt: '2030-01-01T00:04:10.000Z' },
} as const satisfies Partial<SwapOrder>;
const bridge = {
  ...{ product: 'bridge', asset: 'xmr', direction: 'deposit', minimumDepositAmount: '100000000000' },
  ...{ ...native, depositUri: `monero:${MONERO_ADDRESS}` },
  ...{ toChainId: 1337, toToken: VENUE_XMR.token, toSymbol: 'XMR1', toDecimals: 8 },
} as const satisfies Partial<SwapOrder>;

/** What a desk that is newer than these pages may answer. */
const unheardOf = {
  ...BASE,
  status: 'paused_by_moon',
  customerState: { kind: 'moon_phase', action: 'howl' },
} as unknown as SwapOrder;

/** Every state a customer can meet, by its name. */
export const FIXTURES: Readonly<Record<string, SwapOrder>> = {
  awaiting_token: BASE,
  awaiting_coin: from({ ...native, refundAddress: MONERO_ADDRESS }),
  awaiting_bridge: from(bridge),
  awaiting_zec: from({
    ...bridge,
    asset: 'zec',
    ...ZEC,
    toSymbol: 'ZEC1',
    depositAddress: ZEC_FORMS.unified,
    depositUri: `zcash:${ZEC_FORMS.unified}`,
    depositAddressForms: ZEC_FORMS,
  }),
  awaiting_xmr1: from({
    ...bridge,
    direction: 'withdraw',
    status: 'awaiting_xmr1',
    minimumDepositAmount: '10000000',
    ...{ toChainId: 0, toToken: 'XMR', toSymbol: 'XMR', toDecimals: 12, toAddress: MONERO_ADDRESS },
    fromChainId: 1337,
    fromToken: VENUE_XMR.token,
    fromSymbol: 'XMR1',
    fromDecimals: 8,
    depositAddress: EVM_ADDRESS,
    depositUri: EVM_ADDRESS,
  }),
  awaiting_trx1: from({
    ...bridge,
    ...{ asset: 'trx', direction: 'withdraw', status: 'awaiting_trx1', minimumDepositAmount: '2500000000' },
    ...{ fromChainId: 1337, fromToken: `0x${'1'.repeat(32)}`, fromSymbol: 'TRX1', fromDecimals: 8 },
    ...{ toChainId: TRON_ID, toToken: 'TRX', toSymbol: 'TRX', toDecimals: 6, toAddress: TRON_ADDRESS },
    ...{ depositAddress: EVM_ADDRESS, depositUri: EVM_ADDRESS },
  }),
  below_expected: from({
    ...arrived,
    status: 'awaiting_deposit',
    customerState: { kind: 'notice', notice: 'below_expected', observedDepositAmount: '100000000', topUpUntil: LATER },
  }),
  below_minimum: from({
    ...native,
    customerState: {
      kind: 'notice',
      notice: 'below_minimum',
      observedDepositAmount: '10000000000',
      minimumDepositAmount: '80000000000',
    },
  }),
  checking: from({
    ...arrived,
    customerState: { kind: 'notice', notice: 'checking', observedDepositAmount: '300000000' },
  }),
  seen: step('deposit_seen', { confirmations: 0, requiredConfirmations: 12 }),
  confirming: step('confirming', { confirmations: 5, requiredConfirmations: 12 }),
  funding: step('funding'),
  executing: step('executing', { observedDepositAmount: '310000000', fundedExpectedOutput: '1033333333333' }),
  bridging: step('confirming', {
    ...bridge,
    ...{ confirmations: 5, requiredConfirmations: 64 },
    ...{ observedDepositAmount: '3000000000000', fundedExpectedOutput: '299700000' },
  }),
  chunks: step('executing', {
    twap: {
      enabled: true,
      status: 'active',
      chunksCompleted: 2,
      chunksTotal: 6,
      filledQty: '10000.00',
      totalQty: '30000.00',
      chunkSizeUsd: 5000,
      intervalMs: 8000,
      estimatedTimeRemainingMs: 32_000,
    },
    hlFills: [1, 2, 3].map((n) => ({
      tradeId: `${n}`,
      market: 'XMR1/USDC',
      side: 'buy',
      price: '300.5',
      size: '16.6',
      quoteAmount: '4988.3',
      fee: '0.01',
      feeToken: 'XMR1',
      executedAt: AT,
    })),
  }),
  paying_out: step('paying_out'),
  needs_review: step('executing', { status: 'needs_review' }),
  preparing_refund: from({
    ...arrived,
    customerState: { kind: 'paused', reason: 'preparing_refund' },
    errorMessage: 'The deposit is returned: no route.',
  }),
  paused_small: from({
    ...native,
    customerState: {
      kind: 'paused',
      reason: 'below_minimum',
      observedDepositAmount: '10000000000',
      minimumDepositAmount: '80000000000',
    },
  }),
  paused_unknown: from({ ...native, customerState: { kind: 'paused', reason: 'below_minimum' } }),
  refund_wanted: asking(recovery('address_required')),
  refund_same_coin: asking({
    ...recovery('address_required'),
    ...{ asset: 'USDC', token: BASE_USDC, decimals: 6, amount: '300000000' },
  }),
  refund_suggested: asking(toReturn),
  refund_own: asking(toReturn, { refundAddress: EVM_ADDRESS }),
  refund_or_wait: asking(toReturn, { ...arrived, errorCode: 'waiting_for_stock' }),
  refund_unlisted: asking({
    kind: 'wrong_chain',
    asset: '\u202e<b>FREE MONEY visit evil.example</b>',
    chain: 'Base',
    chainId: 8453,
    token: '0xdead',
    amount: '123456789',
    phase: 'address_required',
  }),
  payout_wanted: from({
    ...arrived,
    customerState: { kind: 'action_required', action: 'payout_address' },
    errorMessage: 'The destination cannot be paid: frozen by the token.',
  }),
  completed: from({ ...completed }),
  completed_other: from({
    ...completed,
    deliveredToken: { chainId: 42161, token: USDC.token, symbol: 'USDC', decimals: 6 },
    actualOutput: '299000000',
  }),
  completed_coinflip_lost: from({
    ...completed,
    actualOutput: '0',
    payoutTxHash: null,
    coinflipLost: true,
  } as Partial<SwapOrder>),
  completed_bridge: from({
    ...bridge,
    ...completed,
    actualOutput: '149850000',
    bridgeSettlement: {
      input: { amount: '1500000000000', decimals: 12, symbol: 'XMR' },
      output: { amount: '149850000', decimals: 8, symbol: 'XMR1' },
      fee: { amount: '1500000000', decimals: 12, symbol: 'XMR' },
    },
  }),
  completed_refund_wanted: from({ ...completed, refundRecovery: recovery('address_required') }),
  completed_refund_checking: from({ ...completed, refundRecovery: recovery('checking') }),
  completed_refund_queued: from({ ...completed, refundRecovery: recovery('queued') }),
  completed_refund_sending: from({ ...completed, refundRecovery: recovery('sending') }),
  completed_refund_done: from({ ...completed, refundRecovery: recovery('completed') }),
  completed_refund_blocked: from({ ...completed, refundRecovery: recovery('blocked') }),
  refunded: from({
    ...arrived,
    status: 'refunded',
    customerState: { kind: 'refunded' },
    refundRecovery: recovery('completed'),
    refundTxHash: `0x${'ef'.repeat(32)}`,
    refundAddress: EVM_ADDRESS,
  }),
  failed: from({
    ...arrived,
    status: 'failed',
    customerState: { kind: 'failed', code: 'execution_failed' },
    errorCode: 'execution_failed',
  }),
  failed_kept: from({
    ...arrived,
    status: 'failed',
    customerState: { kind: 'failed', code: 'execution_failed' },
    refundRecovery: recovery('blocked'),
  }),
  expired: from({ status: 'expired', customerState: { kind: 'expired' } }),
  coinflip: from({ ...arrived, customerState: { kind: 'action_required', action: 'coinflip' } }),
  unheard_of: unheardOf,
};
