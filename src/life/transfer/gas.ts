import type { Account } from '../../kernel/account.ts';
import type { Amount } from '../../kernel/amount.ts';
import { type Chain, coinOf } from '../../world/chains/chain.ts';
import {
  ARRIVED,
  chainOfPayment,
  isLeavingDeposit,
  nextGasIntent,
  type Owner,
  type Payment,
} from '../payment/payment.ts';
import type { PaymentBooks } from './books.ts';

/** The account that pays, and what else of its owner's was ever paid or is to be. */
export interface GasPayer {
  readonly owner: Owner;
  readonly from: Account;
  readonly others: readonly Payment[];
}

/**
 * Coins on a deposit account that may pay for what leaves it: those that the ledger has as gas there, as far as they lie beside
 * the coins that go elsewhere, and no other payment counts on them. What a stranger sent is owed to him, whether it is booked yet or
 * not, and pays for nothing.
 */
export async function gasThere(
  books: PaymentBooks,
  on: Chain,
  { owner, from, others }: GasPayer,
  goes: bigint,
): Promise<bigint> {
  const coin = coinOf(on.facts).id;
  const [{ spendable }, booked, ...promised] = await Promise.all([
    on.balance(from, coin),
    books.gasOf(owner, coin),
    ...others.filter((one) => chainOfPayment(one) === on.facts.id).map((one) => promisedTo(books, one)),
  ]);
  const free = promised.reduce((left, one) => left - one, booked);
  const there = spendable - goes < free ? spendable - goes : free;
  return there > 0n ? there : 0n;
}

/** What a payment takes of that gas and is not booked yet: what its bytes may cost, or what was sent ahead for it and has arrived. */
async function promisedTo(books: PaymentBooks, payment: Payment): Promise<bigint> {
  const { id, bearer, gas, state } = payment;
  if (bearer !== 'gas') return 0n;
  if (isLeavingDeposit(payment)) return (await books.attempts(id))[0]?.cost ?? 0n;
  const isWaiting = state.state === 'awaiting_gas' || state.state === 'reserved';
  return isWaiting && gas && !gas.isLent && ARRIVED.includes(gas.progress.state) ? gas.amount.atoms : 0n;
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
