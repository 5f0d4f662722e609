import { amount } from '../../kernel/amount.ts';
import type { AssetId } from '../../kernel/ids.ts';
import type { CaseRef } from '../case/case.ts';
import type { Done, Job } from '../order/handling.ts';
import { move, type Posting } from '../payment/posting.ts';

export interface DriftBooks {
  /** What the account held when it was last read, less what the ledger said then. */
  drift(asset: AssetId): Promise<bigint | undefined>;
  /** Work with a key that was used before changes nothing; the answer names what the treasury lacks. */
  commit(work: {
    readonly key: string;
    readonly postings: readonly Posting[];
    readonly over: readonly CaseRef[];
  }): Promise<{ readonly shortOf: AssetId } | undefined>;
}

/** Payments under way hide a difference for moments; one that does not show by then is another one, or gone. */
const LOOK_AGAIN_MS = 2_000;
const MOST_LOOKS = 60;

/**
 * Books what the hot account holds more, or less, than the ledger says, as the treasury's. Only what the newest reading shows counts,
 * whoever asks: nobody can make the ledger say more than the chain does.
 */
export const adoptDrift =
  (books: DriftBooks) =>
  async ({ key, tries, effect }: Job<'adopt_drift'>): Promise<Done> => {
    const { asset, atoms } = effect;
    const now = (await books.drift(asset)) ?? 0n;
    const isThere = atoms > 0n ? now >= atoms : now <= atoms;
    if (!isThere) return tries < MOST_LOOKS ? { againInMs: LOOK_AGAIN_MS } : 'done';
    const [from, to, value] =
      atoms > 0n ? (['world', 'treasury', atoms] as const) : (['treasury', 'world', -atoms] as const);
    const short = await books.commit({
      key,
      postings: [move(from, to, amount(asset, value))],
      over: [{ case: 'drift', subject: asset }],
    });
    return short ? { againInMs: LOOK_AGAIN_MS, trouble: `the treasury is short of ${short.shortOf}` } : 'done';
  };
