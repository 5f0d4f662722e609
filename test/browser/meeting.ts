/** Where the visitors of one story wait for each other, so that the world is disturbed once for all of them. */
export interface Meeting {
  /** Does it when everybody has come to this point; all go on when it is done. */
  once(what: string, act: () => Promise<unknown>): Promise<void>;
  /** Somebody's story is over: nobody waits for them in vain. */
  leave(why: unknown): void;
}

interface Point {
  readonly done: Promise<void>;
  readonly pass: () => void;
  readonly fail: (why: unknown) => void;
  waiting: number;
}

export function meetingOf(size: number): Meeting {
  const points = new Map<string, Point>();
  let gone: { readonly why: unknown } | undefined;
  const pointOf = (what: string): Point => {
    const known = points.get(what);
    if (known) return known;
    let [pass, fail]: [() => void, (why: unknown) => void] = [() => {}, () => {}];
    const done = new Promise<void>((resolve, reject) => {
      [pass, fail] = [resolve, reject];
    });
    done.catch(() => {});
    const point = { done, pass, fail, waiting: 0 };
    points.set(what, point);
    if (gone) fail(gone.why);
    return point;
  };
  return {
    async once(what, act) {
      const point = pointOf(what);
      point.waiting += 1;
      if (point.waiting === size) act().then(point.pass, point.fail);
      return point.done;
    },
    leave(why) {
      gone ??= { why };
      for (const { fail } of points.values()) fail(why);
    },
  };
}
