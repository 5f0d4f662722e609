import { RpcFailure } from '../rpc-server.ts';

/** What an account or one word of its storage holds; undefined where there is none. */
export type Cell = string | undefined;
export type Read = (key: string) => Cell;
export type Changes = ReadonlyMap<string, Cell>;

/** What a block changed, with all that was put there by hand after it: how that was before. */
interface Undo {
  readonly height: number;
  readonly before: Map<string, Cell>;
}

export interface KeptHistory {
  readonly cells: Readonly<Record<string, string>>;
  readonly codes: Readonly<Record<string, string>>;
  readonly undone: readonly (readonly [height: number, before: Readonly<Record<string, string | null>>])[];
}

/** All accounts now, and what has to be taken back to see them as they were after an earlier block. */
export class History {
  readonly #now = new Map<string, string>();
  /** Of accounts with storage: the keys of their words. */
  readonly #words = new Map<string, Set<string>>();
  readonly #codes = new Map<string, Uint8Array>();
  readonly #statesKept: number;
  /** Oldest first. */
  #undo: Undo[] = [];
  #tip = 0;

  constructor(statesKept: number) {
    this.#statesKept = statesKept;
  }

  readonly now: Read = (key) => this.#now.get(key);

  /** As after that block. */
  at(height: number): Read {
    if (height >= this.#tip) return this.now;
    const first = this.#undo.findIndex((one) => one.height > height);
    // The node's own words for a state that it has not kept.
    if (first < 0 || this.#undo[first]?.height !== height + 1)
      throw new RpcFailure(-32602, `BlockOutOfRangeError: block height is ${this.#tip} but requested was ${height}`);
    const later = this.#undo.slice(first).map(({ before }) => before);
    return (key) => {
      for (const before of later) if (before.has(key)) return before.get(key);
      return this.#now.get(key);
    };
  }

  /** By hand: as if the last block had done it. */
  put(key: string, cell: Cell): void {
    const before = this.#undo.at(-1)?.before;
    if (before && !before.has(key)) before.set(key, this.#now.get(key));
    this.#set(key, cell);
  }

  /** A block ends with these changes. */
  seal(height: number, changes: Changes): void {
    this.#undo.push({ height, before: new Map() });
    for (const [key, cell] of changes) this.put(key, cell);
    this.#tip = height;
    if (this.#undo.length > this.#statesKept) this.#undo.splice(0, this.#undo.length - this.#statesKept);
  }

  /** Back to how it was after that block. */
  rollback(height: number): void {
    this.at(height);
    for (const before of this.#takeAbove(height)) for (const [key, cell] of before) this.#set(key, cell);
    this.#tip = height;
  }

  code(hash: string): Uint8Array {
    return this.#codes.get(hash) ?? new Uint8Array();
  }

  keepCode(hash: string, code: Uint8Array): void {
    this.#codes.set(hash, code);
  }

  wordsOf(address: string): readonly string[] {
    return [...(this.#words.get(address) ?? [])];
  }

  keep(): KeptHistory {
    return {
      cells: Object.fromEntries(this.#now),
      codes: Object.fromEntries([...this.#codes].map(([hash, code]) => [hash, Buffer.from(code).toString('hex')])),
      undone: this.#undo.map(({ height, before }) => [
        height,
        Object.fromEntries([...before].map(([key, cell]) => [key, cell ?? null])),
      ]),
    };
  }

  restore({ cells, codes, undone }: KeptHistory): void {
    this.#now.clear();
    this.#words.clear();
    for (const [key, cell] of Object.entries(cells)) this.#set(key, cell);
    for (const [hash, code] of Object.entries(codes)) this.keepCode(hash, Buffer.from(code, 'hex'));
    this.#undo = undone.map(([height, before]) => ({
      height,
      before: new Map(Object.entries(before).map(([key, cell]): [string, Cell] => [key, cell ?? undefined])),
    }));
    this.#tip = this.#undo.at(-1)?.height ?? 0;
  }

  #set(key: string, cell: Cell): void {
    if (cell === undefined) this.#now.delete(key);
    else this.#now.set(key, cell);
    const [address = '', slot] = key.split('/');
    if (slot === undefined) return;
    const words = this.#words.get(address) ?? new Set();
    if (cell === undefined) words.delete(key);
    else words.add(key);
    this.#words.set(address, words);
  }

  /** Newest first. */
  #takeAbove(height: number): readonly Map<string, Cell>[] {
    const taken: Map<string, Cell>[] = [];
    while ((this.#undo.at(-1)?.height ?? 0) > height) taken.push((this.#undo.pop() as Undo).before);
    return taken;
  }
}
