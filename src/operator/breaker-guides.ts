import type { Guide } from './guide.ts';

/** About breakers that the desk has opened by itself. */
export const BREAKER_GUIDES: { readonly breaker_tripped: Guide<'breaker_tripped'> } = {
  breaker_tripped: {
    reason: ({ trip, scope, reason }) => `the desk itself holds the breaker ${scope} open (${trip}): ${reason}`,
    meaning:
      'The desk has stopped something before a person could. What is owed stays owed; nothing closes the breaker but a person.',
    urgency: 'now',
    actions: [
      'read GET /operator/breakers: who opened it, when, and the figures it went by',
      'find out why: the cases, GET /operator/ledger and GET /operator/solvency say what is missing, failing or lost',
      'if more may be wrong than that, open payouts as well: it holds refunds, too',
      'PUT /operator/breakers/{scope} { "open": false, "reason": "…" } when it is dealt with: everything goes on where it stood, and this closes by itself',
      'the same old figures do not open it again; what comes on top of them does',
    ],
  },
};
