import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { assert } from '../kernel/assert.ts';
import { type Instant, instant } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import { keyedHash, type Secret } from '../kernel/secret.ts';
import { entryShape } from './journal-wire.ts';
import {
  AT_JOURNAL,
  EMPTY_JOURNAL,
  type Entry,
  type JournalLine,
  type JournalMark,
  type JournalPage,
} from './request.ts';
import { Malformed } from './shape.ts';
import { toWire } from './wire.ts';

/** Where a line lies in the file: artefacts are read back from there, so that memory holds only what policy needs. */
export interface Place {
  readonly offset: number;
  readonly bytes: number;
}

export type Witness = (entry: Entry, at: Instant, place: Place) => void;

/** Append-only. `append` returns once the line is on the disk; only then may the bytes leave the process. */
export interface Journal {
  /** Throws a transient `Fault` where the line is not on the disk: then it is nowhere. */
  append(entry: Entry, at: Instant): void;
  /** Why nothing can be written down at this moment, so that nothing may be signed. Looks each time, and mends what it can. */
  unwritable(): string | undefined;
  read(place: Place): JournalLine;
  /** What was written after a line that the asker knows. */
  since(known: JournalMark): JournalPage;
  /** Once is enough. */
  close(): void;
}

const READ_BYTES = 1 << 20;
/** The largest, a confidential payment with many inputs, comes to some hundred kilobytes. */
const MAX_LINE_BYTES = 8 << 20;
const NEWLINE = 0x0a;
/** One page is read into memory and answered as one reply. */
const PAGE_LINES = 200;
const PAGE_BYTES = 4 << 20;
/** With less than two of the largest lines left, the disk counts as full: nothing is signed that could not be kept. */
const ROOM_BYTES = 2 * MAX_LINE_BYTES;
/** So much is written and taken away again, to see whether a disk that refused a line takes one now. */
const TRIAL_BYTES = 1 << 16;
/** The first line of a journal. The chain of hashes begins with its hash, so that no line of another journal follows it. */
const FIRST_LINE = /^\{"hash":"([0-9a-f]{64})",("begun":(\d{1,15})\})$/;
/** A line is `{"hash":"<64 hex>",<rest>`; the hash covers the hash before it and the rest, byte for byte. */
const LINE = /^\{"hash":"([0-9a-f]{64})",("seq":(\d{1,15}),"at":(\d{1,15}),"entry":(\{.*\})\})$/;

/**
 * Begins a journal. Only a person may ask for it: a journal that was emptied looks like one that never was, and a signer that
 * took it for new would sign again what it has signed, with limits that begin at nothing.
 */
export function beginJournal(path: string, key: Secret<Uint8Array>, at: Instant): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    const rest = `"begun":${at}}`;
    writeSync(file, `{"hash":"${firstHash(key, rest)}",${rest}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  syncFolder(path);
}

const firstHash = (key: Secret<Uint8Array>, rest: string): string => keyedHash(key, 'journal begun', rest);

/** A signer that is to run needs a journal that somebody began. */
export function expectBegun(path: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  throw new Fault(
    'permanent',
    AT_JOURNAL,
    `${path} is missing or empty: put the newest copy of the journal there; only a signer that never signed, or whose payments are all settled, may begin a new one (wherry journal new)`,
  );
}

interface Tail {
  readonly hash: string;
  readonly seq: number;
  readonly size: number;
}

/** Shows every entry of the past to `witness`, then again each new one. Refuses a journal that is not the one we wrote. */
export function openJournal(path: string, key: Secret<Uint8Array>, witness: Witness): Journal {
  const file = openSync(path, 'a+', 0o600);
  try {
    /** Where each line begins. */
    const begins: number[] = [];
    let tail = replay(file, key, (entry, at, place) => {
      begins.push(place.offset);
      witness(entry, at, place);
    });
    syncFolder(path);
    let isOpen = true;
    /** Why the last line could not be kept. Until the disk takes one again, the file may end with a part of it. */
    let refused: string | undefined;
    const mend = (): void => {
      if (refused === undefined) return;
      try {
        ftruncateSync(file, tail.size);
        try {
          writeWhole(file, Buffer.alloc(TRIAL_BYTES, ' '));
        } finally {
          ftruncateSync(file, tail.size);
        }
        fsyncSync(file);
        refused = undefined;
      } catch (error) {
        refused = wordsOf(error);
      }
    };
    const unwritable = (): string | undefined => {
      mend();
      if (refused !== undefined) return noLine(refused).message;
      const { bavail, bsize } = statfsSync(path);
      const left = bavail * bsize;
      return left < ROOM_BYTES ? `the disk of the journal has ${left} bytes left` : undefined;
    };
    const read = (place: Place): JournalLine => readLine(readAt(file, place).toString('utf8').trimEnd(), place.offset);
    const lineAt = (seq: number): Place => {
      const offset = begins[seq - 1] ?? tail.size;
      return { offset, bytes: (begins[seq] ?? tail.size) - offset };
    };
    return {
      append(entry, at) {
        const line = write(key, tail, entry, at);
        mend();
        if (refused !== undefined) throw noLine(refused);
        assert(fstatSync(file).size === tail.size, 'somebody else writes to the journal');
        try {
          writeWhole(file, Buffer.from(line.text));
        } catch (error) {
          refused = wordsOf(error);
          mend();
          throw noLine(wordsOf(error));
        }
        const place = { offset: tail.size, bytes: line.bytes };
        tail = { hash: line.hash, seq: tail.seq + 1, size: tail.size + line.bytes };
        begins.push(place.offset);
        witness(entry, at, place);
      },
      unwritable,
      read,
      since(known) {
        const head = { seq: tail.seq, hash: tail.hash };
        const isKnown =
          known.seq <= tail.seq && (known.seq === 0 ? EMPTY_JOURNAL.hash : read(lineAt(known.seq)).hash) === known.hash;
        const lines: JournalLine[] = [];
        let bytes = 0;
        for (let seq = known.seq + 1; isKnown && seq <= tail.seq && lines.length < PAGE_LINES; seq += 1) {
          const place = lineAt(seq);
          bytes += place.bytes;
          // The first is answered however long it is, so that whoever asks gets on.
          if (lines.length > 0 && bytes > PAGE_BYTES) break;
          lines.push(read(place));
        }
        const why = unwritable();
        return { isKnown, head, lines, ...(why === undefined ? {} : { unwritable: why }) };
      },
      close() {
        if (isOpen) closeSync(file);
        isOpen = false;
      },
    };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function write(key: Secret<Uint8Array>, tail: Tail, entry: Entry, at: Instant) {
  const rest = `"seq":${tail.seq + 1},"at":${at},"entry":${toWire(entry)}}`;
  const hash = keyedHash(key, 'journal', tail.hash, rest);
  const text = `{"hash":"${hash}",${rest}\n`;
  return { hash, text, bytes: Buffer.byteLength(text) };
}

/** On the disk, or an error: a part of a line is none. */
function writeWhole(file: number, bytes: Buffer): void {
  const taken = writeSync(file, bytes);
  if (taken !== bytes.length) throw new Error(`${taken} of ${bytes.length} bytes`);
  fsyncSync(file);
}

const noLine = (why: string): Fault => new Fault('transient', AT_JOURNAL, `the journal takes no line (${why})`);

const wordsOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? (error as Error).message;

function replay(file: number, key: Secret<Uint8Array>, witness: Witness): Tail {
  let tail: Tail = { ...EMPTY_JOURNAL, size: 0 };
  let rest: Buffer = Buffer.alloc(0);
  for (;;) {
    const chunk = readAt(file, { offset: tail.size + rest.length, bytes: READ_BYTES });
    if (chunk.length === 0) break;
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      tail = accept(rest.toString('utf8', 0, end), key, tail, witness);
      rest = rest.subarray(end + 1);
    }
    if (rest.length > MAX_LINE_BYTES) throw broken(tail.size, 'a line without an end');
  }
  // A line without its newline was cut off by a crash before anybody saw its bytes: it may be forgotten.
  if (rest.length > 0) {
    ftruncateSync(file, tail.size);
    fsyncSync(file);
  }
  return tail;
}

function accept(line: string, key: Secret<Uint8Array>, tail: Tail, witness: Witness): Tail {
  const [, first, begun = ''] = tail.size === 0 ? (FIRST_LINE.exec(line) ?? []) : [];
  if (first !== undefined) {
    if (firstHash(key, begun) !== first) throw broken(0, 'it was begun by somebody else');
    return { hash: first, seq: 0, size: Buffer.byteLength(line) + 1 };
  }
  const [, hash, rest, seq, at, entry] = LINE.exec(line) ?? [];
  if (!hash || !rest || !entry) throw broken(tail.size, 'not a journal line');
  if (keyedHash(key, 'journal', tail.hash, rest) !== hash) throw broken(tail.size, 'the chain of hashes is broken');
  if (Number(seq) !== tail.seq + 1) throw broken(tail.size, 'a line is missing');
  const bytes = Buffer.byteLength(line) + 1;
  witness(readEntry(entry, tail.size), instant(Number(at)), { offset: tail.size, bytes });
  return { hash, seq: tail.seq + 1, size: tail.size + bytes };
}

const broken = (offset: number, why: string): Fault =>
  new Fault('permanent', AT_JOURNAL, `the journal cannot be trusted at byte ${offset}: ${why}`);

function readLine(line: string, offset: number): JournalLine {
  const [, hash = '', , seq, at, entry = ''] = LINE.exec(line) ?? [];
  return { seq: Number(seq), hash, at: instant(Number(at)), entry: readEntry(entry, offset) };
}

function readEntry(text: string, offset: number): Entry {
  const entry = entryShape(JSON.parse(text));
  if (entry instanceof Malformed) throw broken(offset, `not a shape we know: ${entry.field}`);
  return entry;
}

function readAt(file: number, place: Place): Buffer {
  const buffer = Buffer.alloc(place.bytes);
  return buffer.subarray(0, readSync(file, buffer, 0, place.bytes, place.offset));
}

/** The journal's own name must survive a power cut, too. */
function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
