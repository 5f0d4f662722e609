import type { VenueLeg } from '../../quote/quote.ts';
import type { Order } from '../order.ts';
import type { Phase } from '../state.ts';

/** How far an order that is traded on the venue's book can be with that. */
type TradeStage =
  /** Nothing was credited yet. */
  | 'unpaid'
  | 'ahead'
  | 'under_way'
  | 'over'
  /** What had not begun never will. */
  | 'called_off'
  | 'never_begun';

/** Complete by type. */
const TRADE_STAGE: Readonly<Record<Phase, TradeStage>> = {
  awaiting_deposit: 'unpaid',
  confirming: 'unpaid',
  below_minimum: 'unpaid',
  screening: 'ahead',
  collecting: 'ahead',
  stocking: 'under_way',
  trading: 'under_way',
  placing: 'under_way',
  swapping: 'under_way',
  provider_failed: 'under_way',
  payout_due: 'over',
  paying: 'over',
  payout_refused: 'over',
  refunding: 'called_off',
  completed: 'over',
  refunded: 'called_off',
  expired: 'never_begun',
  failed: 'called_off',
};

const stageOf = ({ state }: Order): TradeStage => TRADE_STAGE[state.phase];

/** A trade that had not begun by now never will. */
export const hasEnded = (order: Order): boolean => stageOf(order) === 'called_off' || stageOf(order) === 'never_begun';

/** What a paid order has still to do on the book. */
export const untradedSide = (order: Order): VenueLeg['side'] | undefined =>
  stageOf(order) === 'ahead' || stageOf(order) === 'under_way' ? venueLegIn(order)?.side : undefined;

/** Something may have been traded for it. */
export const mayHaveFills = (order: Order): boolean => {
  const stage = stageOf(order);
  return venueLegIn(order) !== undefined && (stage === 'under_way' || stage === 'over' || stage === 'called_off');
};

export const venueLegIn = ({ route }: Pick<Order, 'route'>): VenueLeg | undefined =>
  route.legs.find((one) => one.leg === 'venue');
