import { amount } from '../../src/kernel/amount.ts';
import { type Clock, later } from '../../src/kernel/clock.ts';
import { percent, ratio, scaleInt } from '../../src/kernel/ratio.ts';
import { refuse } from '../../src/kernel/refusal.ts';
import { usdPrice, usdValue } from '../../src/kernel/usd.ts';
import type { Quote, QuotedFee, QuoteRequest } from '../../src/life/quote/quote.ts';
import type { Quotes } from '../../src/life/quote/quotes.ts';
import { USDC, VENUE_USDC, VENUE_XMR, XMR } from './assets.ts';

const XMR_PRICE = usdPrice(ratio(300n, 1n), 12);
const USDC_PRICE = usdPrice(ratio(1n, 1n), 6);

export interface FixedQuotes extends Quotes {
  readonly asked: QuoteRequest[];
}

/** One XMR is $300, nothing is charged but the integrator's fee, and 10 to 100,000 dollars can be swapped. */
export function fixedQuotes(clock: Clock): FixedQuotes {
  const asked: QuoteRequest[] = [];
  return {
    asked,
    async quote(request) {
      asked.push(request);
      const { from, to } = request;
      const isBuy = from === USDC && to === XMR;
      if (!isBuy && !(from === XMR && to === USDC)) {
        return refuse('unsupported_pair', `Swaps from ${from.symbol} to ${to.symbol} are not supported here.`);
      }
      return quoted(request, isBuy, clock);
    },
    activation: async (id) => amount(id, 0n),
    price: async (id) => (id === XMR.id ? XMR_PRICE : id === USDC.id ? USDC_PRICE : undefined),
  };
}

function quoted(request: QuoteRequest, isBuy: boolean, clock: Clock): Quote {
  const { from, to, mode, integrator } = request;
  // 300 dollars of 6 decimals for one XMR of 12.
  const rate = isBuy ? ratio(10n ** 6n, 300n) : ratio(300n, 10n ** 6n);
  const back = { num: rate.den, den: rate.num };
  const fromAmount = mode === 'exact_in' ? request.amount : amount(from.id, scaleInt(request.amount.atoms, back, 'up'));
  const toAmount = mode === 'exact_out' ? request.amount : amount(to.id, scaleInt(fromAmount.atoms, rate, 'down'));
  const [fromPrice, toPrice] = isBuy ? [USDC_PRICE, XMR_PRICE] : [XMR_PRICE, USDC_PRICE];
  const dollars = (n: bigint) => amount(from.id, isBuy ? n * 10n ** 6n : (n * 10n ** 12n) / 300n);
  const fee = integrator && {
    type: 'integrator' as const,
    amount: amount(from.id, scaleInt(fromAmount.atoms, percent(String(integrator.percent)), 'down')),
    symbol: from.symbol,
  };
  const quotedFee: QuotedFee | undefined = fee && { ...fee, usd: usdValue(fee.amount, fromPrice) };
  const payoutAddress = integrator?.payoutAddress;
  return {
    from,
    to,
    mode,
    fromAmount,
    fromUsd: usdValue(fromAmount, fromPrice),
    toAmount,
    toUsd: usdValue(toAmount, toPrice),
    minReceived: amount(to.id, scaleInt(toAmount.atoms, ratio(97n, 100n), 'down')),
    fees: quotedFee ? [quotedFee] : [],
    integratorFee:
      quotedFee && integrator && payoutAddress ? { ...quotedFee, ...integrator, payoutAddress } : undefined,
    minFrom: dollars(10n),
    maxFrom: dollars(100_000n),
    minDepositUsd: 10,
    estimatedSeconds: 90,
    route: {
      legs: [
        {
          leg: 'venue',
          side: isBuy ? 'buy' : 'sell',
          input: { asset: from.id, decimals: from.decimals },
          output: { asset: to.id, decimals: to.decimals },
          spend: isBuy ? VENUE_USDC.id : VENUE_XMR.id,
          spendDecimals: 8,
          receive: isBuy ? VENUE_XMR.id : VENUE_USDC.id,
          receiveDecimals: 8,
          worstPrice: ratio(310n, 1n),
          chunks: {
            count: request.twap && !request.twap.disabled ? 4 : 1,
            each: amount(isBuy ? VENUE_USDC.id : VENUE_XMR.id, 10n ** 8n),
            intervalMs: request.twap?.intervalMs ?? 8000,
            chunkSizeUsd: request.twap?.chunkSizeUsd ?? 5000,
          },
        },
      ],
      fees: [],
      fromPrice,
      toPrice,
    },
    expiresAt: later(clock.now(), 60_000),
  };
}
