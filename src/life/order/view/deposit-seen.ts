import { type Amount, isZero } from '../../../kernel/amount.ts';
import type { TxHash } from '../../../kernel/ids.ts';
import type { Order } from '../order.ts';

/** What arrived and is there; undefined where nothing came, or all that came has left its chain again, whatever was credited. */
export function depositSeen({ funds }: Order): { readonly amount: Amount; readonly txHash: TxHash } | undefined {
  const { seen, txHash } = funds;
  return txHash === undefined || isZero(seen) ? undefined : { amount: seen, txHash };
}
