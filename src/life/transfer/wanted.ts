import type { Amount } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import type { Address } from '../../kernel/ids.ts';
import type { TransferRequest } from '../../signer/request.ts';
import type { Account, Transfer } from '../../world/chains/chain.ts';
import { intentOf, kindOf, type Part, type Payment } from '../payment/payment.ts';

/** One of the transfers that a payment consists of, as chain and signer are asked for it. */
export interface Wanted {
  readonly intent: TransferRequest['intent'];
  readonly kind: TransferRequest['kind'];
  readonly from: Account;
  readonly amount: Amount;
  readonly to: Address;
  readonly toDeposit: number | undefined;
  readonly binding: string | undefined;
}

export function wantedOf(payment: Payment, part: Part): Wanted {
  const intent = intentOf(payment, part);
  if (part === 'main') {
    const { purpose, from, amount, to, binding } = payment;
    return { intent, kind: kindOf(purpose), from, amount, to, toDeposit: undefined, binding };
  }
  const { amount } = present(payment.gas, `gas of ${payment.id}`);
  const { address, index } = present(payment.payer, `the account that pays ${payment.id}`);
  return { intent, kind: 'gas', from: 'hot', amount, to: address, toDeposit: index, binding: undefined };
}

export const asTransfer = ({ from, amount: { asset, atoms }, to }: Wanted): Transfer => ({ from, asset, atoms, to });

export const accountName = ({ from }: Wanted): string => (from === 'hot' ? 'hot' : `deposit:${from.deposit}`);
