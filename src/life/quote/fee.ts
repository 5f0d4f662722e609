import { type Amount, amount, atLeast } from '../../kernel/amount.ts';
import type { AssetId } from '../../kernel/ids.ts';
import { inverse, type Ratio, ratio, scaleInt, times } from '../../kernel/ratio.ts';
import type { UsdPrice } from '../../kernel/usd.ts';
import type { Side } from '../../world/venues/venue.ts';
import { feesOn } from './fees-on.ts';
import type { FeeTerm } from './quote.ts';
import type { Stage } from './stage.ts';

export interface FeeInputs {
  readonly side: Side;
  readonly from: AssetId;
  readonly to: AssetId;
  readonly service: Ratio;
  /** undefined where no integrator fee is taken. */
  readonly integrator: Ratio | undefined;
  /** What it costs to collect the deposit, in the deposited asset. */
  readonly collecting: Amount | undefined;
  /** What the payout costs, in the asset paid out. */
  readonly payout: Amount;
}

/** Rates are taken where the money is in the venue's quote coin: from the input when buying, from the output when selling. */
export function feeTerms(inputs: FeeInputs): readonly FeeTerm[] {
  const side = inputs.side === 'buy' ? 'input' : 'output';
  const asset = side === 'input' ? inputs.from : inputs.to;
  const terms: FeeTerm[] = [];
  if (inputs.integrator) terms.push({ type: 'integrator', side, asset, rate: inputs.integrator, flat: undefined });
  terms.push({ type: 'service', side, asset, rate: inputs.service, flat: undefined });
  if (inputs.collecting) terms.push(network('input', inputs.collecting));
  terms.push(network('output', inputs.payout));
  return terms;
}

function network(side: FeeTerm['side'], flat: Amount): FeeTerm {
  return { type: 'network', side, asset: flat.asset, rate: undefined, flat };
}

/** Takes the fees of one side, all of which are in `asset`. */
export function feeStage(terms: readonly FeeTerm[], side: FeeTerm['side'], asset: AssetId): Stage {
  const mine = terms.filter((term) => term.side === side);
  const flat = mine.reduce((sum, term) => sum + (term.flat?.atoms ?? 0n), 0n);
  const kept = mine.reduce((share, { rate }) => (rate ? minus(share, rate) : share), ratio(1n, 1n));
  const forward = (whole: bigint): bigint => whole - feesOn(mine, side, amount(asset, whole)).atoms;
  return {
    forward,
    back: (net) => (net === 0n ? 0n : smallestInput(forward, net, scaleInt(net + flat, inverse(kept), 'up'))),
  };
}

const minus = (a: Ratio, b: Ratio): Ratio => ratio(a.num * b.den - b.num * a.den, a.den * b.den);

/**
 * From `enough` on every input keeps at least `net`. Each rate's dust may allow a little less, at most an atom or two a
 * term, and two rates may take their dust at the same atom; so walk down for as long as it still holds.
 */
function smallestInput(forward: (whole: bigint) => bigint, net: bigint, enough: bigint): bigint {
  let smallest = enough;
  while (smallest > 0n && forward(smallest - 1n) >= net) smallest -= 1n;
  return smallest;
}

/** A cost in one asset as an amount of another, by their dollar prices; rounded up, because we pay the cost in full. */
export function costIn(asset: AssetId, cost: bigint, costPrice: UsdPrice, assetPrice: UsdPrice): Amount {
  return amount(asset, scaleInt(cost, times(costPrice, inverse(assetPrice)), 'up'));
}

/** A fee that would not cover its own transfer is not taken (5.4); neither is one of nothing. */
export function integratorFeeCovers(fee: Amount, transferCost: Amount): boolean {
  return fee.atoms > 0n && atLeast(fee, transferCost);
}
