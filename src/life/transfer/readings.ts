import { type Atoms, atoms } from '../../kernel/amount.ts';
import type { AssetId } from '../../kernel/ids.ts';
import type { Asset, Chain } from '../../world/chains/chain.ts';
import { ownTransferCost } from '../quote/payout-price.ts';
import { notFinalYet, type Unfinal } from './not-final-yet.ts';

export interface Reading {
  readonly spendable: Atoms;
  readonly locked: Atoms;
  /** What the ledger says should be there. */
  readonly expected: Atoms;
  /** Of what is there beyond that: what came and is not final yet. */
  readonly unfinal: Atoms;
  /** Of one transfer between accounts of our own, in this coin; undefined for tokens, and where it was not asked. */
  readonly cost: Atoms | undefined;
}

export interface ReadingBooks {
  expectedOnHot(asset: AssetId): Promise<Atoms>;
  /** What has come to this account and is not final; where deposits lie in it, what has come to any of them. */
  unfinal(asset: AssetId): Promise<Unfinal>;
  saveReading(asset: AssetId, reading: Reading): Promise<void>;
}

/**
 * Notes what the hot account really holds beside what the ledger says. What agreed, and of which the ledger says the same as
 * then, is asked again only when all is to be looked at; what a payout costs now is noted then, too.
 */
export function hotReader(chain: Chain, books: ReadingBooks) {
  const agreed = new Map<AssetId, Atoms>();
  const moved = async (assets: readonly Asset[]): Promise<readonly Asset[]> => {
    const expected = await Promise.all(assets.map(({ id }) => books.expectedOnHot(id)));
    return assets.filter(({ id }, at) => agreed.get(id) !== expected[at]);
  };
  return async (isAll: boolean): Promise<void> => {
    for (const asset of isAll ? chain.facts.assets : await moved(chain.facts.assets)) {
      const { spendable, locked } = await chain.balance('hot', asset.id);
      const expected = await books.expectedOnHot(asset.id);
      const cost = isAll && asset.native ? await ownTransferCost(chain) : undefined;
      const unfinal = atoms(notFinalYet(spendable + locked - expected, await books.unfinal(asset.id)));
      await books.saveReading(asset.id, { spendable, locked, expected, unfinal, cost });
      if (spendable + locked === expected + unfinal) agreed.set(asset.id, expected);
      else agreed.delete(asset.id);
    }
  };
}
