import type { Effect, EffectKind } from './effect.ts';
import type { Fact } from './fact.ts';
import type { Order } from './order.ts';

/** What was credited is not on the chain any more, or not deep enough again: until it is, nothing more is done with it. */
export const isHeld = ({ funds }: Pick<Order, 'funds'>): boolean => funds.missing !== undefined;

/** Complete by type: whether the instruction takes up, exchanges, trades or signs away what the customer brought. */
const SPENDS: { readonly [K in EffectKind]: boolean } = {
  judge_deadline: false,
  screen_deposit: true,
  reserve_stock: true,
  place_leg: true,
  // What was agreed, signed or sent before is followed to its end: it happens with us or without. Nothing else is begun by these.
  work_ticket: false,
  watch_leg: false,
  reserve_payout: true,
  price_payment: true,
  price_claim: true,
  pay_fee: true,
  sign_transfer: true,
  send_transfer: false,
  watch_transfer: false,
  check_settlement: false,
  // It plans a payment; what that needs is held back by itself.
  collect_again: false,
  open_adopted: false,
  adopt_drift: false,
  count_cold: false,
};

/**
 * Whether an instruction must not be carried out now. It is dropped: when the money is back, the order asks for everything
 * again. Bytes that live already may be outbid, for others wait behind them, and at most one of the two is ever mined.
 */
export const isHeldBack = (order: Pick<Order, 'funds'>, effect: Effect): boolean =>
  isHeld(order) && SPENDS[effect.effect] && !('replaces' in effect && effect.replaces !== undefined);

/** News that only a worker brings who had not heard of it yet. What the world did all the same is always taken. */
const DECISIONS: ReadonlySet<Fact['fact']> = new Set([
  'deposit_screened',
  'stock_reserved',
  'payout_reserved',
  'leg_placed',
  'payment_priced',
  'claim_priced',
  'fee_priced',
] satisfies readonly Fact['fact'][]);

export const isTooLate = (order: Pick<Order, 'funds'>, { fact }: Fact): boolean => isHeld(order) && DECISIONS.has(fact);
