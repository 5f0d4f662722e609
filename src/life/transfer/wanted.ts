import { type Account, accountInBooks } from '../../kernel/account.ts';
import type { Amount } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import { type Address, type IntentId, intentId, intentParts } from '../../kernel/ids.ts';
import type { Part } from '../../kernel/transfer-part.ts';
import { loanOf, type TransferRequest } from '../../signer/request.ts';
import type { Transfer } from '../../world/chains/chain.ts';
import { intentOf, kindOfPart, type Payment } from '../payment/payment.ts';

/** One of the transfers that a payment consists of, as chain and signer are asked for it. */
export interface Wanted {
  readonly intent: TransferRequest['intent'];
  readonly kind: TransferRequest['kind'];
  readonly from: Account;
  readonly amount: Amount;
  readonly to: Address;
  readonly toDeposit: number | undefined;
  readonly binding: string | undefined;
  readonly isDelegated: boolean;
}

export function wantedOf(payment: Payment, part: Part): Wanted {
  const [intent, kind] = [intentOf(payment, part), kindOfPart(payment, part)];
  if (part === 'main') {
    const { from, amount, to, binding, isDelegated = false } = payment;
    return { intent, kind, from, amount, to, toDeposit: undefined, binding, isDelegated };
  }
  const { amount } = present(part === 'gas' ? payment.gas : payment.back, `${part} of ${payment.id}`);
  const { address, index } = present(payment.payer, `the account that pays ${payment.id}`);
  const about = { intent, kind, from: 'hot', amount, to: address, toDeposit: index } as const;
  return { ...about, binding: undefined, isDelegated: false };
}

export function asTransfer({ kind, from, amount: { asset, atoms }, to, isDelegated }: Wanted): Transfer {
  const loan = loanOf(kind);
  return { from, asset, atoms, to, ...(isDelegated ? { delegated: {} } : {}), ...(loan ? { loan } : {}) };
}

/** Whose nonce it uses, as the books name accounts. */
export const accountName = ({ from, isDelegated }: Pick<Wanted, 'from' | 'isDelegated'>): string =>
  accountInBooks(isDelegated ? 'hot' : from);

/** What the nonce is handed out to by which a deposit account is bound for this transfer. */
export const bindingIntent = (intent: IntentId): IntentId => {
  const { owner, kind, number } = intentParts(intent);
  return intentId(owner, `bind_${kind}`, number);
};
