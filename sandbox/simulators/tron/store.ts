/** What some work changed, as it was before. */
export type Undo = ReadonlyMap<string, bigint>;

/** All numbers of the simulated chain under their names, with a way back to any earlier block. */
export class Store {
  readonly #values = new Map<string, bigint>();
  readonly #undoing: Map<string, bigint>[] = [];

  get(name: string): bigint {
    return this.#values.get(name) ?? 0n;
  }

  set(name: string, value: bigint): void {
    const undo = this.#undoing.at(-1);
    if (undo && !undo.has(name)) undo.set(name, this.get(name));
    this.#values.set(name, value);
  }

  add(name: string, difference: bigint): void {
    this.set(name, this.get(name) + difference);
  }

  /** Work that throws has changed nothing. */
  attempt<T>(work: () => T): { readonly result: T; readonly undo: Undo } {
    const undo = new Map<string, bigint>();
    this.#undoing.push(undo);
    try {
      const result = work();
      this.#undoing.pop();
      const outer = this.#undoing.at(-1);
      if (outer) for (const [name, value] of undo) if (!outer.has(name)) outer.set(name, value);
      return { result, undo };
    } catch (error) {
      this.#undoing.pop();
      this.takeBack(undo);
      throw error;
    }
  }

  /** Only to look: whatever it changes is taken back. */
  wonder<T>(work: () => T): T {
    const { result, undo } = this.attempt(work);
    this.takeBack(undo);
    return result;
  }

  takeBack(undo: Undo): void {
    for (const [name, value] of undo) this.#values.set(name, value);
  }
}
