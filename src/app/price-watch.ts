import type { Look, Measures } from '../engine/trip-watch.ts';
import { type Instant, later } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { MarketView } from '../life/quote/market-view.ts';
import { type Compared, type ComparisonDeps, comparePrice } from '../life/quote/price-comparison.ts';
import { nameOf, type TripOf } from '../life/trip/trip.ts';
import type { Asset } from '../world/chains/chain.ts';

export interface PriceWatch extends ComparisonDeps {
  /** What is let pass, in ten-thousandths. */
  readonly most: bigint;
  /** Each under another symbol; the first of them is the one that the venue trades. */
  readonly coins: readonly Asset[];
  market(): Promise<MarketView>;
}

/** Providers answer a limited number of questions a minute, most of which customers need. */
const COMPARE_EVERY_MS = 20_000;
/** One answer may be an accident. */
const LASTING_ANSWERS = 2;

/** Compares one coin after the other; one that was far apart is asked for again first, and told when it still is. */
export function watchPrices(watch: PriceWatch): Measures['price_apart'] {
  const { most, coins, money, providers, clock } = watch;
  const compared = new Map<Asset, Compared & { readonly answers: number }>();
  let turn = 0;
  let askedAt: Instant | undefined;
  let failed: { readonly error: unknown } | undefined;
  /** How often in a row it was too far apart. */
  const timesApart = (coin: Asset): number => {
    const known = compared.get(coin);
    return known && known.apart > most ? known.answers : 0;
  };
  const isDoubted = (coin: Asset): boolean => timesApart(coin) > 0 && timesApart(coin) < LASTING_ANSWERS;

  async function ask(coin: Asset): Promise<void> {
    const price = (await watch.market()).price(coin);
    const found = price && (await comparePrice(coin, price, watch));
    if (found) compared.set(coin, { ...found, answers: timesApart(coin) + 1 });
  }

  /** Nobody waits for the providers' answers: the next look sees them. */
  function askNext(): void {
    askedAt = clock.now();
    const able = coins.filter(({ id }) => providers.some((provider) => provider.supports(id, money.id)));
    const coin = able.find(isDoubted) ?? able[turn % Math.max(able.length, 1)];
    turn += 1;
    if (!coin) return;
    ask(coin).catch((error: unknown) => {
      if (!(error instanceof Fault)) failed = { error };
    });
  }

  return async ({ before }: Look) => {
    if (failed) {
      const { error } = failed;
      failed = undefined;
      throw error;
    }
    if (askedAt === undefined || clock.now() >= later(askedAt, COMPARE_EVERY_MS)) askNext();
    return coins.flatMap((coin): TripOf<'price_apart'>[] => {
      const { symbol } = coin;
      const about = { trip: 'price_apart', symbol, isTraded: coin === coins[0], most } as const;
      const known = compared.get(coin);
      if (known) {
        const { apart: level, venue, providers: theirs } = known;
        return isDoubted(coin) ? [] : [{ ...about, level, venue, providers: theirs }];
      }
      // A process that begins does not know yet whether what was apart still is.
      const unknown = { ...about, level: 0n, venue: 'not known', providers: 'not known' };
      const level = before.get(nameOf(unknown))?.level;
      return level === undefined ? [] : [{ ...unknown, level }];
    });
  };
}
