import type { Address } from '../kernel/ids.ts';
import type { Db, Statement } from './db.ts';

/** Which of these addresses were given out, or are kept to be. */
export type Watched = (space: string, candidates: readonly Address[]) => Promise<ReadonlySet<Address>>;

const WATCHED: Statement = {
  name: 'address_watched',
  text: 'SELECT address FROM deposit_address WHERE space = $1 AND address = ANY($2)',
};
/** By the text under which it was given out, or by any other under which it can be paid. */
const ISSUED: Statement = {
  name: 'address_issued',
  text: `SELECT EXISTS (SELECT 1 FROM deposit_address WHERE space = $1 AND address = ANY($2))
      OR EXISTS (SELECT 1 FROM deposit_spelling WHERE space = $1 AND spelling = ANY($2)) AS issued`,
};
const SINCE: Statement = {
  name: 'address_since',
  text: 'SELECT index, address FROM deposit_address WHERE space = $1 AND index >= $2 ORDER BY index LIMIT $3',
};
const AT_ONCE = 1_000;

export const openWatched =
  (db: Db): Watched =>
  async (space, candidates) => {
    if (candidates.length === 0) return new Set();
    return new Set((await db.query(WATCHED, [space, candidates])).map((row) => row.address as Address));
  };

/** Whether one of these texts names an address that was given out, or is kept to be. */
export type IsIssued = (space: string, spellings: readonly Address[]) => Promise<boolean>;

export const openIssued =
  (db: Db): IsIssued =>
  async (space, spellings) => {
    const [row] = await db.query(ISSUED, [space, spellings]);
    return row?.issued === true;
  };

/**
 * The same as `openWatched` for scanners, who ask of thousands of strangers in every block: these are told apart in memory, and the database has the last word
 * on the few that are left. What was issued since is read before each answer, so that whoever pays an address finds it watched.
 */
export function openSieves(db: Db, watched = openWatched(db)): Watched {
  const sieves = new Map<string, Sieve>();
  return async (space, candidates) => {
    if (candidates.length === 0) return new Set();
    const sieve = sieves.get(space) ?? new Sieve();
    sieves.set(space, sieve);
    for (let from = sieve.next; ; ) {
      const rows = await db.query(SINCE, [space, from, AT_ONCE]);
      for (const row of rows) sieve.add(row.index as number, row.address as string);
      if (rows.length < AT_ONCE) break;
      from = (rows.at(-1)?.index as number) + 1;
    }
    return watched(
      space,
      candidates.filter((one) => sieve.mayHold(one)),
    );
  };
}

const FIRST_SIZE = 1_024;

/** Short hashes of addresses: it knows all that it was given, and of few others takes one for known. Four to eight bytes for each. */
class Sieve {
  /** The first index that it was not given: what came later than its neighbours is read again until it is there. */
  next = 0;
  #held = 0;
  #table = new Uint32Array(FIRST_SIZE);

  add(index: number, address: string): void {
    if (index === this.next) this.next += 1;
    if (this.#held * 2 >= this.#table.length) this.#grow();
    this.#put(hashOf(address));
  }

  mayHold(address: string): boolean {
    return this.#table[this.#placeOf(hashOf(address))] !== 0;
  }

  #put(hash: number): void {
    const place = this.#placeOf(hash);
    if (this.#table[place] === 0) this.#held += 1;
    this.#table[place] = hash;
  }

  /** Where it is, or else the empty place where it would be. */
  #placeOf(hash: number): number {
    const last = this.#table.length - 1;
    let place = hash & last;
    while (this.#table[place] !== 0 && this.#table[place] !== hash) place = (place + 1) & last;
    return place;
  }

  #grow(): void {
    const old = this.#table;
    this.#table = new Uint32Array(old.length * 2);
    this.#held = 0;
    for (const hash of old) if (hash !== 0) this.#put(hash);
  }
}

/** FNV-1a, which spreads well enough for a table and needs no more than a multiplication for each character. Never 0, which is an empty place. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0 || 1;
}
