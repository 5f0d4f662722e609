import { behindReports, unlookedReports } from '../engine/node-reports.ts';
import { outOfReachReports } from '../engine/out-of-reach.ts';
import type { Next } from '../engine/rounds.ts';
import type { openSubmit } from '../engine/submit.ts';
import { unjudgedReports } from '../engine/unjudged.ts';
import type { Amount } from '../kernel/amount.ts';
import type { Clock } from '../kernel/clock.ts';
import type { ChainId, OrderId } from '../kernel/ids.ts';
import { type Scanned, scanOnce } from '../life/deposit/scan.ts';
import type { Scanning } from '../life/deposit/scanning.ts';
import { type Unclaimed, unclaimedPosting } from '../life/deposit/unclaimed.ts';
import { openUnsettled } from '../life/deposit/unsettled.ts';
import type { ownArrivals } from '../life/execution/own-arrivals.ts';
import type { Fact } from '../life/order/fact.ts';
import type { Rules } from '../life/order/rules.ts';
import type { KeptSighting } from '../life/order/sighting.ts';
import { move } from '../life/payment/posting.ts';
import type { EngineBooks } from './engine-books.ts';
import type { OpenChain } from './wiring/chains.ts';

/** A chain on which nothing is in motion is looked at more seldom: most chains, most of the time. */
const QUIET_PAUSES = 3;

export interface ScannerParts {
  readonly books: EngineBooks;
  readonly submit: ReturnType<typeof openSubmit>;
  readonly rules: Rules;
  readonly worth: Scanning['worth'];
  /** Credited money has left a chain: whoever takes back so much may be able to take back more. */
  onLeft(): Promise<void>;
  readonly clock: Clock;
  /** Milliseconds between two rounds where something is in motion. */
  readonly everyMs: number;
  /** Keeps what the house sent to itself from being a provider's delivery. */
  readonly keepOwn: ReturnType<typeof ownArrivals>;
  /** The chain whose own ledger tells what comes to the hot account. */
  readonly venueChain: ChainId;
}

/** One round of a chain's scanner. */
export function scanner({ chain, scanFrom }: OpenChain, parts: ScannerParts): () => Promise<Next> {
  const { submit, rules, worth, clock, everyMs, keepOwn, venueChain } = parts;
  const reports = { cases: parts.books.cases, clock, caseAfterMs: rules.caseAfterMs };
  const report = unjudgedReports(chain.facts.id, reports);
  const reportBehind = behindReports(chain.facts.id, reports);
  const reportUnlooked = unlookedReports(chain.facts.id, parts.books);
  const { sightings, payments, journal } = parts.books;
  const books = { ...sightings, ours: payments.ours };
  const telling = {
    outOfReach: outOfReachReports(chain.facts.id, submit),
    order: submit.find,
    tell: async (id: OrderId, key: string, fact: Fact, asOf: number) => {
      const told = await submit.submit(id, key, fact, { asOf });
      return told === 'taken' || told === 'outdated' ? told : 'known';
    },
    inflow: async (key: string, received: Amount, seen: KeptSighting) => {
      // What comes to the venue's account is taken over from its own ledger, with all else that happens there.
      if (chain.facts.id === venueChain) return;
      await keepOwn(chain.facts.id, seen);
      await submit.commitHouse({ key, postings: [move('world', 'treasury', received)] });
    },
    burn: journal.burn,
    unclaimed: async (found: Unclaimed) => {
      const { asset, atoms } = found.received;
      const { address, txHash } = found;
      await submit.commitHouse({
        key: `unclaimed:${chain.facts.id}:${found.key}`,
        postings: [unclaimedPosting(found, chain.facts.collectsTokens)],
        cases: [{ case: 'deposit_without_order', asset, atoms, address, txHash }],
      });
    },
  };
  const unsettled = openUnsettled();
  const scanning: Scanning = { chain, books, telling, rules, unsettled, worth, from: scanFrom };
  let last: Scanned | undefined;
  return async () => {
    const before = last;
    // Whatever becomes of this round, the one before it is over.
    last = undefined;
    const scanned = await scanOnce(scanning, clock.now(), before);
    const { more, isQuiet, cursor, tip } = scanned;
    if (cursor) {
      last = scanned;
      await reportBehind(more, cursor.height, tip);
    }
    await report(scanned);
    await reportUnlooked(scanned.unlooked);
    if (scanned.somethingLeft) await parts.onLeft();
    return !more && isQuiet ? { pauseMs: QUIET_PAUSES * everyMs } : more;
  };
}
