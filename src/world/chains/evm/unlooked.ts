import { Fault } from '../../../kernel/fault.ts';
import type { Address, ChainId } from '../../../kernel/ids.ts';
import { SCAN_BLOCKS_PER_PAGE } from '../../../kernel/limits.ts';
import type { Span } from '../../../kernel/span.ts';
import type { ChainFacts, Expecting, Sighting } from '../chain.ts';
import { blockAt } from '../following.ts';
import { coinMovements, inParallel } from './coins.ts';
import { type CountedBlock, innerSightings } from './inner.ts';
import type { EvmNode } from './node.ts';

/** Two that lie apart become one where there would be more: what is looked through again is found again, and is the same. */
const MOST_SPANS = 16;

/** What of them is still on the chain: blocks above that height are read again. */
export const spansBelow = (spans: readonly Span[], height: number): readonly Span[] =>
  spans.flatMap(({ after, to }) => (after < height ? [{ after, to: Math.min(to, height) }] : []));

/** The new one lies above all others. */
export function withSpan(spans: readonly Span[], next: Span): readonly Span[] {
  const last = spans.at(-1);
  const all =
    last && last.to >= next.after ? [...spans.slice(0, -1), { after: last.after, to: next.to }] : [...spans, next];
  const [first, second, ...others] = all;
  return first && second && all.length > MOST_SPANS ? [{ after: first.after, to: second.to }, ...others] : all;
}

interface LookedBack {
  readonly sightings: readonly Sighting[];
  readonly left: readonly Span[];
}

/**
 * Tries again where states were missing: another node may have been given to the desk since. Nothing that goes wrong here keeps new
 * blocks from being read.
 */
export async function lookBack(
  node: EvmNode,
  { facts: { id }, hotAddress }: { readonly facts: ChainFacts; readonly hotAddress: Address },
  spans: readonly Span[],
  expecting: Expecting,
): Promise<LookedBack> {
  const [span, ...others] = spans;
  if (!span) return { sightings: [], left: [] };
  const expected = await expecting();
  if (expected.length === 0) return { sightings: [], left: [] };
  const to = Math.min(span.to, span.after + SCAN_BLOCKS_PER_PAGE);
  try {
    const start = await blockAt(node, span.after);
    // Blocks would be read in vain where this one's state is gone.
    await node.coinBalances(expected.slice(0, 1), start.hash);
    const heights = Array.from({ length: to - span.after }, (_, index) => span.after + 1 + index);
    const blocks = await inParallel(heights, (height) => countedBlock(node, id, height, new Set(expected)));
    const sightings = await innerSightings(node, { id, hotAddress }, start, blocks, expected);
    return { sightings, left: to < span.to ? [{ after: to, to: span.to }, ...others] : others };
  } catch (error) {
    if (error instanceof Fault) return { sightings: [], left: spans };
    throw error;
  }
}

async function countedBlock(
  node: EvmNode,
  chain: ChainId,
  height: number,
  expected: ReadonlySet<Address>,
): Promise<CountedBlock> {
  const block = await node.block(height);
  if (!block) throw node.fault(`the node has no block ${height}`);
  const paying = block.transactions.filter(({ to }) => to && expected.has(to));
  return { block, coins: await coinMovements(node, chain, block, paying) };
}
