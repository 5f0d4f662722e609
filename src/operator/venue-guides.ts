import { CLOSE, type Guide } from './guide.ts';

/** About the house's own account on the venue. */
export const VENUE_GUIDES: { readonly [K in 'venue_row_unexpected' | 'venue_move_unseen']: Guide<K> } = {
  venue_row_unexpected: {
    reason: ({ row }) => `the venue's ledger has a row nobody expected: ${row}`,
    meaning:
      'The venue account did something that the desk did not ask for, or so much came at one instant that the rest of it cannot be read. What others send to it is booked and is no such row.',
    urgency: 'now',
    actions: ["read the venue's ledger of the account", 'open the breaker venue if nobody knows what it was', CLOSE],
  },
  venue_move_unseen: {
    reason: ({ move, nonce }) => `${move} with nonce ${nonce} does not show`,
    meaning:
      'The venue has not shown a move of the treasury for an hour. It is posted again until the venue refuses its nonce, two days after it was made; then it is given up by itself, its money is free again and this closes. Until then nothing else is moved between the venue and the hot account.',
    urgency: 'today',
    actions: [
      "look for the nonce in the venue's ledger of the account",
      'POST /operator/cases/{id}/close { by, reason } gives the move up at once: its money is free again and rebalancing goes on. Should the venue carry it out after all, it comes to our own account and is booked when it shows',
    ],
  },
};
