import { type Clock, type Instant, instant } from '../../../kernel/clock.ts';
import type { Address } from '../../../kernel/ids.ts';
import type { Ask } from './ask.ts';
import { type RawUpdate, readUpdate } from './ledger.ts';
import { type Bound, type Page, readAll, readPage } from './paging.ts';
import { list } from './reply.ts';
import { readSpotMeta, type Token } from './tokens.ts';

export const UPDATES_PER_PAGE = 500;
/** How far the venue's clock and ours may differ when we ask which of two readings is newer. */
const CLOCK_SKEW_MS = 60_000;

/** The history of an account from `since` to its end, or until an instant that is included. */
export type ReadHistory = (user: Address, since: Instant, limit?: HistoryLimit) => Promise<readonly RawUpdate[]>;

export interface HistoryLimit {
  readonly until?: Instant;
  readonly bound?: Bound;
}

export function historyReader(ask: Ask): ReadHistory {
  return (user, since, { until, bound } = {}) =>
    readAll('ledger', since, UPDATES_PER_PAGE, asking(ask, user, until), bound);
}

/** The same by single pages. */
export type ReadHistoryPage = (user: Address, since: Instant, until?: Instant) => Promise<Page<RawUpdate>>;

export const historyPageReader =
  (ask: Ask): ReadHistoryPage =>
  (user, since, until) =>
    readPage(since, UPDATES_PER_PAGE, asking(ask, user, until));

const asking = (ask: Ask, user: Address, until: Instant | undefined) => async (from: Instant) => {
  const request = { type: 'userNonFundingLedgerUpdates', user: user.toLowerCase(), startTime: from };
  return list(await ask(until === undefined ? request : { ...request, endTime: until }), 'ledger').map(readUpdate);
};

/** Names are understood by a list of tokens that is newer than what is read, so that a later namesake is noticed. */
export function tokenList(ask: Ask, clock: Clock): (newerThan: Instant) => Promise<readonly Token[]> {
  let known: { readonly tokens: readonly Token[]; readonly at: Instant } | undefined;
  return async (newerThan) => {
    if (known && known.at > newerThan + CLOCK_SKEW_MS) return known.tokens;
    const at = instant(clock.now());
    known = { tokens: (await readSpotMeta(ask)).tokens, at };
    return known.tokens;
  };
}
