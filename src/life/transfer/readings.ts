import type { Atoms } from '../../kernel/amount.ts';
import type { AssetId } from '../../kernel/ids.ts';
import type { Chain } from '../../world/chains/chain.ts';
import { ownTransferCost } from '../quote/payout-price.ts';

export interface Reading {
  readonly spendable: Atoms;
  readonly locked: Atoms;
  /** What the ledger says should be there. */
  readonly expected: Atoms;
  /** Of one transfer between accounts of our own, in this coin; undefined for tokens. */
  readonly cost: Atoms | undefined;
}

export interface ReadingBooks {
  expectedOnHot(asset: AssetId): Promise<Atoms>;
  saveReading(asset: AssetId, reading: Reading): Promise<void>;
}

/** Notes what the hot account really holds beside what the ledger says, and what a payout costs now. */
export async function takeReadings(chain: Chain, books: ReadingBooks): Promise<void> {
  for (const asset of chain.facts.assets) {
    const { spendable, locked } = await chain.balance('hot', asset.id);
    const expected = await books.expectedOnHot(asset.id);
    const cost = asset.native ? await ownTransferCost(chain) : undefined;
    await books.saveReading(asset.id, { spendable, locked, expected, cost });
  }
}
