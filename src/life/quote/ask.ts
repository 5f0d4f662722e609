import { amount, isZero, scale } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import { type Instant, later } from '../../kernel/clock.ts';
import { lessThanOneBy } from '../../kernel/ratio.ts';
import { showUsd, usdValue } from '../../kernel/usd.ts';
import { collectingTransfers } from './fee.ts';
import { feeOf } from './fees-on.ts';
import { legsOf } from './legs.ts';
import type { FeeTerm, Leg, Quote, QuotedFee, QuoteRequest } from './quote.ts';
import type { Solved } from './solve.ts';
import type { Place, Terms } from './terms.ts';

/** Pure: the same request, solved on the same terms, always has the same answer. */
export function answer(terms: Terms, request: QuoteRequest, solved: Solved, now: Instant): Quote {
  const { source, target, settings } = terms;
  const { fromAmount, toAmount } = solved;
  const { integrator } = request;
  const legs = legsOf(terms, solved, request.twap);
  const fees = solved.fees.map((term) => quotedFee(term, terms, solved)).filter((fee) => !isZero(fee.amount));
  const taken = fees.find((fee) => fee.type === 'integrator');
  const payoutAddress = integrator?.payoutAddress;
  return {
    from: source.asset,
    to: target.asset,
    mode: request.mode,
    fromAmount,
    fromUsd: usdValue(fromAmount, source.price),
    toAmount,
    toUsd: usdValue(toAmount, target.price),
    minReceived: scale(toAmount, lessThanOneBy(settings.endToEndSlippage), 'down'),
    fees,
    integratorFee: taken && integrator && payoutAddress ? { ...taken, ...integrator, payoutAddress } : undefined,
    minFrom: terms.minFrom,
    maxFrom: solved.maxFrom,
    minDepositUsd: Number(showUsd(terms.minimum)),
    estimatedSeconds: estimate(terms, solved, legs),
    route: { legs, fees: solved.fees, fromPrice: source.price, toPrice: target.price },
    expiresAt: later(now, settings.validityMs),
  };
}

/** An integrator's fee is a part of the deposit and shown as such, also where it is collected after the conversion. */
function quotedFee(term: FeeTerm, { places, source }: Terms, { way, fromAmount }: Solved): QuotedFee {
  const at = term.type === 'integrator' ? 0 : term.at;
  const { asset, price }: Place = at === 0 ? source : present(places[at], 'a place of the route');
  const whole = present(way.before[at]?.forward(fromAmount.atoms), 'an amount within the depth');
  const taken = feeOf(term, amount(asset.id, whole));
  return { type: term.type, amount: taken, symbol: asset.symbol, usd: usdValue(taken, price) };
}

/** Deposit and collection, each leg in turn, and the payout. */
function estimate({ places, source, target, settings }: Terms, { swapped }: Solved, legs: readonly Leg[]): number {
  const collecting = collectingTransfers(source.chain) * source.chain.payoutSeconds;
  const working = legs.map((leg, at) =>
    leg.leg === 'venue'
      ? settings.executionSeconds + Math.ceil(((leg.chunks.count - 1) * leg.chunks.intervalMs) / 1000)
      : (places[at]?.chain.payoutSeconds ?? 0) + swapped.seconds + (places[at + 1]?.chain.depositSeconds ?? 0),
  );
  const executing = working.reduce((sum, seconds) => sum + seconds, 0);
  return source.chain.depositSeconds + collecting + executing + target.chain.payoutSeconds;
}
