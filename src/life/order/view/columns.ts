import type { VenueLeg } from '../../quote/quote.ts';
import type { Claim, Order } from '../order.ts';
import type { Phase } from '../state.ts';

/** What the database must know of an order without reading it. Complete by type: a new phase must say each. */
interface Columns {
  /** It moves without its customer's doing; how long a customer takes is theirs to say. */
  readonly isOurTurn: boolean | ((order: Order) => boolean);
  /** From the credit of the deposit to the end of the trade. */
  readonly isUntraded: boolean;
}

const THEIRS: Columns = { isOurTurn: false, isUntraded: false };
const OURS: Columns = { isOurTurn: true, isUntraded: false };
const OURS_TO_TRADE: Columns = { isOurTurn: true, isUntraded: true };

const isGoingBack = ({ stage }: Claim): boolean => stage === 'pricing' || stage === 'paying';

const COLUMNS: Readonly<Record<Phase, Columns>> = {
  awaiting_deposit: THEIRS,
  confirming: OURS,
  below_minimum: THEIRS,
  screening: OURS_TO_TRADE,
  collecting: OURS_TO_TRADE,
  stocking: OURS_TO_TRADE,
  trading: OURS_TO_TRADE,
  placing: OURS_TO_TRADE,
  swapping: OURS_TO_TRADE,
  provider_failed: OURS_TO_TRADE,
  payout_due: OURS,
  paying: OURS,
  payout_refused: THEIRS,
  // The customer is waited for until there is an address to send it to.
  refunding: { isOurTurn: ({ claims }) => claims.some(isGoingBack), isUntraded: false },
  completed: THEIRS,
  refunded: THEIRS,
  expired: THEIRS,
  failed: THEIRS,
};

export function isOurTurn(order: Order): boolean {
  const { isOurTurn: turn } = COLUMNS[order.state.phase];
  return typeof turn === 'function' ? turn(order) : turn;
}

/** What it has still to do on the venue's book. */
export function untradedSide({ state, route }: Order): VenueLeg['side'] | undefined {
  if (!COLUMNS[state.phase].isUntraded) return undefined;
  return route.legs.find((leg): leg is VenueLeg => leg.leg === 'venue')?.side;
}
