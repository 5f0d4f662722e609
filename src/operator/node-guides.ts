import { CLOSE, type Guide } from './guide.ts';

/** About nodes that do not say the same, or not all. */
export const NODE_GUIDES: { readonly [K in 'nodes_disagree' | 'states_missing' | 'scanner_behind']: Guide<K> } = {
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
  scanner_behind: {
    reason: ({ chain, at, tip }) =>
      `the desk had read chain ${chain} up to block ${at} of ${tip}, and has not come to the end for a minute`,
    meaning:
      'The desk reads what it missed while it was down, or the node answers more slowly than the chain makes blocks. What was paid in the blocks that are left is not seen yet, and counts by the time at which it is seen: where an order ends meanwhile, it is late and goes back.',
    urgency: 'today',
    actions: [
      'wait, if the desk was down: compare wherry_outbound_call_seconds of the chain with its blocks; this closes by itself at the tip',
      'name a faster node in the settings and restart the engine, if it falls further behind',
      'open the breaker chain:<id> if it will take long: nobody is sent there meanwhile',
    ],
  },
  states_missing: {
    reason: ({ chain, first, last }) =>
      `the node of chain ${chain} has not kept the states of blocks ${first} to ${last}, which the desk read late`,
    meaning:
      'Deposits of coins and tokens in these blocks were found as ever. Coins that a contract sent within another call show in nothing but a balance, and were not looked for there; a deposit address that holds some shows as drift.',
    urgency: 'today',
    actions: [
      'name a node that keeps all states (an archive node) in the settings for a while and restart the engine: it looks through the blocks by itself, and this closes',
      CLOSE,
    ],
  },
};
