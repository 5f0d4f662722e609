import { type Amount, amount, atLeast, scale } from '../../kernel/amount.ts';
import { type Clock, later } from '../../kernel/clock.ts';
import { type Address, type ChainId, chainOf } from '../../kernel/ids.ts';
import { lessThanOneBy, oneMoreThan, ratio, times } from '../../kernel/ratio.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/refusal.ts';
import type { Provider } from '../../world/providers/provider.ts';
import { bestOffer } from './offers.ts';
import type { QuoteRequest } from './quote.ts';
import { type Solved, solve, solveWith } from './solve.ts';
import type { Swapped, Terms } from './terms.ts';

export interface Swappers {
  readonly providers: readonly Provider[];
  /** Our own account on a chain: providers pay it, and pay it back. */
  readonly hot: (chain: ChainId) => Address | undefined;
  readonly clock: Clock;
}

/** An exact output is met with no more than this over. */
const NEAR = ratio(1n, 1_000n);
/** Half of that is aimed for, so that a price that moves with the size still leaves enough. */
const AIM = ratio(1n, 2_000n);
/** Prices, then a correction; more only where a provider's price hangs much on the size. */
const MOST_ROUNDS = 4;
/** Orders wait up to an hour for their deposit. */
const DEADLINE_MS = 60 * 60 * 1000;

/**
 * Solves with what providers offer for the very sum that reaches them. A deposit says that sum at once; for an exact output
 * it is tried, and corrected in proportion until what comes out is enough and not much more.
 */
export async function solveSwapping(
  swappers: Swappers,
  terms: Terms,
  request: QuoteRequest,
): Promise<Solved | Refusal> {
  let { assumed } = terms;
  let enough: Solved | undefined;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const tried = solve(terms, request, assumed);
    if (isRefusal(tried)) return tried;
    const offered = await offeredFor(swappers, terms, tried);
    if (isRefusal(offered)) return offered;
    const deposit = { mode: 'exact_in', amount: tried.fromAmount } as const;
    const real = solveWith(terms, deposit, tried.integrator, offered);
    if (isRefusal(real) || request.mode === 'exact_in') return real;
    const asked = request.amount;
    if (atLeast(real.toAmount, asked) && !(enough && atLeast(real.fromAmount, enough.fromAmount))) enough = real;
    if (enough === real && atLeast(scale(asked, oneMoreThan(NEAR), 'up'), real.toAmount)) break;
    assumed = { ...offered, rate: times(offered.rate, lessThanOneBy(AIM)) };
  }
  return enough ? { ...enough, toAmount: request.amount } : nobody();
}

/** Providers decline what is very small: then they are asked for the minimum, and the quote is in proportion (D19). */
async function offeredFor(
  { providers, hot, clock }: Swappers,
  { hops, minFrom, settings }: Terms,
  { way, fromAmount }: Solved,
): Promise<Swapped | Refusal> {
  const at = hops.findIndex(({ leg }) => leg === 'provider');
  const hop = hops[at];
  const deposit = atLeast(fromAmount, minFrom) ? fromAmount : minFrom;
  const sum = way.after[at]?.forward(deposit.atoms);
  const recipient = hop && hot(chainOf(hop.output));
  const refundTo = hop && hot(chainOf(hop.input));
  if (!hop || !sum || !recipient || !refundTo) return nobody();
  const input: Amount = amount(hop.input, sum);
  const ask = { input, output: hop.output, recipient, refundTo, deadline: later(clock.now(), DEADLINE_MS) };
  const slippage = { perLeg: settings.perLegSlippage, full: settings.endToEndSlippage };
  const best = await bestOffer(providers, ask, slippage, undefined);
  if (typeof best === 'string') return nobody();
  const { output, seconds } = best.quote;
  return { rate: ratio(output.atoms, sum), seconds };
}

const nobody = (): Refusal => refuse('unavailable', 'Nobody offers this swap at the moment. Please try again shortly.');
