import type { Instant } from '../../kernel/clock.ts';
import type { AssetId } from '../../kernel/ids.ts';
import { type Refusal, refuse } from '../../kernel/refusal.ts';
import type { Fact, OrderFactKind } from './fact.ts';
import { isWaiting } from './machine/claim.ts';
import { isBelowExpected } from './machine/deposit.ts';
import { payoutTo } from './machine/payout.ts';
import { refundable } from './machine/shortage.ts';
import type { Destination, Order } from './order.ts';
import type { Rules } from './rules.ts';

/** What a customer may ask of an order; each becomes a fact if `may` allows it. */
export type Command =
  | { readonly command: 'close_wait' }
  | { readonly command: 'give_refund_address'; readonly to: Destination }
  | { readonly command: 'give_payout_address'; readonly to: Destination };

/** What customers and operators tell. All other facts are shown by chains, venue, providers and the treasury. */
export const ASKED = [
  ...(['wait_closed', 'refund_address_given', 'payout_address_given', 'fee_retried', 'give_back_decided'] as const),
] satisfies readonly OrderFactKind[];

/** The refusal a command would meet; 'done' where it was carried out before and repeating it changes nothing. */
export function may(order: Order, command: Command, rules: Rules): Refusal | 'done' | undefined {
  switch (command.command) {
    case 'close_wait':
      if (order.waitClosed) return 'done';
      return isBelowExpected(order, rules)
        ? undefined
        : refuse('deposit_wait_not_open', 'This order is not waiting for the rest of a deposit.');
    case 'give_refund_address':
      return mayGiveRefundAddress(order, command.to);
    case 'give_payout_address':
      if (order.replacement) return repeated(order.replacement, command.to);
      return mayReplaceDestination(order, command.to);
  }
}

/** It is replaced once: whoever sends the refused one again must not lose that by it. */
function mayReplaceDestination(order: Order, to: Destination): Refusal | undefined {
  const { asset, address } = payoutTo(order);
  if (order.state.phase !== 'payout_refused' || to.asset !== asset)
    return refuse('action_not_available', 'This order does not ask for another payout address.');
  return to.address === address
    ? refuse('address_refused', 'This is the address that could not be paid. Please give another one.')
    : undefined;
}

function mayGiveRefundAddress(order: Order, to: Destination): Refusal | 'done' | undefined {
  if (order.claims.some((claim) => isWaiting(claim) && claim.amount.asset === to.asset)) return undefined;
  if (refundAsset(order) === to.asset) return undefined;
  const standing = order.claims.filter(({ stage }) => stage !== 'replaced');
  const given = standing.map((claim) => claim.to).find((known) => known?.asset === to.asset);
  if (given) return repeated(given, to);
  return refuse('action_not_available', 'This order does not ask for a refund address.');
}

/** What a refund address would be for: money that waits for one, or what may be had back instead of waiting on. */
export function refundAsset(order: Order): AssetId | undefined {
  const waiting = order.claims.find(isWaiting);
  return waiting?.amount.asset ?? refundable(order)?.asset;
}

const repeated = (given: Destination, to: Destination): Refusal | 'done' =>
  given.address === to.address ? 'done' : refuse('address_already_set', 'Another address was given before.');

export function commandFact(command: Command, at: Instant): Fact {
  switch (command.command) {
    case 'close_wait':
      return { fact: 'wait_closed', at };
    case 'give_refund_address':
      return { fact: 'refund_address_given', to: command.to, at };
    case 'give_payout_address':
      return { fact: 'payout_address_given', to: command.to, at };
  }
}
