import { type Atoms, atoms } from '../../kernel/amount.ts';
import type { AssetId } from '../../kernel/ids.ts';
import type { Asset, Chain } from '../../world/chains/chain.ts';

export interface Reading {
  readonly spendable: Atoms;
  readonly locked: Atoms;
  /** What the ledger says should be there. */
  readonly expected: Atoms;
  /** Of one payout, in this coin; undefined for tokens. */
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
    const cost = asset.native ? await dearestPayout(chain) : undefined;
    await books.saveReading(asset.id, { spendable, locked, expected, cost });
  }
}

async function dearestPayout(chain: Chain): Promise<Atoms | undefined> {
  const costs = await Promise.all(chain.facts.assets.map((asset) => costOf(chain, asset)));
  const known = costs.filter((cost) => cost !== undefined);
  return known.length === 0 ? undefined : known.reduce((most, cost) => (cost > most ? cost : most));
}

async function costOf(chain: Chain, asset: Asset): Promise<Atoms | undefined> {
  const terms = await chain.terms({ from: 'hot', asset: asset.id, atoms: atoms(0n), to: chain.hotAddress });
  return 'refused' in terms ? undefined : terms.usual;
}
