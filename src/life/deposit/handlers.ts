import type { Clock } from '../../kernel/clock.ts';
import { type Address, type AssetId, type ChainId, chainOf, type OrderId } from '../../kernel/ids.ts';
import type { Chain } from '../../world/chains/chain.ts';
import type { Screen } from '../../world/screening/screen.ts';
import type { CostsNow } from '../order/fact.ts';
import type { Handler } from '../order/handling.ts';
import type { Destination, Order } from '../order/order.ts';

export interface DepositStage {
  readonly chain: (id: ChainId) => Chain;
  readonly screen: Screen;
  /** Binds the sender as a place to refund to. */
  readonly bindRefund: (order: OrderId, asset: AssetId, address: Address) => Destination;
  /** What carrying it out costs on networks now. */
  readonly costsNow: (order: Order) => Promise<CostsNow>;
  readonly clock: Clock;
}

export function depositHandlers({ chain, screen, bindRefund, costsNow, clock }: DepositStage) {
  const judgeDeadline: Handler<'judge_deadline'> = async () => ({ fact: { fact: 'deadline_passed', at: clock.now() } });

  const screenDeposit: Handler<'screen_deposit'> = async (_, order) => {
    const { sender, senders } = order.funds;
    const verdict = senders.length > 0 ? await screen(chainOf(order.from.id), senders) : 'clear';
    const bound = sender && bindRefund(order.id, order.from.id, sender);
    const { hotAddress: hot } = chain(chainOf(order.from.id));
    const clear = verdict === 'clear';
    const costs = clear ? { costs: await costsNow(order) } : {};
    return { fact: { fact: 'deposit_screened', clear, sender: bound, hot, ...costs, at: clock.now() } };
  };

  return { judge_deadline: judgeDeadline, screen_deposit: screenDeposit };
}
