import { amount, isZero, scale } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import { type Instant, later } from '../../kernel/clock.ts';
import type { Address } from '../../kernel/ids.ts';
import { lessThanOneBy, times } from '../../kernel/ratio.ts';
import { showUsd, usdValue } from '../../kernel/usd.ts';
import type { Asset } from '../../world/chains/chain.ts';
import { chunkPlan } from './chunk-plan.ts';
import { collectingTransfers } from './fee-terms.ts';
import { feeOf } from './fees-on.ts';
import { worstPrice } from './order-book.ts';
import type {
  FeeTerm,
  IntegratorTerms,
  Leg,
  LegAsset,
  Quote,
  QuotedFee,
  QuoteRequest,
  TwapRequest,
  VenueLeg,
} from './quote.ts';
import { type RoutePoint, type RouteTerms, sidesOf } from './route-terms.ts';
import type { Solved } from './solve.ts';

/** The function is pure: the same request, solved on the same terms, always has the same answer. */
export function answer(terms: RouteTerms, request: QuoteRequest, solved: Solved, now: Instant): Quote {
  const { source, target, settings } = terms;
  const { fromAmount, toAmount } = solved;
  const { integrator } = request;
  // Of what its own costs eat up nothing is left to walk the route with: the smallest that is taken shows it.
  const walked = isZero(toAmount) ? { ...solved, fromAmount: terms.minFrom } : solved;
  const legs = legsOf(terms, walked, request.twap);
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
    integratorFee: taken && integrator && payoutAddress ? integratorFee(taken, integrator, payoutAddress) : undefined,
    minFrom: terms.minFrom,
    maxFrom: solved.maxFrom,
    minDepositUsd: Number(showUsd(terms.minimum)),
    estimatedSeconds: estimate(terms, solved, legs),
    route: { legs, fees: solved.fees, fromPrice: source.price, toPrice: target.price },
    expiresAt: later(now, settings.validityMs),
  };
}

/** Field by field: a spread would cost a tenth of the quote. */
const integratorFee = (
  { type, amount, symbol, usd }: QuotedFee,
  { integrationId, percent }: IntegratorTerms,
  payoutAddress: Address,
): Quote['integratorFee'] => ({ type, amount, symbol, usd, integrationId, percent, payoutAddress });

/**
 * An integrator's fee is a part of the deposit and is shown as such, also where it is collected after the conversion.
 */
function quotedFee(term: FeeTerm, { points, source }: RouteTerms, { amounts, fromAmount }: Solved): QuotedFee {
  const { type, rate, flat } = term;
  const at = type === 'integrator' ? 0 : term.at;
  const { asset, price }: RoutePoint = at === 0 ? source : present(points[at], 'a point of the route');
  const whole = present(amounts.beforeFees[at]?.forward(fromAmount.atoms), 'an amount within the depth');
  // The least that it must come to is said in what it is collected in, and was looked at before.
  const taken = feeOf({ rate, flat }, amount(asset.id, whole));
  return { type, amount: taken, symbol: asset.symbol, usd: usdValue(taken, price) };
}

/** The estimate adds the deposit and its collection, each leg in turn, and the payout. */
function estimate({ points, source, target, settings }: RouteTerms, { offered }: Solved, legs: readonly Leg[]): number {
  const collection = collectingTransfers(source.chain) * source.chain.payoutSeconds;
  const execution = legs.map((leg, at) =>
    leg.leg === 'venue'
      ? settings.executionSeconds + Math.ceil(((leg.chunks.count - 1) * leg.chunks.intervalMs) / 1000)
      : (points[at]?.chain.payoutSeconds ?? 0) + offered.seconds + (points[at + 1]?.chain.depositSeconds ?? 0),
  );
  const executed = execution.reduce((sum, seconds) => sum + seconds, 0);
  return source.chain.depositSeconds + collection + executed + target.chain.payoutSeconds;
}

/**
 * The bound of every leg is the whole end-to-end slippage on what that leg was quoted to give: it is shared by all of
 * them (8.5), and a leg cannot know how much of it the others will need.
 */
function legsOf(terms: RouteTerms, solved: Solved, twap: TwapRequest | undefined): readonly Leg[] {
  return terms.hops.map((hop, at) => {
    const input = legAsset(present(terms.points[at], 'an input').asset);
    const output = legAsset(present(terms.points[at + 1], 'an output').asset);
    if (hop.leg === 'venue') return venueLeg(terms, solved, input, output, twap);
    const worstRate = times(solved.offered.rate, lessThanOneBy(terms.settings.endToEndSlippage));
    return { leg: 'provider', input, output, worstRate };
  });
}

const legAsset = ({ id, decimals }: Asset): LegAsset => ({ asset: id, decimals });

function venueLeg(
  { view, settings, source }: RouteTerms,
  { amounts, fromAmount }: Solved,
  input: LegAsset,
  output: LegAsset,
  twap: TwapRequest | undefined,
): VenueLeg {
  const { side, spend: depositToSpend, walk } = present(amounts.trade, 'a trade');
  const { spend, receive } = sidesOf(view.market, side);
  const spent = present(depositToSpend.forward(fromAmount.atoms), 'a budget within the depth');
  const got = present(walk.forward(spent), 'a trade within the depth');
  return {
    leg: 'venue',
    side,
    input,
    output,
    spend: spend.asset,
    spendDecimals: spend.decimals,
    receive: receive.asset,
    receiveDecimals: receive.decimals,
    worstPrice: worstPrice(side, spent, got, settings.endToEndSlippage),
    chunks: chunkPlan({
      side,
      market: view.market,
      spend: spent,
      spendPrice: present(view.price({ id: spend.asset, decimals: spend.decimals }), 'the price of what is traded'),
      worth: usdValue(fromAmount, source.price),
      twap,
    }),
  };
}
