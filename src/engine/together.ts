import { assert, present } from '../kernel/assert.ts';
import { Fault } from '../kernel/fault.ts';
import type { Log } from './log.ts';

/** More than wait at once for one answer. */
const MOST_TOGETHER = 256;
/** Of those who write: a transaction is short, and several go on side by side. */
const MOST_IN_A_TRANSACTION = 16;

interface Waiting<K, V> {
  readonly of: K;
  resolve(answer: V | undefined): void;
  reject(reason: unknown): void;
}

/** Told of a question of many that failed, before each is asked for alone. */
export type GivenUp = (count: number, error: unknown) => void;

/** What is slower than it should be, and why, is seen by whoever runs the desk. */
export const givenUpInto =
  (log: Pick<Log, 'warn'> | undefined, of: string): GivenUp =>
  (count, error) =>
    log?.warn({ of, count, error }, 'a batch failed, each of it goes alone');

/**
 * Whoever asks in one turn of the loop is answered by one question; nobody waits for a later turn. `nameOf` finds an answer
 * for its asker, and who finds none gets undefined. Where that fails each is asked for alone, so that one that cannot be read is
 * nobody else's trouble.
 */
export function together<K, V>(
  ask: (of: readonly K[]) => Promise<readonly V[]>,
  nameOf: (answer: V) => K,
  { most = MOST_TOGETHER, givenUp = () => {} }: { readonly most?: number; readonly givenUp?: GivenUp } = {},
): (of: K) => Promise<V | undefined> {
  let waiting: Waiting<K, V>[] = [];

  async function answerAll(asked: readonly Waiting<K, V>[]): Promise<void> {
    try {
      const answers = await ask(asked.map(({ of }) => of));
      const byName = new Map(answers.map((answer) => [nameOf(answer), answer]));
      for (const { of, resolve } of asked) resolve(byName.get(of));
    } catch (error) {
      if (asked.length === 1) return asked[0]?.reject(error);
      givenUp(asked.length, error);
      for (const one of asked) void answerAll([one]);
    }
  }

  function turn(): void {
    const asked = waiting;
    waiting = [];
    for (let at = 0; at < asked.length; at += most) void answerAll(asked.slice(at, at + most));
  }

  return (of) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(turn);
      waiting.push({ of, resolve, reject });
    });
}

/** A question to one, and the same to many at once, with an answer to each in the order in which they were asked. */
export interface Questions<K, V> {
  one(of: K): Promise<V>;
  all(of: readonly K[]): Promise<readonly V[]>;
  /** Asking again does no harm. Otherwise, where an answer was lost, nobody is asked again: it may have been heard. */
  readonly isRepeatable: boolean;
  readonly givenUp: GivenUp;
}

/** Whoever writes in one turn is answered by `all`, and who is alone by `one`. */
export function inTurns<K extends object, V>({
  one,
  all,
  isRepeatable,
  givenUp,
}: Questions<K, V>): (of: K) => Promise<V> {
  async function ask(asked: readonly K[]): Promise<readonly { readonly of: K; readonly answer: V | Lost }[]> {
    const [first, ...more] = asked;
    if (first && more.length === 0) return [{ of: first, answer: await one(first) }];
    const answers = await all(asked).catch((error: unknown) => {
      if (isRepeatable || !(error instanceof Fault) || error.kind === 'transient') throw error;
      givenUp(asked.length, error);
      return new Lost(error);
    });
    assert(answers instanceof Lost || answers.length === asked.length, 'an answer to each');
    return asked.map((of, at) => ({ of, answer: answers instanceof Lost ? answers : (answers[at] as V) }));
  }
  const withOthers = together(ask, ({ of }) => of, { most: MOST_IN_A_TRANSACTION, givenUp });
  return async (of) => {
    const { answer } = present(await withOthers(of), 'an answer to each');
    if (answer instanceof Lost) throw answer.fault;
    return answer;
  };
}

class Lost {
  readonly fault: Fault;
  constructor(fault: Fault) {
    this.fault = fault;
  }
}
