import { type Amount, amount, atLeast, scale } from '../../kernel/amount.ts';
import { assert } from '../../kernel/assert.ts';
import { type Clock, later } from '../../kernel/clock.ts';
import { type Address, type ChainId, chainOf } from '../../kernel/ids.ts';
import { lessThanOneBy, oneMoreThan, percent, ratio, times } from '../../kernel/ratio.ts';
import { isRefusal, type Refusal, unavailable } from '../../kernel/refusal.ts';
import type { Provider } from '../../world/providers/provider.ts';
import { aboveMaximum } from './deposit-bounds.ts';
import { type IntegratorRate, ratesAt } from './fee-terms.ts';
import { isFeeTaken } from './fees-on.ts';
import { bestOffer } from './provider-offers.ts';
import type { QuoteRequest } from './quote.ts';
import type { OfferedRate, RouteTerms, TermsAtRate } from './route-terms.ts';

export interface Solved extends TermsAtRate {
  readonly fromAmount: Amount;
  readonly toAmount: Amount;
}

/** A request, and what paying its integrator costs in what the fee is taken in; undefined where there is nothing to pay. */
export interface PricedRequest extends Pick<QuoteRequest, 'mode' | 'amount' | 'integrator'> {
  readonly feeCost: Amount | undefined;
}

/**
 * Whether the integrator's fee is taken depends on the amount, and the amount may depend on the fee: try without it
 * first.
 */
export function solve(terms: RouteTerms, request: PricedRequest, offered: OfferedRate): Solved | Refusal {
  const { integrator, feeCost } = request;
  const without = solveWith(terms, request, undefined, offered);
  if (!integrator || !feeCost || isRefusal(without)) return without;
  const rate = percent(String(integrator.percent));
  const whole = without.amounts.beforeFees[ratesAt(terms.hops)]?.forward(without.fromAmount.atoms) ?? 0n;
  const fee = scale(amount(feeCost.asset, whole), rate, 'down');
  return isFeeTaken(fee, feeCost) ? solveWith(terms, request, { rate, least: feeCost }, offered) : without;
}

function solveWith(
  terms: RouteTerms,
  { mode, amount: asked }: Pick<QuoteRequest, 'mode' | 'amount'>,
  integrator: IntegratorRate | undefined,
  offered: OfferedRate,
): Solved | Refusal {
  const from = terms.source.asset;
  const { amounts, maxFrom, fees } = terms.at(integrator, offered);
  const deposit = mode === 'exact_in' ? asked.atoms : amounts.payout.back(asked.atoms);
  const yields = deposit === undefined ? undefined : amounts.payout.forward(deposit);
  if (deposit === undefined || yields === undefined || deposit > maxFrom.atoms) return aboveMaximum(from, maxFrom);
  assert(mode === 'exact_in' || yields >= asked.atoms, 'an exact output that falls short');
  return {
    integrator,
    offered,
    fees,
    amounts,
    maxFrom,
    fromAmount: amount(from.id, deposit),
    toAmount: mode === 'exact_in' ? amount(terms.target.asset.id, yields) : asked,
  };
}

export interface ProviderDeps {
  readonly providers: readonly Provider[];
  /** Our own account on a chain: providers pay it, and pay it back. */
  readonly hot: (chain: ChainId) => Address | undefined;
  readonly clock: Clock;
}

/** An exact output is met with no more than this over. */
const NEAR = ratio(1n, 1_000n);
/** Half of that is aimed for, so that a price that moves with the size still leaves enough. */
const AIM = ratio(1n, 2_000n);
/**
 * One round finds prices and one corrects them; more are needed only where a provider's price hangs much on the size.
 */
const MOST_ROUNDS = 4;
/** Orders wait up to an hour for their deposit. */
const DEADLINE_MS = 60 * 60 * 1000;

/**
 * Solves with what providers offer for the very sum that reaches them. A deposit says that sum at once; for an exact output
 * it is tried, and corrected in proportion until what comes out is enough and not much more.
 */
export async function solveWithProviders(
  deps: ProviderDeps,
  terms: RouteTerms,
  request: PricedRequest,
): Promise<Solved | Refusal> {
  let { assumed } = terms;
  let enough: Solved | undefined;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const tried = solve(terms, request, assumed);
    if (isRefusal(tried)) return tried;
    const offered = await offeredFor(deps, terms, tried);
    if (isRefusal(offered)) return offered;
    const deposit = { mode: 'exact_in', amount: tried.fromAmount } as const;
    const real = solveWith(terms, deposit, tried.integrator, offered);
    if (isRefusal(real) || request.mode === 'exact_in') return real;
    const asked = request.amount;
    if (atLeast(real.toAmount, asked) && !(enough && atLeast(real.fromAmount, enough.fromAmount))) enough = real;
    if (enough === real && atLeast(scale(asked, oneMoreThan(NEAR), 'up'), real.toAmount)) break;
    assumed = { ...offered, rate: times(offered.rate, lessThanOneBy(AIM)) };
  }
  return enough ? { ...enough, toAmount: request.amount } : nobodyOffers();
}

/** Providers decline what is very small: then they are asked for the minimum, and the quote is in proportion (D19). */
async function offeredFor(
  { providers, hot, clock }: ProviderDeps,
  { hops, minFrom, mostRate, settings }: RouteTerms,
  { amounts, fromAmount }: Solved,
): Promise<OfferedRate | Refusal> {
  const at = hops.findIndex(({ leg }) => leg === 'provider');
  const hop = hops[at];
  const deposit = atLeast(fromAmount, minFrom) ? fromAmount : minFrom;
  const sum = amounts.afterFees[at]?.forward(deposit.atoms);
  const recipient = hop && hot(chainOf(hop.output));
  const refundTo = hop && hot(chainOf(hop.input));
  if (!hop || !sum || !recipient || !refundTo) return nobodyOffers();
  const input: Amount = amount(hop.input, sum);
  const ask = { input, output: hop.output, recipient, refundTo, deadline: later(clock.now(), DEADLINE_MS) };
  const slippage = { perLeg: settings.perLegSlippage, full: settings.endToEndSlippage };
  const best = await bestOffer(providers, ask, slippage, { least: undefined, most: mostRate });
  if (typeof best === 'string') return nobodyOffers();
  const { output, seconds } = best.quote;
  return { rate: ratio(output.atoms, sum), seconds };
}

const nobodyOffers = (): Refusal =>
  unavailable('offers', 'Nobody offers this swap at the moment. Please try again shortly.');
