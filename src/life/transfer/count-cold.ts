import { type Atoms, amount } from '../../kernel/amount.ts';
import type { AssetId } from '../../kernel/ids.ts';
import type { Done, Job } from '../order/handling.ts';
import { move, type Posting } from '../payment/posting.ts';

export interface ColdBooks {
  balance(account: string, asset: AssetId): Promise<Atoms>;
  /** Work with a key that was used before changes nothing. */
  commit(work: { readonly key: string; readonly postings: readonly Posting[] }): Promise<void>;
}

/**
 * Books that a cold store holds so much, because somebody has counted it: the desk has neither its keys nor a scanner on it, and sees
 * coins that come back from there arrive as from anywhere else.
 */
export const countCold =
  (books: ColdBooks) =>
  async ({ key, effect: { asset, atoms: counted } }: Job<'count_cold'>): Promise<Done> => {
    const booked = await books.balance('cold', asset);
    if (counted > booked)
      await books.commit({ key, postings: [move('world', 'cold', amount(asset, counted - booked))] });
    if (counted < booked)
      await books.commit({ key, postings: [move('cold', 'world', amount(asset, booked - counted))] });
    return 'done';
  };
