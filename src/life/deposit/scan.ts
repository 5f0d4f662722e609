import { type Instant, later } from '../../kernel/clock.ts';
import type { Address } from '../../kernel/ids.ts';
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
  /** Blocks that were read without their states. */
  readonly unlooked: readonly Span[];
}

const NOTHING_TOLD: Told = { judged: [], troubles: [], somethingLeft: false, next: undefined };

/**
 * Reads the next page of blocks and tells every order what the chain now shows of it. `after` is where the round before
 * ended: with more addresses than one round takes, all have their turn.
 */
export async function scanOnce(scanning: Scanning, now: Instant, after?: Address): Promise<Scanned> {
  const { chain, books, telling } = scanning;
  const { id, family, assets } = chain.facts;
  const cursor = await books.cursor(id);
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
    return { more: true, isQuiet: false, unlooked, ...NOTHING_TOLD };
  const told = await tellAll(scanning, page.heads, now, after);
  const isQuiet = told.judged.length + told.troubles.length === 0 && after === undefined;
  return { more: page.more, isQuiet, unlooked, ...told };
}

const start = (from: number | undefined): ScanCursor | undefined =>
  from === undefined ? undefined : { height: from, recent: [] };
