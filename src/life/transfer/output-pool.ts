import { type Atoms, zero } from '../../kernel/amount.ts';
import type { AssetId, IntentId } from '../../kernel/ids.ts';
import type { Chain, SignedTransfer } from '../../world/chains/chain.ts';
import { type Advanced, opened } from '../payment/advance.ts';
import { newPayment } from '../payment/payment.ts';

export interface PoolBooks {
  openSplits(): Promise<number>;
  lastSplit(): Promise<number>;
  open(split: Advanced, attempt: SignedTransfer): Promise<void>;
}

export interface OutputPool {
  readonly chain: Chain;
  readonly coin: AssetId;
  readonly books: PoolBooks;
  /** Signs a split of our own outputs; undefined while there are enough of them. The same intent gives the same bytes. */
  readonly split: (intent: IntentId, count: number, each: Atoms) => Promise<SignedTransfer | undefined>;
  readonly count: number;
  readonly each: Atoms;
}

/** Change is locked for a while on some chains, so payments at the same time need outputs of their own. One split at a time. */
export async function keepOutputs({ chain, coin, books, split, count, each }: OutputPool): Promise<void> {
  if ((await books.openSplits()) > 0) return;
  // Nothing leaves but the cost, so nothing is set apart.
  const payment = newPayment({
    owner: 'treasury',
    purpose: { for: 'output_split', number: (await books.lastSplit()) + 1 },
    from: 'hot',
    amount: zero(coin),
    to: chain.hotAddress,
    source: 'treasury',
  });
  const attempt = await split(payment.id, count, each);
  // It is signed already: asked to sign it, the engine finds these very bytes.
  if (attempt) await books.open(opened(payment), attempt);
}
