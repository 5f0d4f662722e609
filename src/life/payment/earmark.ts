import { type Amount, type Atoms, amount } from '../../kernel/amount.ts';
import type { AssetId } from '../../kernel/ids.ts';
import { type LedgerAccount, move, moving, type Posting } from './posting.ts';

/** What of the treasury's is set apart for one thing that may take it, until that is over. */
export interface Earmark {
  readonly key: string;
  readonly account: LedgerAccount;
  readonly most: Amount;
}

export type Done = 'ok' | 'seen' | { readonly shortOf: AssetId };

export interface EarmarkBooks {
  balance(account: string, asset: AssetId): Promise<Atoms>;
  /** Work with a key that was used before changes nothing. */
  commit(work: { readonly key: string; readonly postings: readonly Posting[] }): Promise<Done>;
}

export const settingApart = ({ key, account, most }: Earmark) => ({
  ...{ key, postings: moving([move('treasury', account, most)]) },
});

/** Whether all of it is there. It is set apart once however often, and where the treasury has too little, at the first time that it has enough. */
export async function setApart(books: EarmarkBooks, earmark: Earmark): Promise<boolean> {
  const { account, most } = earmark;
  await books.commit(settingApart(earmark));
  return (await books.balance(account, most.asset)) >= most.atoms;
}

/** What is left is free again, in one commit with what came of it. Whoever comes late sets nothing apart any more: the key is used. */
export async function setFree(
  books: EarmarkBooks,
  { key, account, most }: Earmark,
  outcome: readonly Posting[] = [],
): Promise<Done> {
  await books.commit({ key, postings: [] });
  const left = amount(most.asset, await books.balance(account, most.asset));
  return books.commit({ key: `${key}:over`, postings: moving([move(account, 'treasury', left), ...outcome]) });
}
