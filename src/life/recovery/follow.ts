import { EMPTY_JOURNAL, type JournalMark, type JournalPage, type JournalRequest } from '../../signer/request.ts';
import { type AdoptingParts, adopt } from './adopt.ts';
import { isBehind, type KnownBooks, type Matched, match, nameOf } from './match.ts';

/** How far the database knows the journal. */
export interface MarkBooks {
  mark(): Promise<JournalMark | undefined>;
  /** The newest bytes that were saved: the journal has them, or it was shortened since the mark was taken. */
  newest(): Promise<NonNullable<JournalRequest['saved']>>;
  /** From where it stood; whoever looked at an older picture changes nothing. */
  move(from: JournalMark, to: JournalMark): Promise<void>;
}

/** PORT of the signer's journal. */
export type ReadJournal = (known: JournalRequest) => Promise<JournalPage>;

export interface Following extends AdoptingParts {
  readonly books: AdoptingParts['books'] & KnownBooks & MarkBooks;
  readonly journal: ReadJournal;
}

/** undefined: database and journal know the same; otherwise why nothing may be signed. */
export type Disagreement = string | undefined;

/**
 * Takes over what the signer has signed since the last look. Bytes that a crash kept from being saved are saved now; anything
 * else that the database does not know shows that it is from the past.
 */
export async function follow({ books, journal, ...parts }: Following): Promise<Disagreement> {
  for (;;) {
    const mark = (await books.mark()) ?? EMPTY_JOURNAL;
    const next = await pageAfter(mark, books, journal);
    if (typeof next !== 'object') return next;
    for (const one of next.matched) if (one.standing === 'unsaved') await adopt({ ...parts, books }, one);
    await books.move(mark, next.to);
  }
}

type JudgingBooks = KnownBooks & Pick<MarkBooks, 'mark' | 'newest'>;

/** The same judgement for those who may not write: they look through all that is new each time. */
export async function judgeOnly(books: JudgingBooks, journal: ReadJournal): Promise<Disagreement> {
  let known: JournalMark = (await books.mark()) ?? EMPTY_JOURNAL;
  for (;;) {
    const next = await pageAfter(known, books, journal);
    if (typeof next !== 'object') return next;
    known = next.to;
  }
}

/** What was signed after that; undefined where it is nothing, a text where the database does not know what it should. */
async function pageAfter(mark: JournalMark, books: JudgingBooks, journal: ReadJournal) {
  const { isKnown, lines, head } = await journal({ ...mark, saved: await books.newest() });
  const last = lines.at(-1);
  if (!isKnown) return shortened(mark, head);
  if (!last) return undefined;
  const matched = await match(books, lines);
  const behind = matched.filter(isBehind);
  if (behind.length > 0) return fromThePast(behind, mark, head);
  return { matched, to: { seq: last.seq, hash: last.hash } };
}

const SHOWN = 3;

function fromThePast(behind: readonly Matched[], mark: JournalMark, head: JournalMark): string {
  const names = behind.slice(0, SHOWN).map(({ line }) => nameOf(line.entry));
  return `the signer has signed ${names.join(', ')}, and this database does not know it: it is from the past (it knows ${mark.seq} of ${head.seq} signatures)`;
}

const shortened = (mark: JournalMark, head: JournalMark): string =>
  `this database knows signature ${mark.seq} and the bytes that were saved since, and the signer's journal of ${head.seq} does not have them: the journal is from the past, or another one`;
