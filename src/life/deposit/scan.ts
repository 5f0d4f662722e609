import { type Instant, later } from '../../kernel/clock.ts';
import type { Span } from '../../kernel/span.ts';
import type { Expecting, ScanCursor, Watched } from '../../world/chains/chain.ts';
import { withoutCrowds } from './crowd.ts';
import type { Scanning } from './scanning.ts';
import { type Told, tellAll } from './tell.ts';

/** Addresses whose balance is compared: eight calls a page at most, where there are so many. */
const ADDRESSES_EXPECTED = 2_000;
/** Whoever pays an order later than this after it was made does so by a plain transfer, or asks. */
const LATE_MS = 30 * 24 * 60 * 60 * 1000;

export interface Scanned extends Told {
  readonly more: boolean;
  /** Nothing that was seen is still to become final. */
  readonly isQuiet: boolean;
  /** What is saved now; undefined where another scanner has moved it. */
  readonly cursor: ScanCursor | undefined;
  /** The chain's newest block when this round began. */
  readonly tip: number;
  /** Blocks that were read without their states. */
  readonly unlooked: readonly Span[];
}

const NOTHING_TOLD: Told = { judged: [], troubles: [], somethingLeft: false, next: undefined };

/**
 * Reads the next page of blocks and tells every order what the chain now shows of it. `before` is what the round before came to, where
 * it came to its end: this one goes on from there. With more addresses than one round takes, all have their turn.
 */
export async function scanOnce(scanning: Scanning, now: Instant, before?: Scanned): Promise<Scanned> {
  const { chain, books, telling } = scanning;
  const { id, family, assets } = chain.facts;
  const cursor = before?.cursor ?? (await books.cursor(id));
  const watched: Watched = async (candidates) => {
    const ours = await books.watched(family, candidates);
    return candidates.includes(chain.hotAddress) ? new Set([...ours, chain.hotAddress]) : ours;
  };
  const coin = assets.find(({ native }) => native)?.id;
  const expecting: Expecting = async () =>
    coin ? books.expecting(coin, chain.hotAddress, later(now, -LATE_MS), ADDRESSES_EXPECTED) : [];
  const page = await withoutCrowds(scanning, await chain.scan(cursor ?? start(scanning.from), watched, expecting));
  const { unlooked = [] } = page.cursor;
  // Before the page is saved: what is in its blocks is not read again.
  if (page.outOfReach) await telling.outOfReach(page.outOfReach);
  if (!(await books.savePage(id, family, cursor, page, now)))
    return { more: true, isQuiet: false, cursor: undefined, tip: page.heads.tip, unlooked, ...NOTHING_TOLD };
  const told = await tellAll(scanning, page.heads, now, before?.next);
  const isQuiet = told.judged.length + told.troubles.length === 0 && before?.next === undefined;
  return { more: page.more, isQuiet, cursor: page.cursor, tip: page.heads.tip, unlooked, ...told };
}

const start = (from: number | undefined): ScanCursor | undefined =>
  from === undefined ? undefined : { height: from, recent: [] };
