import { type Clock, type Instant, later } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Address, AssetId } from '../../kernel/ids.ts';
import type { Chain } from '../../world/chains/chain.ts';
import { type PayoutPrice, payoutPrice } from '../quote/payout-price.ts';

export interface PriceBooks {
  /** Of these assets. */
  asked(
    assets: readonly AssetId[],
    since: Instant,
  ): Promise<readonly { readonly asset: AssetId; readonly to: Address }[]>;
  answer(asset: AssetId, to: Address | undefined, price: PayoutPrice, at: Instant): Promise<void>;
  forget(before: Instant): Promise<void>;
}

export interface PriceRounds {
  readonly books: PriceBooks;
  readonly clock: Clock;
}

/** Whoever asked has given up by then. */
const WAITS_MS = 5_000;
const KEPT_MS = 60 * 60 * 1000;

/** Answers what those who quote have asked about a chain; true where some of it was answered, since more may wait behind it. */
export async function answerPrices(chain: Chain, { books, clock }: PriceRounds): Promise<boolean> {
  const { assets } = chain.facts;
  const ids = assets.map(({ id }) => id);
  const asked = await books.asked(ids, later(clock.now(), -WAITS_MS));
  const answered = await Promise.all(
    asked.map(async ({ asset, to }) => {
      const known = assets.find(({ id }) => id === asset);
      const price = known && (await orUnknown(() => payoutPrice(chain, known, to)));
      if (price) await books.answer(asset, to, price, clock.now());
      return price !== undefined;
    }),
  );
  return answered.some(Boolean);
}

/** What nobody can say now is not answered, and the dearer ordinary case is taken. */
async function orUnknown<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** The dearer ordinary case of every asset of a chain. */
export async function pricePayouts(chain: Chain, { books, clock }: PriceRounds): Promise<void> {
  for (const asset of chain.facts.assets)
    await books.answer(asset.id, undefined, await payoutPrice(chain, asset, undefined), clock.now());
  await books.forget(later(clock.now(), -KEPT_MS));
}
