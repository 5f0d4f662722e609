import { type Atoms, amount } from '../../kernel/amount.ts';
import { type AssetId, type IntentId, intentId } from '../../kernel/ids.ts';
import type { Chain, SignedTransfer } from '../../world/chains/chain.ts';
import type { Effect, NewIntent } from '../order/effect.ts';

export interface PoolBooks {
  openSweeps(): Promise<number>;
  lastSweep(): Promise<number>;
  commit(work: {
    readonly key: string;
    readonly intents: readonly NewIntent[];
    readonly effects: readonly { readonly key: string; readonly effect: Effect }[];
    readonly attempt: SignedTransfer;
  }): Promise<void>;
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
  if ((await books.openSweeps()) > 0) return;
  const leg = (await books.lastSweep()) + 1;
  const id = intentId('treasury', 'sweep', leg);
  const attempt = await split(id, count, each);
  if (!attempt) return;
  const intent: NewIntent = {
    id,
    kind: 'sweep',
    leg,
    from: 'hot',
    amount: amount(coin, each),
    to: chain.hotAddress,
    toDeposit: undefined,
    binding: undefined,
  };
  await books.commit({
    key: `plan:${id}`,
    intents: [intent],
    attempt,
    effects: [{ key: `${id}:send`, effect: { effect: 'send_intent', intent: id } }],
  });
}
