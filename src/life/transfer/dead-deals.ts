import type { Instant } from '../../kernel/clock.ts';
import type { Refused } from '../../world/chains/chain.ts';
import type { Order } from '../order/order.ts';
import type { Payment } from '../payment/payment.ts';
import type { AgreedDeal, TransferStage } from './stage.ts';

/**
 * A breaker, a limit or a second person may hold a payment for hours. A provider promises nothing for what comes after its deadline, so
 * that it is not paid then: an order looks for another, and a purchase of the house was none.
 */
export async function refusedByDeal(
  stage: TransferStage,
  payment: Payment,
  order?: Order,
): Promise<Refused | undefined> {
  const deal = await dealFor(stage, payment, order);
  if (deal?.isWithdrawn) return { refused: 'the provider has given the deal up' };
  return deal && isPast(deal, stage.clock.now()) ? { refused: 'the deal is past its deadline' } : undefined;
}

/** After that it need not be mined: nobody promises anything for it. */
export async function deadlineOf(stage: TransferStage, payment: Payment, order?: Order): Promise<Instant | undefined> {
  return (await dealFor(stage, payment, order))?.terms.deadline;
}

const isPast = ({ terms }: AgreedDeal, now: Instant): boolean => now > terms.deadline;

async function dealFor({ fill }: TransferStage, { purpose }: Payment, order?: Order): Promise<AgreedDeal | undefined> {
  if (purpose.for === 'stock_fill') return fill(purpose.number);
  if (purpose.for !== 'provider_deal' || !order || !('deal' in order.state)) return undefined;
  return order.state.deal.number === purpose.deal ? order.state.deal : undefined;
}
