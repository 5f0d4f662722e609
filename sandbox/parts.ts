/** Parts start side by side and end one after the other, the last one first, also when another one never started. */
export class Parts {
  readonly #ends: (() => Promise<void>)[] = [];

  start<T>(starting: Promise<T>, end: (part: T) => Promise<void>): Promise<T> {
    this.#ends.unshift(async () => {
      const part = await starting.catch(() => undefined);
      if (part !== undefined) await end(part);
    });
    return starting;
  }

  /** Ends all that can be ended, and then says what could not. */
  async close(): Promise<void> {
    const problems: unknown[] = [];
    for (const end of this.#ends) await end().catch((error) => problems.push(error));
    if (problems.length > 0) throw new AggregateError(problems, 'not everything ended well');
  }
}
