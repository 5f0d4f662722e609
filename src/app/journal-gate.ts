import { setTimeout as pause } from 'node:timers/promises';
import type { Next } from '../engine/rounds.ts';
import type { Submit } from '../engine/submit.ts';
import type { AssetId } from '../kernel/ids.ts';
import type { AdoptingBooks } from '../life/recovery/adopt.ts';
import { follow, judgeOnly } from '../life/recovery/follow.ts';
import type { SignerClient } from '../signer/client.ts';
import { EMPTY_JOURNAL } from '../signer/request.ts';
import type { Cases } from '../store/cases.ts';
import type { JournalBooks } from '../store/journal-books.ts';
import type { AppLog } from './log.ts';
import { patiently } from './patience.ts';

export interface JournalParts {
  readonly books: { readonly journal: JournalBooks; readonly cases: Cases };
  readonly submit: Pick<Submit, 'openHouse'>;
  readonly signer: Pick<SignerClient, 'journal'>;
  readonly venueCoin: AssetId;
}

/** Whoever waits for a restore looks again this often. */
const LOOK_AGAIN_MS = 2_000;
const NOT_FOR_LONG_MS = 1_000;

/** What the database has, and how it takes up what it lacks. */
export const adoptingBooks = (journal: JournalBooks, submit: Pick<Submit, 'openHouse'>): AdoptingBooks => ({
  adopt: journal.adopt,
  adoptMove: journal.adoptMove,
  keepNonce: journal.keepNonce,
  open: async (payment, attempt) => typeof (await submit.openHouse(payment, { attempt })) !== 'object',
});

/** One look. Whatever it finds is left in the database, for the API and for a person. */
async function look({ books, submit, signer, venueCoin }: JournalParts): Promise<string | undefined> {
  const { journal, cases } = books;
  const why = await follow({
    books: { ...journal, ...adoptingBooks(journal, submit) },
    journal: signer.journal,
    venueCoin,
  });
  if (why === undefined) {
    await journal.release();
    await cases.over('treasury', { case: 'database_behind' });
    return undefined;
  }
  await journal.hold((await journal.mark()) ?? EMPTY_JOURNAL, why);
  await cases.raise('treasury', { case: 'database_behind', reason: why });
  return why;
}

/**
 * An engine does nothing at all before database and signer know the same past: on a database that was restored it would hand
 * out used addresses, count what it collected as income, and ask for payments that were made.
 */
export async function untilJournalAgrees(parts: JournalParts, log: AppLog): Promise<void> {
  for (let told: string | undefined; ; ) {
    const why = await patiently('journal', log, () => look(parts));
    if (why === undefined) return;
    if (why !== told) log.error({ why }, 'everything is held until `wherry restore` was run');
    told = why;
    await pause(LOOK_AGAIN_MS);
  }
}

/** A database may be put back under a running engine, too: then it ends, and its successor waits. */
export const journalRound =
  (parts: JournalParts, onBehind: () => void): (() => Promise<Next>) =>
  async () => {
    if ((await look(parts)) !== undefined) onBehind();
    return false;
  };

/** What a process that takes orders must know: it writes nothing, and asks the signer only when it starts. */
export interface JournalWatch {
  /** Why no order may be taken; at most a second old. */
  held(): Promise<string | undefined>;
}

export async function watchJournal(
  journal: JournalBooks,
  signer: Pick<SignerClient, 'journal'>,
  now: () => number,
): Promise<JournalWatch> {
  /** A mark that goes back shows that the database was put back while this process ran. */
  let highest = (await journal.mark())?.seq ?? 0;
  let atStart = await judgeOnly(journal, signer.journal);
  let kept: { readonly at: number; readonly held: Promise<string | undefined> } | undefined;

  async function read(): Promise<string | undefined> {
    const mark = await journal.mark();
    const seq = mark?.seq ?? 0;
    if (seq < highest) return `the database knows ${seq} signatures, and has known ${highest}: it is from the past`;
    // An engine, or the restore, has moved it on since: they have judged for themselves.
    if (seq > highest && mark?.held === undefined) atStart = undefined;
    highest = seq;
    return mark?.held ?? atStart;
  }

  return {
    held() {
      const at = now();
      if (!kept || at - kept.at >= NOT_FOR_LONG_MS) kept = { at, held: read() };
      return kept.held;
    },
  };
}
