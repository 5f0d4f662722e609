/** How a simulated part of the world goes on after it was killed: each change is written down before anybody is shown it. */
export interface Keeping<C> {
  /** What has changed since the snapshot that it goes on from, oldest first. */
  readonly changes?: readonly C[];
  /** Writes changes down, all of them or none. */
  readonly write?: (changes: readonly C[]) => void;
}

/** What can happen to a chain and to what waits for its next block; transactions are told by their bytes. */
export type ChainChange<B> =
  | { readonly block: B }
  /** So many of the last blocks are gone. */
  | { readonly undone: number }
  /** It came to the pool. */
  | { readonly waits: string }
  /** This is all that waits. */
  | { readonly pool: readonly string[] };

/** The changes of one part, in order. Without anybody who writes them down they cost nothing. */
export class Changes<C> {
  readonly #write: Keeping<C>['write'];
  #together: C[] | undefined;

  constructor(write: Keeping<C>['write']) {
    this.#write = write;
  }

  add(change: C): void {
    if (this.#together) this.#together.push(change);
    else this.#write?.([change]);
  }

  /** Half of what the work does would be worse than nothing of it: all is written down when it ends. */
  together<T>(work: () => T): T {
    if (this.#together) return work();
    const changes: C[] = [];
    this.#together = changes;
    try {
      return work();
    } finally {
      this.#together = undefined;
      if (changes.length > 0) this.#write?.(changes);
    }
  }
}
