import type { Guide } from './guide.ts';

/** About what the desk has to serve orders from. */
export const STOCK_GUIDES: { readonly stock_low: Guide<'stock_low'> } = {
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
