import { type Amount, add, atLeast, isZero, scale } from '../../kernel/amount.ts';
import { ratio } from '../../kernel/ratio.ts';

/** More chunks than this would take hours; the chunk grows instead. */
const MOST_CHUNKS = 1_000n;

/** The chunk that works `total` in a bearable number of steps. */
export function boundedChunk(total: Amount, wanted: Amount): Amount {
  const least = scale(total, ratio(1n, MOST_CHUNKS), 'up');
  return atLeast(wanted, least) ? wanted : least;
}

/** A last chunk under a tenth of the others joins the one before it: the venue would refuse it. */
export function nextChunk(left: Amount, each: Amount): Amount {
  const withTail = add(each, scale(each, ratio(1n, 10n), 'down'));
  return atLeast(left, withTail) ? each : left;
}

/** How often `nextChunk` is asked until nothing is left. */
export function countChunks(total: Amount, each: Amount): number {
  if (isZero(each)) return 1;
  const before = (total.atoms - each.atoms / 10n) / each.atoms;
  return Number(before) + 1;
}
