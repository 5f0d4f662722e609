import { CLOSE, type Guide } from './guide.ts';

/** About nodes that do not say the same. */
export const NODE_GUIDES: { readonly nodes_disagree: Guide<'nodes_disagree'> } = {
  nodes_disagree: {
    reason: ({ chain, about, first, second }) =>
      `the nodes of chain ${chain} disagree about ${about}: the first says ${first}, the second ${second}`,
    meaning:
      'One of two nodes is behind, forked, silent or lies. What they disagree about is neither credited nor taken for failed or dead; all else goes on.',
    urgency: 'now',
    actions: [
      'compare both with a third: tip, the block that is named, and its hash',
      'open the breaker chain:<id> if the first node is the wrong one: whatever is small is believed on its word alone',
      'repair the wrong node, or change its URL in the settings and restart the engine; when both agree it goes on and this closes by itself',
      CLOSE,
    ],
  },
};
