import { type Amount, amount, scale, zero } from '../../kernel/amount.ts';
import { assert } from '../../kernel/assert.ts';
import { percent, type Ratio } from '../../kernel/ratio.ts';
import { isRefusal, type Refusal } from '../../kernel/refusal.ts';
import { integratorFeeCovers, ratesAt } from './fee.ts';
import { aboveMaximum, belowMinimum } from './minimum.ts';
import type { QuoteRequest } from './quote.ts';
import type { Offer, Swapped, Terms } from './terms.ts';

export interface Solved extends Offer {
  readonly fromAmount: Amount;
  readonly toAmount: Amount;
}

/** Whether the integrator's fee is taken depends on the amount, and the amount may depend on the fee: try without it first. */
export function solve(terms: Terms, request: QuoteRequest, swapped: Swapped): Solved | Refusal {
  const { integrator } = request;
  const rate = integrator?.payoutAddress && integrator.percent > 0 ? percent(String(integrator.percent)) : undefined;
  const without = solveWith(terms, request, undefined, swapped);
  if (!rate || isRefusal(without)) return without;
  const fee = scale(without.fromAmount, rate, 'down');
  return integratorFeeCovers(fee, feeTransferCost(terms)) ? solveWith(terms, request, rate, swapped) : without;
}

/** After a sale integrators are paid on the venue, where sending is free; else on the chain of the deposit. */
const feeTransferCost = ({ hops, source }: Terms): Amount =>
  ratesAt(hops) === 0 ? source.cost(1) : zero(source.asset.id);

export function solveWith(
  terms: Terms,
  { mode, amount: asked }: Pick<QuoteRequest, 'mode' | 'amount'>,
  integrator: Ratio | undefined,
  swapped: Swapped,
): Solved | Refusal {
  const from = terms.source.asset;
  const offer = terms.offer(integrator, swapped);
  const { way, maxFrom } = offer;
  const deposit = mode === 'exact_in' ? asked.atoms : way.all.back(asked.atoms);
  const yields = deposit === undefined ? undefined : way.all.forward(deposit);
  if (deposit === undefined || yields === undefined || deposit > maxFrom.atoms) return aboveMaximum(from, maxFrom);
  if (yields === 0n) return belowMinimum(from, terms.minFrom, terms.minimum);
  assert(mode === 'exact_in' || yields >= asked.atoms, 'an exact output that falls short');
  return {
    ...offer,
    fromAmount: amount(from.id, deposit),
    toAmount: mode === 'exact_in' ? amount(terms.target.asset.id, yields) : asked,
  };
}
