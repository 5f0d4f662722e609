import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { Fault } from '../src/kernel/fault.ts';
import { fromExactJson, toExactJson } from './exact-json.ts';
import type { Keeping } from './keeping.ts';

/** A journal that has grown by less is not worth writing anew. */
const LEAST_GROWN_BYTES = 8 << 20;
const LINE_END = 10;

export interface Kept {
  /** The file. */
  readonly path: string;
  /** The part goes on from its file. */
  readonly resumes: boolean;
  /** Much of what the part once wrote down says nothing any more. What a chain once wrote is its blocks, which stay. */
  readonly forgets?: boolean;
}

/**
 * A simulated part of the world that goes on from its file: a snapshot in its first line, and in every other one what changed next. A change
 * is in the file before anybody hears of it, so whoever kills the sandbox takes nothing with him that was shown. Only processes die here, not
 * the power of the disk: what was handed to the system counts as written.
 */
export async function keptIn<S, C, T extends { snapshot(): S; close(): Promise<void> }>(
  kept: Kept,
  start: (snapshot: S | undefined, keeping: Keeping<C>) => Promise<T>,
): Promise<T> {
  const past = kept.resumes ? readJournal<S, C>(kept.path) : undefined;
  const journal = new Journal(kept, past?.bytes);
  const part = await start(past?.snapshot, { changes: past?.changes ?? [], write: journal.write });
  try {
    journal.begin(() => part.snapshot());
  } catch (error) {
    await part.close();
    throw error;
  }
  return {
    ...part,
    async close() {
      await part.close();
      journal.close();
    },
  };
}

class Journal {
  readonly #kept: Kept;
  #file: number | undefined;
  #bytes = 0;
  /** How large it may become before it is written anew. */
  #most = LEAST_GROWN_BYTES;
  /** What a full disk has not taken: it is written with the next change. */
  #late = Buffer.alloc(0);
  #snapshot: (() => unknown) | undefined;

  /** `bytes`: how much of the file is whole. Without it there is none yet. */
  constructor(kept: Kept, bytes: number | undefined) {
    this.#kept = kept;
    if (bytes === undefined) return;
    this.#bytes = bytes;
    this.#file = openSync(kept.path, 'r+');
    ftruncateSync(this.#file, bytes);
  }

  /** What a fresh part does before it begins is in its first snapshot. */
  begin(snapshot: () => unknown): void {
    this.#snapshot = snapshot;
    if (this.#file === undefined) this.#writeAnew();
    else this.#most = Math.max(LEAST_GROWN_BYTES, this.#bytes);
  }

  readonly write = (changes: readonly unknown[]): void => {
    if (this.#file === undefined) return;
    const lines = Buffer.concat([this.#late, Buffer.from(`${toExactJson(changes)}\n`)]);
    this.#late = lines;
    if (!writeAt(this.#file, lines, this.#bytes)) return;
    this.#late = Buffer.alloc(0);
    this.#bytes += lines.length;
    if (!this.#kept.forgets || this.#bytes < this.#most) return;
    this.#most = Number.POSITIVE_INFINITY;
    // Whoever changes something is not done with it yet.
    setImmediate(() => this.#writeAnew());
  };

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#snapshot = undefined;
  }

  #writeAnew(): void {
    if (!this.#snapshot) return;
    const { path } = this.#kept;
    const text = Buffer.from(`${toExactJson(this.#snapshot())}\n`);
    const fresh = openSync(`${path}.new`, 'w', 0o600);
    if (!writeAt(fresh, text, 0)) {
      closeSync(fresh);
      rmSync(`${path}.new`);
      // Without a file nothing that happens would be written down.
      if (this.#file === undefined) throw new Fault('permanent', 'sandbox', `the disk has no room for ${path}`);
      this.#most = this.#bytes + LEAST_GROWN_BYTES;
      return;
    }
    renameSync(`${path}.new`, path);
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = fresh;
    this.#late = Buffer.alloc(0);
    this.#bytes = text.length;
    this.#most = 2 * Math.max(LEAST_GROWN_BYTES, text.length);
  }
}

interface Past<S, C> {
  readonly snapshot: S;
  readonly changes: readonly C[];
  readonly bytes: number;
}

/** A line without an end is one that nobody was shown. */
function readJournal<S, C>(path: string): Past<S, C> | undefined {
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path);
  const changes: C[] = [];
  let snapshot: S | undefined;
  let bytes = 0;
  for (let end = text.indexOf(LINE_END); end >= 0; end = text.indexOf(LINE_END, bytes)) {
    const line = fromExactJson(text.toString('utf8', bytes, end));
    if (bytes === 0) snapshot = line as S;
    else for (const change of line as readonly C[]) changes.push(change);
    bytes = end + 1;
  }
  return { snapshot: snapshot as S, changes, bytes };
}

/** Whether the disk had room for all of it. */
function writeAt(file: number, bytes: Buffer, position: number): boolean {
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, position + at);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}
