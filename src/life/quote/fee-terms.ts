import { type Amount, amount, isZero } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import type { AssetId } from '../../kernel/ids.ts';
import { inverse, type Ratio, ratio, scaleInt, times } from '../../kernel/ratio.ts';
import type { UsdPrice } from '../../kernel/usd.ts';
import type { ChainFacts } from '../../world/chains/chain.ts';
import type { Conversion } from './conversion.ts';
import { feesOn } from './fees-on.ts';
import type { FeeTerm, Leg } from './quote.ts';
import type { Hop } from './route.ts';

export interface FeeInputs {
  readonly hops: readonly Hop[];
  /** What the money is before each leg, and after the last. */
  readonly assets: readonly AssetId[];
  /** What our transfers cost at each of these points, in its asset. */
  readonly network: readonly Amount[];
  /** What opening an account for the payee costs. */
  readonly activation: Amount;
  readonly service: Ratio;
  /** undefined where no integrator fee is taken. */
  readonly integrator: IntegratorRate | undefined;
}

/** What an integrator asks for, and the least that covers its transfer, in what it is taken in. */
export interface IntegratorRate {
  readonly rate: Ratio;
  readonly least: Amount;
}

/** Rates are taken from the deposit, except that a sale of the book's own coin is charged after it (5.4), in money. */
export const ratesAt = ([first]: readonly Hop[]): 0 | 1 => (first?.leg === 'venue' && first.side === 'sell' ? 1 : 0);

export function feeTerms({ hops, assets, network, activation, service, integrator }: FeeInputs): readonly FeeTerm[] {
  const at = ratesAt(hops);
  const asset = present(assets[at], 'the asset that rates are taken in');
  const terms: FeeTerm[] = [];
  if (integrator) terms.push({ type: 'integrator', at, asset, ...integrator, flat: undefined });
  terms.push({ type: 'service', at, asset, rate: service, flat: undefined });
  for (const [point, flat] of network.entries())
    if (!isZero(flat)) terms.push({ type: 'network', at: point, asset: flat.asset, rate: undefined, flat });
  if (!isZero(activation))
    terms.push({ type: 'activation', at: hops.length, asset: activation.asset, rate: undefined, flat: activation });
  return terms;
}

/**
 * Deposits on addresses of their own are collected; that takes gas sent ahead, unless the hot account pays for both.
 */
export const collectingTransfers = ({ collectsTokens, feePayer }: ChainFacts): number =>
  collectsTokens ? (feePayer === 'hot' ? 1 : 2) : 0;

/** Says how many transfers of ours each point of a route sees: collection, what a provider is sent, and the payout. */
export function transfersAt(hops: readonly Pick<Leg, 'leg'>[], source: ChainFacts): readonly number[] {
  const funding = hops.map(({ leg }) => (leg === 'provider' ? 1 : 0));
  return [...funding, 1].map((count, point) => (point === 0 ? count + collectingTransfers(source) : count));
}

/**
 * Takes the fees of one point, all of which are in `asset`. Whether an integrator's fee is taken at all was decided before, by
 * the amount that is quoted, so that more put in never gives less.
 */
export function feeConversion(terms: readonly FeeTerm[], at: number, asset: AssetId): Conversion {
  const mine = terms.filter((term) => term.at === at).map(({ least: _, ...term }) => term);
  const flat = mine.reduce((sum, term) => sum + (term.flat?.atoms ?? 0n), 0n);
  const kept = mine.reduce((share, { rate }) => (rate ? minus(share, rate) : share), ratio(1n, 1n));
  const forward = (whole: bigint): bigint => whole - feesOn(mine, at, amount(asset, whole)).atoms;
  return {
    forward,
    back: (net) => (net === 0n ? 0n : smallestInput(forward, net, scaleInt(net + flat, inverse(kept), 'up'))),
  };
}

const minus = (a: Ratio, b: Ratio): Ratio => ratio(a.num * b.den - b.num * a.den, a.den * b.den);

/**
 * From `enough` on every input keeps at least `net`. Each rate's dust may allow a little less, at most an atom or two a
 * term, and two rates may take their dust at the same atom; so this walks down for as long as it still holds.
 */
function smallestInput(forward: (whole: bigint) => bigint, net: bigint, enough: bigint): bigint {
  let smallest = enough;
  while (smallest > 0n && forward(smallest - 1n) >= net) smallest -= 1n;
  return smallest;
}

/**
 * Says a cost in one asset as an amount of another, by their dollar prices; it is rounded up, because we pay the cost
 * in full.
 */
export function costIn(asset: AssetId, cost: bigint, costPrice: UsdPrice, assetPrice: UsdPrice): Amount {
  return amount(asset, scaleInt(cost, times(costPrice, inverse(assetPrice)), 'up'));
}
