import { amount } from '../../kernel/amount.ts';
import { assert } from '../../kernel/assert.ts';
import { type AssetId, type IntentId, intentParts } from '../../kernel/ids.ts';
import type { SignedTransfer, Transfer } from '../../world/chains/chain.ts';
import type { Done, Job } from '../order/handling.ts';
import { type Advanced, opened } from '../payment/advance.ts';
import { housePayment } from './adopt.ts';

export interface OpeningBooks {
  attempts(intent: IntentId): Promise<readonly SignedTransfer[]>;
  adopted(signed: SignedTransfer): Promise<Transfer | undefined>;
  /** Doing it twice changes nothing; the answer names what the treasury lacks. */
  open(payment: Advanced): Promise<{ readonly shortOf: AssetId } | undefined>;
}

/** By the names that such payments have. */
const PURPOSES: Readonly<Record<string, 'forgotten' | 'rebalance' | 'cold_sweep' | 'stock_fill'>> = {
  ...{ forgotten: 'forgotten', rebalance: 'rebalance', cold: 'cold_sweep', fill: 'stock_fill' },
};

/** What comes to the hot account is found within a few rounds of a scanner. */
const LOOK_AGAIN_MS = 5_000;

/**
 * What was signed may take effect whatever the books hold. What it pays is read from its bytes' own row, never from the
 * instruction: others may write instructions.
 */
export const openAdopted =
  (books: OpeningBooks) =>
  async ({ effect: { payment: id } }: Job<'open_adopted'>): Promise<Done> => {
    const [newest] = await books.attempts(id);
    const pays = newest && (await books.adopted(newest));
    if (!newest || !pays) return { againInMs: LOOK_AGAIN_MS, trouble: `no bytes of ${id} are known` };
    const { kind, number } = intentParts(id);
    const purpose = PURPOSES[kind];
    assert(purpose && pays.from === 'hot', `${id} is no payment of the house`);
    const payment = housePayment({ for: purpose, number }, amount(pays.asset, pays.atoms), pays.to);
    const short = await books.open(opened(payment));
    if (!short) return 'done';
    const what = `${newest.txHash} pays ${pays.atoms} atoms of ${pays.asset} to ${pays.to}`;
    return { againInMs: LOOK_AGAIN_MS, trouble: `${id}: ${what}, and the treasury has less` };
  };
