import { type Amount, atLeast } from '../../kernel/amount.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { type Address, type AssetId, type ChainId, chainOf, type OrderId } from '../../kernel/ids.ts';
import type { Chain } from '../../world/chains/chain.ts';
import type { Screen } from '../../world/screening/screen.ts';
import type { CostsNow, Part } from '../order/fact.ts';
import type { Handler } from '../order/handling.ts';
import type { Destination, Order } from '../order/order.ts';

export interface DepositStage {
  readonly chain: (id: ChainId) => Chain;
  readonly screen: Screen;
  /** Binds the sender as a place to refund to. */
  readonly bindRefund: (order: OrderId, asset: AssetId, address: Address) => Destination;
  /** What each plain account sent of what the order uses. */
  readonly partsOf: (order: Order) => Promise<readonly Part[]>;
  /** What carrying it out costs on networks now. */
  readonly costsNow: (order: Order) => Promise<CostsNow>;
  /** Whether something came to its address that the order was not told of yet. */
  readonly isUntold: (order: Order) => Promise<boolean>;
  /** What came to its address of what it asked for, as far as an engine has proven it against the chain. */
  readonly proven: (order: Order) => Promise<Amount>;
  readonly clock: Clock;
}

/** What was seen is told within a moment, or whoever looks after the scanner is. */
const UNTOLD_MS = 1_000;

export function depositHandlers(stage: DepositStage) {
  const { chain, screen, bindRefund, partsOf, costsNow, isUntold, proven, clock } = stage;
  /** An order moves money from here on. What it counts is in a row that whoever has the database could write. */
  const expectProven = async (order: Order): Promise<void> => {
    const shown = await proven(order);
    if (atLeast(shown, order.funds.confirmed)) return;
    const counts = `the order counts ${order.funds.confirmed.atoms} atoms of ${order.from.id}`;
    throw new Fault('permanent', 'database', `${counts}, and only ${shown.atoms} are proven against the chain`);
  };

  /** Nobody's time is up while his money lies there and only our own books lag behind. */
  const judgeDeadline: Handler<'judge_deadline'> = async (_, order) =>
    (await isUntold(order)) ? { againInMs: UNTOLD_MS } : { fact: { fact: 'deadline_passed', at: clock.now() } };

  const screenDeposit: Handler<'screen_deposit'> = async (_, order) => {
    await expectProven(order);
    const { sender, senders, isCrowd = false } = order.funds;
    // Where the chain shows no sender, the destination is all there is to be screened.
    const isSenderClear =
      !isCrowd && (senders.length === 0 || (await screen(chainOf(order.from.id), senders)) === 'clear');
    const isPayeeClear = (await screen(chainOf(order.to.id), [order.destination.address])) === 'clear';
    const clear = isSenderClear && isPayeeClear;
    const bound = sender && bindRefund(order.id, order.from.id, sender);
    const { hotAddress: hot } = chain(chainOf(order.from.id));
    const costs = clear ? { costs: await costsNow(order) } : {};
    // Nobody can look through a crowd, and what one account sent has one sender.
    const parts = isSenderClear || isCrowd || sender ? {} : { parts: await partsOf(order) };
    const taint = isSenderClear ? {} : { isTainted: true, ...parts };
    const fact = { fact: 'deposit_screened', clear, ...taint, sender: bound, hot, ...costs, at: clock.now() } as const;
    return { fact: { ...fact, fromStock: true }, orElse: fact };
  };

  const collectAgain: Handler<'collect_again'> = async () => ({
    fact: { fact: 'collection_retried', at: clock.now() },
  });

  return { judge_deadline: judgeDeadline, screen_deposit: screenDeposit, collect_again: collectAgain };
}
