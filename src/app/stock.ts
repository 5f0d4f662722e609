import type { Clock } from '../kernel/clock.ts';
import type { AssetId } from '../kernel/ids.ts';
import { remember } from '../kernel/remember.ts';
import type { Stock } from '../life/quote/stock-bound.ts';
import type { Ledger } from '../store/ledger.ts';
import { type Config, servingOf } from './config.ts';

/** Quotes are asked for often, and stock moves with orders. */
const STOCK_AGE_MS = 2_000;

/** The treasury's own part of what the accounts hold, as the ledger has it. */
export function stockOf(config: Config, ledger: Pick<Ledger, 'balance'>, clock: Clock): Stock {
  const known = new Map<AssetId, () => Promise<bigint>>();
  const reading = (asset: AssetId): (() => Promise<bigint>) => {
    const read = known.get(asset) ?? remember(() => ledger.balance('treasury', asset), STOCK_AGE_MS, clock);
    known.set(asset, read);
    return read;
  };
  return { free: (asset) => reading(asset)(), share: servingOf(config).stockShare };
}
