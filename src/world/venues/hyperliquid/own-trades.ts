import { type Instant, instant } from '../../../kernel/clock.ts';
import type { Address } from '../../../kernel/ids.ts';
import type { Ratio } from '../../../kernel/ratio.ts';
import type { Ask } from './ask.ts';
import { decimalRatio, fields, list, whole } from './reply.ts';
import { SPOT_ASSET_OFFSET } from './tokens.ts';

/** The latest trades of an account on one spot market, by its number for orders. The venue tells two thousand at most. */
export async function readOwnTrades(
  ask: Ask,
  account: Address,
  orderAsset: string,
): Promise<readonly { readonly price: Ratio; readonly at: Instant }[]> {
  const coin = `@${BigInt(orderAsset) - BigInt(SPOT_ASSET_OFFSET)}`;
  return list(await ask({ type: 'userFills', user: account.toLowerCase() }), 'fills')
    .map((row) => fields(row, 'fill'))
    .filter((row) => row.coin === coin)
    .map((row) => ({ price: decimalRatio(row.px, 'fill.px'), at: instant(whole(row.time, 'fill.time')) }));
}
