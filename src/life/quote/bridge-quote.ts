import { type Amount, amount, isZero, rescale, smaller, subtract } from '../../kernel/amount.ts';
import { type Instant, later } from '../../kernel/clock.ts';
import type { Ratio } from '../../kernel/ratio.ts';
import { type UsdPrice, usdValue } from '../../kernel/usd.ts';
import type { Asset } from '../../world/chains/chain.ts';
import { feesOn } from './fees-on.ts';
import type { BridgeLeg, FeeTerm, Quote } from './quote.ts';

export type BridgeDirection = 'deposit' | 'withdraw';

/** A coin and its wrapped form on the venue, exchanged one to one. */
export interface BridgeAsset {
  /** `xmr`, `trx`, `zec`. */
  readonly name: string;
  readonly native: Asset;
  readonly wrapped: Asset;
  /** Least gross amount in either direction, and what is kept of every withdrawal; both in the native coin. */
  readonly minimum: Amount;
  readonly withdrawalFlat: Amount;
}

export interface BridgeSettings {
  readonly depositRate: Ratio;
  readonly withdrawalRate: Ratio;
  readonly assets: readonly BridgeAsset[];
}

/** How long the terms that an order was made with are shown; they bind it for as long as it lives. */
const VALID_MS = 60_000;

/** The terms of a bridge order are reckoned for the minimum, because nobody says beforehand how much will come. */
export function bridgeQuote(
  settings: BridgeSettings,
  { native, wrapped, minimum, withdrawalFlat }: BridgeAsset,
  direction: BridgeDirection,
  price: UsdPrice,
  now: Instant,
): Quote {
  const [from, to] = direction === 'deposit' ? [native, wrapped] : [wrapped, native];
  const least = inUnitsOf(from, minimum, native);
  const leg: BridgeLeg = { leg: 'bridge', input: sumsOf(from), output: sumsOf(to) };
  const rate = direction === 'deposit' ? settings.depositRate : settings.withdrawalRate;
  const fees: readonly FeeTerm[] = [
    { type: 'bridge', at: 0, asset: from.id, rate, flat: undefined },
    ...(direction === 'withdraw'
      ? [{ type: 'bridge', at: 1, asset: to.id, rate: undefined, flat: withdrawalFlat } as const]
      : []),
  ];
  const toAmount = bridgedFrom(least, fees, leg);
  const [fromPrice, toPrice] = [priceIn(from, native, price), priceIn(to, native, price)];
  return {
    ...{ from, to, mode: 'exact_in', fromAmount: least, toAmount, minReceived: toAmount },
    fromUsd: usdValue(least, fromPrice),
    toUsd: usdValue(toAmount, toPrice),
    fees: [],
    integratorFee: undefined,
    minFrom: least,
    maxFrom: least,
    minDepositUsd: 0,
    estimatedSeconds: 0,
    route: { legs: [leg], fees, fromPrice, toPrice },
    expiresAt: later(now, VALID_MS),
  };
}

/** The same terms where an account must be opened for the payee: that is taken of what comes out. */
export function withActivation(quote: Quote, activation: Amount): Quote {
  if (isZero(activation)) return quote;
  const { asset } = activation;
  const term: FeeTerm = { type: 'activation', at: 1, asset, rate: undefined, flat: activation };
  const toAmount = subtract(quote.toAmount, smaller(quote.toAmount, activation));
  const toUsd = usdValue(toAmount, quote.route.toPrice);
  return {
    ...quote,
    toAmount,
    toUsd,
    minReceived: toAmount,
    route: { ...quote.route, fees: [...quote.route.fees, term] },
  };
}

/** Says what an amount becomes on the other side of the bridge. */
function bridgedFrom(gross: Amount, fees: readonly FeeTerm[], { input, output }: BridgeLeg): Amount {
  const net = subtract(gross, feesOn(fees, 0, gross));
  const there = amount(output.asset, rescale(net.atoms, input.decimals, output.decimals, 'down'));
  return subtract(there, feesOn(fees, 1, there));
}

const sumsOf = ({ id, decimals }: Asset) => ({ asset: id, decimals });

/** Says a sum of the coin in its wrapped form, which may have other decimals; the result is never less. */
const inUnitsOf = (asset: Asset, value: Amount, native: Asset): Amount =>
  amount(asset.id, rescale(value.atoms, native.decimals, asset.decimals, 'up'));

/** Derives the dollars for an atom from those for an atom of the native coin. */
function priceIn(asset: Asset, native: Asset, price: UsdPrice): UsdPrice {
  const [more, less] = [10n ** BigInt(native.decimals), 10n ** BigInt(asset.decimals)];
  return { num: price.num * more, den: price.den * less } as UsdPrice;
}
