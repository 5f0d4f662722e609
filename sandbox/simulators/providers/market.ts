import { createHash } from 'node:crypto';
import { inverse, type Ratio, ratio, ratioFromDecimal, scaleInt, times } from '../../../src/kernel/ratio.ts';
import type { PlaceToken } from '../../place.ts';

export interface MarketOptions {
  /** Dollars for one whole unit, by symbol: `{ ETH: '3200', USDC: '1' }`. */
  readonly prices: Readonly<Record<string, string>>;
  /** The same seed drifts in the same way. */
  readonly seed?: string;
  /** How far a price may stray from the one set, in basis points; 0 keeps still. */
  readonly driftBps?: number;
  /** How long a price stands. */
  readonly driftMs?: number;
  /** Taken from every conversion, as a part and in dollars: what a network costs. */
  readonly spreadBps?: number;
  readonly costUsd?: string;
}

/** One market behind every simulated provider, so that they differ by their fees alone. */
export interface Market {
  setPrice(symbol: string, dollars: string): void;
  /** Atoms of `to` for this many of `from` at a time, less all costs, rounded down; undefined without both prices. */
  convert(atoms: bigint, from: PlaceToken, to: PlaceToken, at: number, feeBps: number): bigint | undefined;
}

const BPS = 10_000n;
const DRIFT_MS = 60_000;
const SPREAD_BPS = 10;
const COST_USD = '0.05';

export function openMarket(options: MarketOptions): Market {
  const { seed = 'market', driftBps = 0, driftMs = DRIFT_MS, spreadBps = SPREAD_BPS } = options;
  const cost = ratioFromDecimal(options.costUsd ?? COST_USD);
  const prices = new Map(Object.entries(options.prices).map(([symbol, text]) => [symbol, ratioFromDecimal(text)]));

  const drift = (symbol: string, at: number): Ratio => {
    const step = Math.floor(at / driftMs);
    const chance = createHash('sha256').update(`${seed}:${symbol}:${step}`).digest().readUInt32BE();
    return ratio(BPS + BigInt((chance % (2 * driftBps + 1)) - driftBps), BPS);
  };
  /** Dollars for one atom. */
  const priceOf = ({ symbol, decimals }: PlaceToken, at: number): Ratio | undefined => {
    const set = prices.get(symbol);
    return set && times(times(set, drift(symbol, at)), ratio(1n, 10n ** BigInt(decimals)));
  };

  return {
    setPrice(symbol, dollars) {
      prices.set(symbol, ratioFromDecimal(dollars));
    },
    convert(atoms, from, to, at, feeBps) {
      const [sold, bought] = [priceOf(from, at), priceOf(to, at)];
      if (!sold || !bought) return undefined;
      const dollars = atoms * sold.num * cost.den - cost.num * sold.den;
      if (dollars <= 0n) return 0n;
      const kept = ratio(BPS - BigInt(spreadBps + feeBps), BPS);
      return scaleInt(1n, times(times(ratio(dollars, sold.den * cost.den), inverse(bought)), kept), 'down');
    },
  };
}
