import type { Clock } from '../../kernel/clock.ts';
import { type Address, type AssetId, type ChainId, chainOf, type OrderId } from '../../kernel/ids.ts';
import type { Chain } from '../../world/chains/chain.ts';
import type { Screen } from '../../world/screening/screen.ts';
import type { Handler } from '../order/handling.ts';
import type { Destination } from '../order/order.ts';

export interface DepositStage {
  readonly chain: (id: ChainId) => Chain;
  readonly screen: Screen;
  /** Binds the sender as a place to refund to. */
  readonly bindRefund: (order: OrderId, asset: AssetId, address: Address) => Destination;
  readonly clock: Clock;
}

export function depositHandlers({ chain, screen, bindRefund, clock }: DepositStage) {
  const judgeDeadline: Handler<'judge_deadline'> = async () => ({ fact: { fact: 'deadline_passed', at: clock.now() } });

  const screenDeposit: Handler<'screen_deposit'> = async (_, order) => {
    const { sender, senders } = order.funds;
    // Where the chain shows no sender, the destination is all there is to be screened.
    const verdicts = [
      senders.length > 0 ? await screen(chainOf(order.from.id), senders) : 'clear',
      await screen(chainOf(order.to.id), [order.destination.address]),
    ];
    const clear = verdicts.every((verdict) => verdict === 'clear');
    const bound = sender && bindRefund(order.id, order.from.id, sender);
    const { hotAddress: hot } = chain(chainOf(order.from.id));
    return { fact: { fact: 'deposit_screened', clear, sender: bound, hot, at: clock.now() } };
  };

  return { judge_deadline: judgeDeadline, screen_deposit: screenDeposit };
}
