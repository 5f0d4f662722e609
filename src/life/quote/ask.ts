import { type Amount, amount, isZero, scale } from '../../kernel/amount.ts';
import { assert, present } from '../../kernel/assert.ts';
import { type Instant, later } from '../../kernel/clock.ts';
import { lessThanOneBy, percent, type Ratio } from '../../kernel/ratio.ts';
import { isRefusal, type Refusal } from '../../kernel/refusal.ts';
import { showUsd, usdValue } from '../../kernel/usd.ts';
import { integratorFeeCovers } from './fee.ts';
import { feeOf } from './fees-on.ts';
import { aboveMaximum, belowMinimum } from './minimum.ts';
import type { FeeTerm, Quote, QuotedFee, QuoteRequest, Route } from './quote.ts';
import { venueLeg } from './route.ts';
import { collects, type Offer, type Terms } from './terms.ts';
import { chunkPlan } from './twap.ts';

/** Pure: the same request on the same terms always has the same answer. */
export function answer(terms: Terms, request: QuoteRequest, now: Instant): Quote | Refusal {
  const solved = solve(terms, request);
  return isRefusal(solved) ? solved : assemble(terms, request, solved, now);
}

interface Solved extends Offer {
  readonly fromAmount: Amount;
  readonly toAmount: Amount;
}

/** Whether the integrator's fee is taken depends on the amount, and the amount may depend on the fee: try without it first. */
function solve(terms: Terms, request: QuoteRequest): Solved | Refusal {
  const { integrator } = request;
  const rate = integrator?.payoutAddress && integrator.percent > 0 ? percent(String(integrator.percent)) : undefined;
  const without = solveWith(terms, request, undefined);
  if (!rate || isRefusal(without)) return without;
  const fee = scale(without.fromAmount, rate, 'down');
  return integratorFeeCovers(fee, feeTransferCost(terms)) ? solveWith(terms, request, rate) : without;
}

/** Sellers' integrators are paid on the venue, where sending is free; the others on the chain of the deposit. */
const feeTransferCost = ({ side, from, transfer }: Terms): Amount => (side === 'sell' ? amount(from.id, 0n) : transfer);

function solveWith(
  terms: Terms,
  { mode, amount: asked }: QuoteRequest,
  integrator: Ratio | undefined,
): Solved | Refusal {
  const { from, to, minFrom, minimum } = terms;
  const offer = terms.offer(integrator);
  const { way, maxFrom } = offer;
  const deposit = mode === 'exact_in' ? asked.atoms : way.all.back(asked.atoms);
  const yields = deposit === undefined ? undefined : way.all.forward(deposit);
  if (deposit === undefined || yields === undefined || deposit > maxFrom.atoms) return aboveMaximum(from, maxFrom);
  if (yields === 0n) return belowMinimum(from, minFrom, minimum);
  assert(mode === 'exact_in' || yields >= asked.atoms, 'an exact output that falls short');
  return {
    ...offer,
    fromAmount: amount(from.id, deposit),
    toAmount: mode === 'exact_in' ? amount(to.id, yields) : asked,
  };
}

function assemble(terms: Terms, request: QuoteRequest, solved: Solved, now: Instant): Quote {
  const { from, to, fromPrice, toPrice, settings } = terms;
  const { fromAmount, toAmount } = solved;
  const { integrator } = request;
  const route = routeOf(terms, request, solved);
  const fees = solved.fees.map((term) => quotedFee(term, terms, solved)).filter((fee) => !isZero(fee.amount));
  const taken = fees.find((fee) => fee.type === 'integrator');
  const payoutAddress = integrator?.payoutAddress;
  return {
    from,
    to,
    mode: request.mode,
    fromAmount,
    fromUsd: usdValue(fromAmount, fromPrice),
    toAmount,
    toUsd: usdValue(toAmount, toPrice),
    minReceived: scale(toAmount, lessThanOneBy(settings.endToEndSlippage), 'down'),
    fees,
    integratorFee: taken && integrator && payoutAddress ? { ...taken, ...integrator, payoutAddress } : undefined,
    minFrom: terms.minFrom,
    maxFrom: solved.maxFrom,
    minDepositUsd: Number(showUsd(terms.minimum)),
    estimatedSeconds: estimate(terms, route),
    route,
    expiresAt: later(now, settings.validityMs),
  };
}

function routeOf({ view, settings, fromPrice, toPrice }: Terms, { twap }: QuoteRequest, solved: Solved): Route {
  const { way, fees, fromAmount } = solved;
  const leg = venueLeg(way, view.market, fromAmount, settings.endToEndSlippage, (spend, asset) =>
    chunkPlan({
      side: way.side,
      market: view.market,
      spend,
      spendPrice: present(view.price(asset), 'the price of what the market trades'),
      worth: usdValue(fromAmount, fromPrice),
      wish: twap,
    }),
  );
  return { legs: [leg], fees, fromPrice, toPrice };
}

/** An integrator's fee is a part of the deposit and shown as such, also where it is collected after the conversion. */
function quotedFee(term: FeeTerm, { from, to, fromPrice, toPrice }: Terms, { way, fromAmount }: Solved): QuotedFee {
  if (term.side === 'input' || term.type === 'integrator') {
    const taken = feeOf(term, fromAmount);
    return { type: term.type, amount: taken, symbol: from.symbol, usd: usdValue(taken, fromPrice) };
  }
  const yielded = present(way.gross.forward(fromAmount.atoms), 'an output within the depth');
  const taken = feeOf(term, amount(to.id, yielded));
  return { type: term.type, amount: taken, symbol: to.symbol, usd: usdValue(taken, toPrice) };
}

function estimate(terms: Terms, { legs }: Route): number {
  const { fromChain, toChain, settings } = terms;
  const collecting = collects(terms) ? 2 * fromChain.payoutSeconds : 0;
  const pauses = legs.reduce((sum, { chunks }) => sum + Math.ceil(((chunks.count - 1) * chunks.intervalMs) / 1000), 0);
  return fromChain.depositSeconds + collecting + settings.executionSeconds + pauses + toChain.payoutSeconds;
}
