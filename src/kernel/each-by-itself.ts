/** One that fails keeps no other from its turn; whoever asked hears of the first of them afterwards. */
export async function eachByItself<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<readonly R[]> {
  const settled = await Promise.allSettled(all.map(work));
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

/** The same, one after the other. */
export async function oneByOne<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  await eachByItself(all, (one) => {
    const turn = last.then(() => work(one));
    last = turn.catch(() => {});
    return turn;
  });
}
