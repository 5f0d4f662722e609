import { type Instant, instant } from '../../../kernel/clock.ts';
import type { Address } from '../../../kernel/ids.ts';
import type { Heads, OutOfReach, ScanCursor, ScanPage, Sighting, Watched } from '../../chains/chain.ts';
import type { TakenDeposit } from '../../chains/family.ts';
import type { Arrival, Desk } from './desk.ts';
import { UPDATES_PER_PAGE } from './history.ts';
import { FLOOD } from './paging.ts';
import { openPerpLook } from './perp-side.ts';
import { transferId } from './transfer-codec.ts';
import { dueBetween, type ListAccounts, stepsBetween, turnsBetween } from './watch.ts';

export interface Scanner {
  readonly desk: Desk;
  readonly accounts: ListAccounts;
  /** Of the venue's time: the most that one page covers. */
  readonly pageMs: number;
  /** Whose sends can be answered with a refund. */
  readonly isPayable: (address: Address) => boolean;
}

/** Accounts whose turn is reckoned by age; those behind them are walked through. */
const NEWEST = 200;
const EVERY_INDEX = Number.MAX_SAFE_INTEGER;
/** Questions under way at once. */
const AT_ONCE = 8;
/** The hot account trades, so its balance tells nothing and its history is asked for: at 20 a time, 120 a minute. */
const HOT_MS = 10_000;
/** A server of the venue may show a row a minute later than its time, and its clock be so much behind ours: now and then it is read again. */
const LAG_MS = 60_000 + 15 * 60_000;
const AGAIN_MS = 300_000;
/** An account with money in it is asked for its history once a minute for each page that this takes. */
const READING_KEEPS_MS = 60_000;

/**
 * The venue has no blocks that could be read: each account tells its own history. Height is the venue's time in
 * milliseconds, and a page looks at the accounts whose turn lies between the cursor and now. A look asks for balances,
 * and for the history only where there are some: nobody but us can take money out, so an empty account has no news, unless
 * our books are older than what we took out.
 */
export function openScan(scanner: Scanner): (cursor: ScanCursor | undefined, watched: Watched) => Promise<ScanPage> {
  const look = openLook(scanner.desk);
  const lookAtPerp = openPerpLook(scanner.desk);
  return async (cursor, watched) => {
    const now = scanner.desk.clock.now();
    if (!cursor) return pageOf({ height: now, recent: [] }, now, []);
    const from = cursor.height;
    const to = Math.max(from, Math.min(now, from + scanner.pageMs));
    const { due, recent } = await turns(scanner.accounts, cursor, to);
    const arrivals: Arrival[] = [];
    const outOfReach: OutOfReach[] = [];
    for (let start = 0; start < due.length; start += AT_ONCE) {
      const batch = due.slice(start, start + AT_ONCE);
      arrivals.push(...(await Promise.all(batch.map((account) => look(account, now)))).flat());
      outOfReach.push(...(await Promise.all(batch.map(({ address }) => lookAtPerp(address, now)))).flat());
    }
    const hot = await lookAtHot(scanner.desk, cursor, to, now);
    arrivals.push(...hot.arrivals);
    // What the venue dates later than our own clock waits until the clock is there.
    const settled = arrivals.filter(({ at }) => at <= now);
    const next = { height: to, recent: [...recent, { height: hot.at, hash: HOT }] };
    return { ...pageOf(next, now, await sightings(scanner, settled, watched)), outOfReach };
  };
}

function pageOf(cursor: ScanCursor, now: Instant, found: readonly Sighting[]): ScanPage {
  const tip = Math.max(now, cursor.height);
  const heads: Heads = { tip, safe: tip, finalized: tip };
  return { cursor, heads, rewoundTo: undefined, sightings: found, pool: [], more: cursor.height < tip };
}

/** What a cursor remembers beside its time: where the walk through the older accounts stands, and how far the hot account was read. */
const WALK = 'walk';
const HOT = 'hot';
const remembered = ({ recent }: ScanCursor, what: string): number | undefined =>
  recent.find(({ hash }) => hash === what)?.height;

async function turns(
  accounts: ListAccounts,
  cursor: ScanCursor,
  to: number,
): Promise<{ due: readonly TakenDeposit[]; recent: ScanCursor['recent'] }> {
  const { height } = cursor;
  const newest = await accounts(EVERY_INDEX, NEWEST);
  const due = dueBetween(newest, height, to);
  const lowest = newest.at(-1);
  const steps = stepsBetween(height, to);
  if (!lowest || newest.length < NEWEST || steps === 0)
    return { due, recent: cursor.recent.filter(({ hash }) => hash === WALK) };
  const walked = await accounts(Math.min(remembered(cursor, WALK) ?? lowest.index, lowest.index), steps);
  const next = walked.length < steps ? lowest.index : walked.at(-1)?.index;
  return { due: [...due, ...walked], recent: [{ height: next ?? lowest.index, hash: WALK }] };
}

/**
 * Anyone may write into the hot account's history for next to nothing: a look reads one page of it, and the next look goes on
 * where that ended. What is passed over there is told by whoever keeps its ledger.
 */
async function lookAtHot(
  desk: Desk,
  cursor: ScanCursor,
  to: number,
  now: Instant,
): Promise<{ readonly arrivals: readonly Arrival[]; readonly at: number }> {
  const from = cursor.height;
  const known = remembered(cursor, HOT);
  const since = known === undefined ? Math.max(0, from - (from % HOT_MS) - LAG_MS) : Math.min(known, from);
  if (turnsBetween(from, to, HOT_MS) === 0) return { arrivals: [], at: since };
  const { rows, next, isEnd } = await desk.arrivalPage(desk.hot, instant(since));
  const isAgain = isEnd && turnsBetween(from, to, AGAIN_MS) > 0;
  return { arrivals: rows, at: Math.min(next, isAgain ? now - LAG_MS : now) };
}

/**
 * Keeps readings only to ask less: a reading serves as long as the balances are as they were, but not for ever, since
 * the same sum may have left and come again.
 */
function openLook(desk: Desk): (account: TakenDeposit, now: Instant) => Promise<readonly Arrival[]> {
  const readings = new Map<Address, { held: string; at: Instant; arrivals: readonly Arrival[] }>();
  return async ({ address, wasEmptied }, now) => {
    const totals = (await desk.holdings(address)).map(({ total }) => total);
    if (!wasEmptied && totals.every((total) => total === 0n)) {
      readings.delete(address);
      return [];
    }
    const held = totals.join();
    const known = readings.get(address);
    const pages = Math.floor((known?.arrivals.length ?? 0) / UPDATES_PER_PAGE);
    const age = known ? now - known.at : 0;
    // A history of many pages rests even when the balance changes: dust from a stranger must not use up our questions.
    if (known && age < READING_KEEPS_MS * (known.held === held ? pages + 1 : pages)) return known.arrivals;
    const arrivals = await desk.arrivals(address, instant(0), { bound: FLOOD });
    readings.set(address, { held, at: now, arrivals });
    return arrivals;
  };
}

async function sightings(
  { desk, isPayable }: Scanner,
  arrivals: readonly Arrival[],
  watched: Watched,
): Promise<readonly Sighting[]> {
  if (arrivals.length === 0) return [];
  const ours = await watched([...new Set(arrivals.flatMap(({ to, from }) => [to, from]))]);
  const isOurs = (address: Address) => address === desk.hot || ours.has(address);
  return arrivals
    .filter(({ to }) => ours.has(to))
    .map((one) => ({
      key: one.key,
      address: one.to,
      asset: one.asset,
      atoms: one.atoms,
      // What we sent ourselves goes by the name that we gave it.
      txHash: isOurs(one.from) && one.nonce !== undefined ? transferId(one.from, one.nonce) : one.hash,
      block: { height: one.at, hash: one.hash },
      sender: isPayable(one.from) ? one.from : undefined,
    }));
}
