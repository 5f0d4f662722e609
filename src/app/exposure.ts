import type { Catalog } from '../catalog/catalog.ts';
import { amount } from '../kernel/amount.ts';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import { type AssetId, chainOf } from '../kernel/ids.ts';
import { remember } from '../kernel/remember.ts';
import { usd, usdValue } from '../kernel/usd.ts';
import type { Exposure } from '../life/quote/exposure-bound.ts';
import type { MarketView } from '../life/quote/market-view.ts';
import type { Stands } from '../life/quote/route.ts';
import type { ExposureBook } from '../store/exposure.ts';
import type { Config } from './config.ts';

/** Quotes are asked for often, and what waits moves with orders. */
const EXPOSURE_AGE_MS = 2_000;
/** So many of the largest orders may wait to be traded where the settings say nothing. */
const LARGEST_ORDERS = 4;

export const untradedMost = ({ caution, largestOrderUsd }: Pick<Config, 'caution' | 'largestOrderUsd'>): number =>
  caution?.untradedUsd ?? LARGEST_ORDERS * largestOrderUsd;

export interface ExposureParts {
  /** In whole dollars. */
  readonly most: number;
  readonly book: ExposureBook;
  readonly market: () => Promise<MarketView>;
  readonly stands: Pick<Stands, 'base'>;
  readonly catalog: Pick<Catalog, 'chain'>;
  readonly clock: Clock;
}

/** What customers have brought and the book has not turned yet, in dollars of now: what a moving price moves. */
export function openExposureBound({ most, book, market, stands, catalog, clock }: ExposureParts): Exposure {
  const assetOf = (id: AssetId) => catalog.chain(chainOf(id))?.facts.assets.find((one) => one.id === id);
  const reckon = async () => {
    const [rows, view] = [await book.unfinished(), await market()];
    const sums = { buy: 0n, sell: 0n };
    for (const { side, asset, atoms } of rows) {
      const isCoin = asset === view.market.base || asset === stands.base;
      const known = isCoin === (side === 'sell') ? assetOf(asset) : undefined;
      const price = known && view.price(known);
      if (price) sums[side] += usdValue(amount(asset, atoms), price);
    }
    return sums;
  };
  const waiting = remember(reckon, EXPOSURE_AGE_MS, clock);
  return {
    async isFull(side) {
      try {
        return (await waiting())[side] >= usd(most);
      } catch (error) {
        // What cannot be reckoned is not added to.
        if (error instanceof Fault) return true;
        throw error;
      }
    },
  };
}
