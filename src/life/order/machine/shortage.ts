import type { Amount } from '../../../kernel/amount.ts';
import { later } from '../../../kernel/clock.ts';
import type { Of } from '../fact.ts';
import type { Order } from '../order.ts';
import type { Rules } from '../rules.ts';
import type { Shortage } from '../state.ts';

/** Whatever waits has a limit: past it the customer need not wait any longer, while the order still may go on. */
export function shortage(
  { shortSince }: Shortage,
  { asset, at }: Of<'inventory_short'>,
  { stockPatienceMs }: Rules,
): Shortage {
  const since = shortSince ?? at;
  return { shortOf: asset, shortSince: since, isOverdue: at >= later(since, stockPatienceMs) };
}

/** What the customer may have back instead of what is still to come; undefined while there is nothing to choose. */
export function refundable({ state, replacement }: Order): Amount | undefined {
  switch (state.phase) {
    case 'payout_refused':
      return state.out;
    // Between a payout that was refused and the next one being set apart, what it was to pay lies ready.
    case 'payout_due':
      if (state.exchanged) return replacement || state.isOverdue ? state.out : undefined;
      return state.isOverdue ? state.held : undefined;
    case 'stocking':
      return state.isOverdue ? state.held : undefined;
    default:
      return undefined;
  }
}
