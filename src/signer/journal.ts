import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { assert } from '../kernel/assert.ts';
import { type Instant, instant } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import { keyedHash, type Secret } from '../kernel/secret.ts';
import { entryShape } from './journal-wire.ts';
import { EMPTY_JOURNAL, type Entry, type JournalLine, type JournalMark, type JournalPage } from './request.ts';
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
  append(entry: Entry, at: Instant): void;
  read(place: Place): JournalLine;
  /** What was written after a line that the asker knows. */
  since(known: JournalMark): JournalPage;
  close(): void;
}

const AT = 'signer:journal';
const READ_BYTES = 1 << 20;
/** The largest, a confidential payment with many inputs, comes to some hundred kilobytes. */
const MAX_LINE_BYTES = 8 << 20;
const NEWLINE = 0x0a;
/** One page is read into memory and answered as one reply. */
const PAGE_LINES = 200;
const PAGE_BYTES = 4 << 20;
/** A line is `{"hash":"<64 hex>",<rest>`; the hash covers the hash before it and the rest, byte for byte. */
const LINE = /^\{"hash":"([0-9a-f]{64})",("seq":(\d{1,15}),"at":(\d{1,15}),"entry":(\{.*\})\})$/;

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
    const read = (place: Place): JournalLine => readLine(readAt(file, place).toString('utf8').trimEnd(), place.offset);
    const lineAt = (seq: number): Place => {
      const offset = begins[seq - 1] ?? tail.size;
      return { offset, bytes: (begins[seq] ?? tail.size) - offset };
    };
    return {
      append(entry, at) {
        const line = write(key, tail, entry, at);
        assert(fstatSync(file).size === tail.size, 'somebody else writes to the journal');
        assert(writeSync(file, line.text) === line.bytes, 'the journal took only a part of a line');
        fsyncSync(file);
        const place = { offset: tail.size, bytes: line.bytes };
        tail = { hash: line.hash, seq: tail.seq + 1, size: tail.size + line.bytes };
        begins.push(place.offset);
        witness(entry, at, place);
      },
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
        return { isKnown, head, lines };
      },
      close: () => closeSync(file),
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
  const [, hash, rest, seq, at, entry] = LINE.exec(line) ?? [];
  if (!hash || !rest || !entry) throw broken(tail.size, 'not a journal line');
  if (keyedHash(key, 'journal', tail.hash, rest) !== hash) throw broken(tail.size, 'the chain of hashes is broken');
  if (Number(seq) !== tail.seq + 1) throw broken(tail.size, 'a line is missing');
  const bytes = Buffer.byteLength(line) + 1;
  witness(readEntry(entry, tail.size), instant(Number(at)), { offset: tail.size, bytes });
  return { hash, seq: tail.seq + 1, size: tail.size + bytes };
}

const broken = (offset: number, why: string): Fault =>
  new Fault('permanent', AT, `the journal cannot be trusted at byte ${offset}: ${why}`);

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
