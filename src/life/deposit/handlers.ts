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
  /** Whether something came to its address that the order was not told of yet. */
  readonly isUntold: (order: Order) => Promise<boolean>;
  readonly clock: Clock;
}

/** What was seen is told within a moment, or whoever looks after the scanner is. */
const UNTOLD_MS = 1_000;

export function depositHandlers({ chain, screen, bindRefund, costsNow, isUntold, clock }: DepositStage) {
  /** Nobody's time is up while his money lies there and only our own books lag behind. */
  const judgeDeadline: Handler<'judge_deadline'> = async (_, order) =>
    (await isUntold(order)) ? { againInMs: UNTOLD_MS } : { fact: { fact: 'deadline_passed', at: clock.now() } };

  const screenDeposit: Handler<'screen_deposit'> = async (_, order) => {
    const { sender, senders, isCrowd = false } = order.funds;
    // Where the chain shows no sender, the destination is all there is to be screened.
    const verdicts = [
      senders.length > 0 ? await screen(chainOf(order.from.id), senders) : 'clear',
      await screen(chainOf(order.to.id), [order.destination.address]),
    ];
    const clear = !isCrowd && verdicts.every((verdict) => verdict === 'clear');
    const bound = sender && bindRefund(order.id, order.from.id, sender);
    const { hotAddress: hot } = chain(chainOf(order.from.id));
    const costs = clear ? { costs: await costsNow(order) } : {};
    return { fact: { fact: 'deposit_screened', clear, sender: bound, hot, ...costs, at: clock.now() } };
  };

  return { judge_deadline: judgeDeadline, screen_deposit: screenDeposit };
}
