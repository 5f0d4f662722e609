import { type Guide, LOOK } from './guide.ts';

/** About what the desk has to serve orders from. */
export const STOCK_GUIDES: { readonly [K in 'stock_low' | 'advance_not_collected']: Guide<K> } = {
  advance_not_collected: {
    reason: ({ reason }) => `the deposit of an order that went on from stock cannot be collected: ${reason}`,
    meaning:
      'The customer is served from the stock of the desk. The deposit is the desk’s since, and cannot be moved from its address, for instance because the token froze it.',
    urgency: 'today',
    actions: [
      LOOK,
      "ask the token's issuer",
      'when the money can be moved, POST /operator/cases/{id}/retry: it is collected for the desk, and the case closes by itself',
    ],
    calls: ['retry'],
  },
  stock_low: {
    reason: ({ asset, atoms, low, target }) =>
      `${atoms} atoms of ${asset} are free, below ${low}; ${target} are wanted`,
    meaning:
      'The desk runs low on something that orders are served from. Nobody waits yet; quotes grow smaller with it.',
    urgency: 'today',
    actions: [
      'send what is missing to the hot account of its chain, or to the venue account (GET /operator/ledger shows what lies where); this closes by itself',
      'where treasury.stock says fill, the desk buys it by itself within its limits: GET /operator/cases has provider_failed if that went wrong',
      'from a cold store, count it afterwards: PUT /operator/cold/{asset} { atoms, reason }',
      'if it will take long and the next order may be a large one, open the breaker orders',
    ],
  },
};
