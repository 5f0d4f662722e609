import { isWaiting } from '../machine/claim.ts';
import type { Claim, Order } from '../order.ts';
import { IS_FINAL, type Phase } from '../state.ts';

const isGoingBack = ({ stage }: Claim): boolean => stage === 'pricing' || stage === 'paying';

/** Complete by type: whether the order moves without its customer's doing. How long a customer takes is theirs to say. */
const IS_OUR_TURN: Readonly<Record<Phase, boolean | ((order: Order) => boolean)>> = {
  awaiting_deposit: false,
  confirming: true,
  below_minimum: false,
  screening: true,
  collecting: true,
  stocking: true,
  trading: true,
  placing: true,
  swapping: true,
  provider_failed: true,
  payout_due: true,
  paying: true,
  payout_refused: false,
  // Until there is an address to send it to, its customer is waited for.
  refunding: ({ claims }) => claims.some(isGoingBack),
  completed: false,
  refunded: false,
  expired: false,
  failed: false,
};

export function isOurTurn(order: Order): boolean {
  const turn = IS_OUR_TURN[order.state.phase];
  return typeof turn === 'function' ? turn(order) : turn;
}

/** Nothing more will happen by itself, or by the customer's word: the outcome stands, and nothing beside it waits or goes back. */
export const isOver = ({ state, claims }: Order): boolean =>
  IS_FINAL[state.phase] && claims.every((claim) => !isWaiting(claim) && !isGoingBack(claim));
