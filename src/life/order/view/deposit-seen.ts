import { type Amount, atLeast } from '../../../kernel/amount.ts';
import type { TxHash } from '../../../kernel/ids.ts';
import type { Order } from '../order.ts';

/** What arrived and is there, or was credited; undefined where nothing came, or all that came has left its chain again. */
export function depositSeen({ funds }: Order): { readonly amount: Amount; readonly txHash: TxHash } | undefined {
  const { seen, confirmed, txHash } = funds;
  const amount = atLeast(seen, confirmed) ? seen : confirmed;
  return txHash === undefined || amount.atoms === 0n ? undefined : { amount, txHash };
}
