import { type Amount, amount } from '../../kernel/amount.ts';
import type { Address, AssetId, OrderId } from '../../kernel/ids.ts';
import { usdValue } from '../../kernel/usd.ts';
import type { Part } from '../order/fact.ts';
import { isSpeck } from '../order/machine/deposit.ts';
import type { Destination, Order } from '../order/order.ts';
import type { Rules } from '../order/rules.ts';
import type { KeptSighting } from '../order/sighting.ts';
import { sentBefore, withoutSpecks } from './senders.ts';

export interface OriginParts {
  /** All that came to the order's address of one asset and was proven. */
  readonly sent: (order: Order, asset: AssetId) => Promise<readonly KeptSighting[]>;
  /** Binds a sender as a place to refund to. */
  readonly bindRefund: (order: OrderId, asset: AssetId, address: Address) => Destination;
  readonly rules: Rules;
}

/** Who sent what an order has. */
export function openOrigins({ sent, bindRefund, rules }: OriginParts) {
  const isLittle = (order: Order, sum: Amount): boolean => isSpeck(order, usdValue(sum, order.route.fromPrice), rules);

  return {
    /** What each plain account sent of what the order uses, those of the most first; specks are nobody's. */
    async partsOf(order: Order): Promise<readonly Part[]> {
      const { id, used, from } = order;
      const { first } = sentBefore(await sent(order, from.id), used.atoms);
      return withoutSpecks(first, (sum) => isLittle(order, amount(from.id, sum)))
        .slice(0, rules.mostSenders)
        .flatMap(([sender, sum]) =>
          sender === undefined ? [] : [{ to: bindRefund(id, from.id, sender), amount: amount(from.id, sum) }],
        );
    },
  };
}
