import { setTimeout as pause } from 'node:timers/promises';
import type { Next } from '../engine/rounds.ts';
import type { Submit } from '../engine/submit.ts';
import { amount } from '../kernel/amount.ts';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import { type AssetId, intentParts } from '../kernel/ids.ts';
import { remember } from '../kernel/remember.ts';
import { settingApart } from '../life/payment/earmark.ts';
import { moveEarmark } from '../life/payment/venue-move.ts';
import type { AdoptingBooks } from '../life/recovery/adopt.ts';
import { follow, judgeOnly } from '../life/recovery/follow.ts';
import type { SignerClient } from '../signer/client.ts';
import { AT_JOURNAL, EMPTY_JOURNAL } from '../signer/request.ts';
import type { Cases } from '../store/cases.ts';
import type { JournalBooks } from '../store/journal-books.ts';
import type { AppLog } from './log.ts';
import { patiently } from './patience.ts';

type HouseSubmit = Pick<Submit, 'openHouse' | 'commitHouse'>;

export interface JournalParts {
  readonly books: { readonly journal: JournalBooks; readonly cases: Cases };
  readonly submit: HouseSubmit;
  readonly signer: Pick<SignerClient, 'journal'>;
  readonly venueCoin: AssetId;
}

/** Whoever waits for a restore looks again this often. */
const LOOK_AGAIN_MS = 2_000;
const NOT_FOR_LONG_MS = 1_000;

/** What the database has, and how it takes up what it lacks. */
export const adoptingBooks = ({ journal, cases }: JournalParts['books'], submit: HouseSubmit): AdoptingBooks => ({
  adopt: async (bytes) => {
    const { payment, chainId: chain, txHash } = bytes;
    // Before they are taken up: after a crash in between, whoever knows them would not come back to this.
    if (await journal.isRefused(payment))
      await cases.raise(intentParts(payment).owner, { case: 'signed_after_refusal', payment, chain, txHash });
    await journal.adopt(bytes);
  },
  adoptMove: async (kind, asset, value, signed, at) => {
    await journal.adoptMove(kind, asset, value, signed, at);
    // Where the treasury lacks it the engine says so in every round, until it is there.
    await submit.commitHouse(settingApart(moveEarmark(kind, signed.nonce, amount(asset, value))));
  },
  keepNonce: journal.keepNonce,
  open: async (payment, attempt) => typeof (await submit.openHouse(payment, { attempt })) !== 'object',
  openLater: async (payment) => {
    const key = `open_adopted:${payment}`;
    await submit.commitHouse({ key, effects: [{ key, effect: { effect: 'open_adopted', payment } }] });
  },
});

/**
 * One look. Whatever it finds is left in the database, for the API and for a person. At its first one a process closes what another, which
 * ended in between, may have left open.
 */
async function look({ books, submit, signer, venueCoin }: JournalParts, isFirst = false): Promise<string | undefined> {
  const { journal, cases } = books;
  let unwritable: string | undefined;
  const why = await follow({
    books: { ...journal, ...adoptingBooks(books, submit) },
    journal: async (known) => {
      const page = await signer.journal(known);
      unwritable = page.unwritable;
      return page;
    },
    venueCoin,
  });
  const mark = await journal.mark();
  const note = () => journal.writable(mark ?? EMPTY_JOURNAL, unwritable);
  // The mark says what is still to be closed: it comes first and goes last, so that nothing stays open that nobody looks at any more.
  if (unwritable !== undefined) {
    if (mark?.unwritable !== unwritable) await note();
    await cases.raise('treasury', { case: 'journal_unwritable', reason: unwritable });
  } else {
    if (isFirst || mark?.unwritable !== undefined) await cases.over('treasury', { case: 'journal_unwritable' });
    if (mark?.unwritable !== undefined) await note();
  }
  if (why === undefined) {
    if (mark?.held === undefined) return undefined;
    await cases.over('treasury', { case: 'database_behind' });
    await journal.release();
    return undefined;
  }
  await journal.hold(mark ?? EMPTY_JOURNAL, why);
  await cases.raise('treasury', { case: 'database_behind', reason: why });
  return why;
}

/**
 * An engine does nothing at all before database and signer know the same past: on a database that was restored it would hand
 * out used addresses, count what it collected as income, and ask for payments that were made.
 */
export async function untilJournalAgrees(parts: JournalParts, log: AppLog): Promise<void> {
  let isFirst = true;
  for (let told: string | undefined; ; ) {
    const why = await patiently('journal', log, () => look(parts, isFirst));
    isFirst = false;
    if (why === undefined) return;
    if (why !== told) log.error({ why }, 'everything is held until `wherry restore` was run');
    told = why;
    await pause(LOOK_AGAIN_MS);
  }
}

/**
 * A signer that was started again signs nothing before it has seen how far the database knows its journal. Whoever meets that
 * shows it at once and asks again, rather than wait for the next round; so does who meets a journal that takes no line.
 */
export function comparing(signer: SignerClient, parts: JournalParts): SignerClient {
  const asked = <I, O>(sign: (input: I) => Promise<O>) => {
    return async (input: I): Promise<O> => {
      try {
        return await sign(input);
      } catch (error) {
        if (!(error instanceof Fault) || error.at !== AT_JOURNAL) throw error;
        await look(parts);
        return sign(input);
      }
    };
  };
  return {
    ...signer,
    signTransfer: asked(signer.signTransfer),
    signTrade: asked(signer.signTrade),
    signMove: asked(signer.signMove),
    split: asked(signer.split),
  };
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
  /** Why nothing may be asked of the desk; at most a second old. */
  held(): Promise<string | undefined>;
  /** Why nothing that is taken in could be paid out or given back; as old. */
  unwritable(): Promise<string | undefined>;
}

export async function watchJournal(
  journal: JournalBooks,
  signer: Pick<SignerClient, 'journal'>,
  clock: Clock,
): Promise<JournalWatch> {
  /** A mark that goes back shows that the database was put back while this process ran. */
  let highest = (await journal.mark())?.seq ?? 0;
  let atStart = await judgeOnly(journal, signer.journal);
  const mark = remember(journal.mark, NOT_FOR_LONG_MS, clock);

  return {
    async held() {
      const known = await mark();
      const seq = known?.seq ?? 0;
      if (seq < highest) return `the database knows ${seq} signatures, and has known ${highest}: it is from the past`;
      // An engine, or the restore, has moved it on since: they have judged for themselves.
      if (seq > highest && known?.held === undefined) atStart = undefined;
      highest = seq;
      return known?.held ?? atStart;
    },
    unwritable: async () => (await mark())?.unwritable,
  };
}
