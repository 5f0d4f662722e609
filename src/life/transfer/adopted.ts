import { sameAccount } from '../../kernel/account.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Part } from '../../kernel/transfer-part.ts';
import type { SignedTransfer, Transfer } from '../../world/chains/chain.ts';
import type { Payment } from '../payment/payment.ts';
import type { PaymentBooks } from './books.ts';
import { asTransfer, wantedOf } from './wanted.ts';

const AT = 'signer:journal';

/**
 * A restored database may come to another sum or another address than it did the first time. Then the bytes of the first
 * time are not this payment, and no others may be made under its name: a person must look.
 */
export async function expectSame(
  books: PaymentBooks,
  payment: Payment,
  part: Part,
  signed: SignedTransfer,
): Promise<void> {
  const pays = await books.adopted(signed);
  if (!pays || sameTransfer(pays, asTransfer(wantedOf(payment, part)))) return;
  throw new Fault(
    'permanent',
    AT,
    `${signed.intent} was signed before the database was restored, as ${pays.atoms} of ${pays.asset} to ${pays.to}`,
  );
}

const sameTransfer = (a: Transfer, b: Transfer): boolean =>
  a.asset === b.asset && a.atoms === b.atoms && a.to === b.to && a.loan === b.loan && sameAccount(a.from, b.from);

/**
 * An order that went another way before the database was restored goes that way again, or waits for a person: what was
 * signed for it then may have been paid, and anything else would be paid beside it. Payments of the house do not stand for each
 * other: what was signed for one is found under its own name, and what the treasury cannot cover may wait for the stock that another brings.
 */
export async function expectNothingElse(books: PaymentBooks, { id, owner }: Payment): Promise<void> {
  if (owner === 'treasury') return;
  const other = await books.unplanned(owner);
  if (other !== undefined)
    throw new Fault('permanent', AT, `${id} is not signed: before the database was restored ${other} was`);
}
