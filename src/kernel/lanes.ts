/** Runs work one after another where it shares a key. All keys are taken at once, so two works cannot wait for each other. */
export type Lanes = <T>(keys: readonly string[], work: () => Promise<T>) => Promise<T>;

export function openLanes(tails = new Map<string, Promise<void>>()): Lanes {
  return (keys, work) => {
    const result = Promise.all(keys.map((key) => tails.get(key))).then(work);
    const leave = () => {
      for (const key of keys) if (tails.get(key) === tail) tails.delete(key);
    };
    const tail: Promise<void> = result.then(leave, leave);
    for (const key of keys) tails.set(key, tail);
    return result;
  };
}
