import type { Clock } from './clock.ts';

/**
 * One load at a time, however many ask: whoever asks while it runs waits for the same, and its answer is good for `keepMs`
 * from its end. A failure is told to those who wait for it and to nobody else.
 */
export function remember<T>(load: () => Promise<T>, keepMs: number, clock: Clock): () => Promise<T> {
  let current: { readonly answer: Promise<T>; until: number } | undefined;
  return () => {
    if (current && clock.now() < current.until) return current.answer;
    const entry = { answer: load(), until: Number.POSITIVE_INFINITY };
    current = entry;
    entry.answer.then(
      () => {
        entry.until = clock.now() + keepMs;
      },
      () => {
        if (current === entry) current = undefined;
      },
    );
    return entry.answer;
  };
}

/** The same for each of a bounded number of questions. */
export function rememberEach<K, T>(load: (of: K) => Promise<T>, keepMs: number, clock: Clock): (of: K) => Promise<T> {
  const known = new Map<K, () => Promise<T>>();
  return (of) => {
    const each = known.get(of) ?? remember(() => load(of), keepMs, clock);
    known.set(of, each);
    return each();
  };
}
