import type { Account } from '../../kernel/account.ts';
import type { Amount } from '../../kernel/amount.ts';
import { type Chain, coinOf } from '../../world/chains/chain.ts';
import { nextGasIntent, type Owner, type Payment } from '../payment/payment.ts';
import type { PaymentBooks } from './books.ts';

/**
 * Coins on a deposit account that may pay for what leaves it: those that the ledger has as gas there, as far as they lie beside
 * the coins that go elsewhere. What a stranger sent is owed to him, whether it is booked yet or not, and pays for nothing.
 */
export async function gasThere(
  books: PaymentBooks,
  on: Chain,
  { owner, from }: { readonly owner: Owner; readonly from: Account },
  goes: bigint,
): Promise<bigint> {
  const coin = coinOf(on.facts).id;
  const [{ spendable }, booked] = await Promise.all([on.balance(from, coin), books.gasOf(owner, coin)]);
  const there = spendable - goes < booked ? spendable - goes : booked;
  return there > 0n ? there : 0n;
}

/** What goes ahead: coins, or the use of staked ones. */
export interface Gas {
  readonly gas: Amount;
  readonly isLent?: boolean;
}

/** Gas that was signed for before the database was restored: it is the same coins again, whatever gas costs today. */
export async function gasSignedBefore(books: PaymentBooks, payment: Payment): Promise<Gas | undefined> {
  const [newest] = await books.attempts(nextGasIntent(payment));
  const pays = newest && (await books.adopted(newest));
  return pays && { gas: { asset: pays.asset, atoms: pays.atoms }, ...(pays.loan ? { isLent: true } : {}) };
}
