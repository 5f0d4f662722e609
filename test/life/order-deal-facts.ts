import { type Amount, amount } from '../../src/kernel/amount.ts';
import type { Instant } from '../../src/kernel/clock.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import { budgetAt } from '../../src/life/order/machine/fees.ts';
import { legOf } from '../../src/life/order/machine/leg.ts';
import type { Order } from '../../src/life/order/order.ts';
import { ETH, worth } from './market.ts';
import { dealOf } from './order-script.ts';
import { place } from './world.ts';

interface DealDraw {
  readonly leg: number;
  readonly part: readonly [bigint, bigint];
  readonly flag: boolean;
}

type DealFact = 'leg_placed' | 'leg_declined' | 'leg_delivered' | 'leg_returned' | 'leg_failed';

/** Of the deal that is awaited, or of one that is long over. */
export function ofDeal(order: Order, draw: DealDraw, at: Instant, fact: DealFact): Fact {
  const { state } = order;
  const current = 'deal' in state ? state.deal.number : order.deals;
  const number = draw.leg < 3 ? current : 0;
  const input = 'deal' in state ? state.deal.terms.input : inputOf(order);
  const output = 'deal' in state ? state.deal.terms.output : amount(order.to.id, 1_000_000n);
  const got = output.atoms > 0n && draw.part[0] > 0n ? amount(output.asset, output.atoms) : amount(ETH.id, 7n);
  switch (fact) {
    case 'leg_placed':
      return { fact, deal: dealOf(number, input, outputOf(order, input)), at };
    case 'leg_declined':
      return { fact, number, refused: draw.flag, at };
    case 'leg_delivered':
      return { fact, number, got, most: got, to: got.asset === ETH.id ? place(ETH.id, 'customer') : undefined, at };
    case 'leg_returned':
      return {
        fact,
        number,
        got: amount(input.asset, input.atoms > draw.part[0] ? input.atoms - draw.part[0] : 1n),
        at,
      };
    case 'leg_failed':
      return { fact, number, reason: 'lost', at };
  }
}

const inputOf = (order: Order): Amount =>
  order.state.phase === 'placing' ? budgetAt(order, order.state.leg, order.state.held) : order.asked;
const outputOf = (order: Order, input: Amount): Amount =>
  order.state.phase === 'placing' ? worth(input, legOf(order, order.state.leg).output.asset) : input;
