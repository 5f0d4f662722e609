/** More than wait at once for one answer. */
const MOST_TOGETHER = 256;

interface Waiting<K, V> {
  readonly of: K;
  resolve(answer: V | undefined): void;
  reject(reason: unknown): void;
}

/**
 * Whoever asks in one turn of the loop is answered by one question; nobody waits for a later turn. `nameOf` finds an answer
 * for its asker, and who finds none gets undefined. Where that fails each is asked for alone, so that one that cannot be read is
 * nobody else's trouble.
 */
export function together<K, V>(
  ask: (of: readonly K[]) => Promise<readonly V[]>,
  nameOf: (answer: V) => K,
): (of: K) => Promise<V | undefined> {
  let waiting: Waiting<K, V>[] = [];

  async function answerAll(asked: readonly Waiting<K, V>[]): Promise<void> {
    try {
      const answers = await ask(asked.map(({ of }) => of));
      const byName = new Map(answers.map((answer) => [nameOf(answer), answer]));
      for (const { of, resolve } of asked) resolve(byName.get(of));
    } catch (error) {
      if (asked.length > 1) for (const one of asked) void answerAll([one]);
      else asked[0]?.reject(error);
    }
  }

  function turn(): void {
    const asked = waiting;
    waiting = [];
    for (let at = 0; at < asked.length; at += MOST_TOGETHER) void answerAll(asked.slice(at, at + MOST_TOGETHER));
  }

  return (of) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(turn);
      waiting.push({ of, resolve, reject });
    });
}
