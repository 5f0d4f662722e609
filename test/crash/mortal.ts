import { AsyncLocalStorage } from 'node:async_hooks';
import { type Clock, later } from '../../src/kernel/clock.ts';
import type { Part } from '../../src/kernel/transfer-part.ts';
import type { Payment } from '../../src/life/payment/payment.ts';
import { type Db, type DbSession, openDb, type Statement } from '../../src/store/db.ts';
import type { Outbound, OutboundCall } from '../../src/world/outbound/http.ts';

/** One call through a door of a process, and what the process was doing when it made it. */
export interface Call {
  readonly doing: string;
  readonly at: string;
  readonly label: string;
  /** It leaves nothing behind on the other side, so that its three moments are the same one. */
  readonly onlyAsks: boolean;
  /** The process, a signer, makes it while it signs a transfer. */
  readonly isSigning: boolean;
  /** The orders that it names: several are read or committed at once, whoever began it. */
  readonly about: readonly Named[];
}

/** An order in the words of a statement, with its step where it is a commit. */
export interface Named {
  readonly owner: string;
  readonly completes?: string;
  readonly fact?: { readonly payment?: string; readonly part?: Part };
  readonly order?: Saved;
  readonly payments?: readonly { readonly doc: Payment }[];
}

export interface Saved {
  readonly phase: string;
  readonly version: number;
  readonly doc: { readonly state: { readonly leg?: number } };
}

/** What a statement is about is in its own words: who happened to send it says nothing of those who came along. */
export function namedIn({ name }: Statement, [said]: readonly unknown[]): readonly Named[] {
  if (name === 'step_commit') return JSON.parse(String(said)) as readonly Named[];
  return name === 'order_find' ? (said as readonly string[]).map((owner) => ({ owner })) : [];
}

/**
 * When the process dies at a call. before: the call never leaves. during: it leaves and takes effect with nobody
 * listening, while a successor starts. after: the answer is there, and nobody is left to use it.
 */
export type Moment = 'before' | 'during' | 'after';

/** What a process meets at its doors. All of it is optional: an ordinary process meets nothing. */
export interface Fate {
  /** Asked for every call; a moment is the end of the process. */
  readonly dies?: (call: Call) => Moment | undefined;
  /** Told of every statement that leaves for the database, and then of its rows; undefined where it failed. */
  readonly saves?: (statement: Statement, values: readonly unknown[]) => (rows: readonly unknown[] | undefined) => void;
  /** Never hears that its connection to the database was lost. */
  readonly isDeaf?: boolean;
  /** Planted bugs put another database in between. */
  readonly database?: (db: Db) => Db;
}

/** Work on the transfer of that intent. */
export const TRANSFER = 'transfer ';
const ABOUT_TRANSFER = new Set(['payment_find', 'attempts_living']);

const DAY_MS = 24 * 60 * 60 * 1000;

/** What calls are a part of. A job that comes to a transfer is about it until its end, also where another function goes on. */
interface Work {
  what: string;
  /** Many jobs are claimed at once, and begin in one moment: until it is over, the next call is another job's first. */
  isClaim?: boolean;
}
const doing = new AsyncLocalStorage<Work>();
function jobOfClaim(): Work {
  const job: Work = { what: 'work', isClaim: true };
  queueMicrotask(() => {
    job.isClaim = false;
  });
  return job;
}
const isAtWork = (work: Work | undefined): work is Work =>
  work !== undefined && (work.what === 'work' || work.what.startsWith(TRANSFER));

const nothing = () => {};
/** Whoever waits for a dead process waits for ever. */
const never = <T>(): Promise<T> => new Promise(nothing);

/**
 * All doors of one process that runs inside this one. Once it is dead, nothing that it still does gets out and nothing
 * comes in: every call hangs for ever, and its connections to the database are gone with the locks they held.
 */
export class Mortal {
  readonly death: Promise<void>;
  readonly #fate: Fate;
  readonly #pools: Db[] = [];
  readonly #sessions: Promise<DbSession>[] = [];
  readonly #lastThings: (() => void)[] = [];
  #signing = 0;
  #dead = false;
  #announce: () => void = nothing;
  #frozen: Promise<void> | undefined;

  constructor(fate: Fate = {}) {
    this.#fate = fate;
    this.death = new Promise((resolve) => {
      this.#announce = resolve;
    });
  }

  get isDead(): boolean {
    return this.#dead;
  }

  die(): void {
    if (this.#dead) return;
    this.#dead = true;
    for (const thing of this.#lastThings) thing();
    for (const pool of this.#pools) pool.close().catch(nothing);
    this.loseSessions();
    this.#announce();
  }

  /** The connections that mark it as living break off; what else it has goes on. */
  loseSessions(): void {
    for (const opening of this.#sessions.splice(0)) opening.then((session) => session.close()).catch(nothing);
  }

  /** Done in the very moment of death: what an operating system closes behind a process. */
  onDeath(thing: () => void): void {
    this.#lastThings.push(thing);
  }

  /** Stands still, as a process does that is swapped out: what it says waits at the door, what comes waits outside. */
  freeze(): { thaw(): void } {
    let thaw = nothing;
    this.#frozen = new Promise((resolve) => {
      thaw = resolve;
    });
    return {
      thaw: () => {
        this.#frozen = undefined;
        thaw();
      },
    };
  }

  /** Everything below happens as a part of `what`, until it says itself what it is. */
  run<T>(what: string, work: () => Promise<T>): Promise<T> {
    return doing.run({ what }, work);
  }

  /** A round that only looks at the clock would outlive its process; a dead one's clock sends it to a door, too. */
  clock({ now }: Clock): Clock {
    return { now: () => (this.#dead ? later(now(), DAY_MS) : now()) };
  }

  outbound(real: Outbound): Outbound {
    return (call) => this.#pass(call.at, labelOf(call), isAsking(call), () => real(call));
  }

  readonly openDb = (url: string, connections?: number, sessionUrl?: string): Db => {
    const { database = (db: Db) => db, saves = () => nothing } = this.#fate;
    const real = openDb(url, connections, sessionUrl);
    const db = database(real);
    this.#pools.push(real);
    return {
      query: (statement, values = []) => {
        if (statement.name === 'effect_claim') doing.enterWith({ what: 'work', isClaim: true });
        else if (doing.getStore()?.isClaim) doing.enterWith(jobOfClaim());
        const work = doing.getStore();
        if (ABOUT_TRANSFER.has(statement.name) && isAtWork(work)) work.what = `${TRANSFER}${values[0]}`;
        const act = () => {
          const saved = saves(statement, values);
          const asking = db.query<never>(statement, values);
          asking.then(saved, () => saved(undefined));
          return asking;
        };
        return this.#pass('database', statement.name, isQuestion(statement), act, namedIn(statement, values));
      },
      session: () =>
        this.#pass('database', 'session', false, () => {
          const opening = db.session();
          this.#sessions.push(opening);
          return opening.then((session) => this.#session(session));
        }),
      close: () => real.close(),
    };
  };

  #session(real: DbSession): DbSession {
    return {
      query: (statement, values = []) => {
        // A round takes its seat before it does anything else: from then on its calls are known as its own.
        if (statement.name === 'leader_try') doing.enterWith({ what: String(values[1]) });
        return this.#pass('database', statement.name, isQuestion(statement), () =>
          real.query<never>(statement, values),
        );
      },
      listen: (channel, onMessage) =>
        this.#pass('database', `listen ${channel}`, false, () =>
          real.listen(channel, (payload) => {
            if (!this.#dead) onMessage(payload);
          }),
        ),
      beat: async () => {
        await this.#frozen;
        return this.#dead ? never() : real.beat();
      },
      onLost: (listener) =>
        real.onLost(async () => {
          await this.#frozen;
          if (!this.#dead && !this.#fate.isDeaf) listener();
        }),
      close: () => real.close(),
    };
  }

  async #pass<T>(
    at: string,
    label: string,
    onlyAsks: boolean,
    act: () => Promise<T>,
    about: readonly Named[] = [],
  ): Promise<T> {
    if (this.#dead) return never();
    const isSigning = this.#signing > 0;
    const moment = this.#fate.dies?.({ doing: doing.getStore()?.what ?? '', at, label, onlyAsks, isSigning, about });
    if (moment === 'before') return this.#end();
    await this.#frozen;
    const isToSign = label === '/transfer';
    if (isToSign) this.#signing += 1;
    const acting = act();
    acting.catch(nothing).finally(() => {
      if (isToSign) this.#signing -= 1;
    });
    if (moment === 'during') return this.#end();
    await acting.catch(nothing);
    await this.#frozen;
    return moment === 'after' || this.#dead ? this.#end() : acting;
  }

  #end<T>(): Promise<T> {
    this.die();
    return never();
  }
}

/** As the wires name their questions; whatever is not known as one may leave something behind. */
const QUESTION =
  /^(eth_(?!send)|get_|info:|refresh$|incoming_transfers$|is_key_image|\/public$|\/balance$|\/journal$|\/signed-trade$)/;
const PROVIDER_QUESTION = /^(dry quote|tokens|chains|status|request)$/;

/** A price and an order are the same request to a provider, but for one word. */
const labelOf = ({ label, body = '' }: OutboundCall): string => (/"dry":true/.test(body) ? `dry ${label}` : label);
const isAsking = (call: OutboundCall): boolean =>
  (call.at.startsWith('provider:') ? PROVIDER_QUESTION : QUESTION).test(labelOf(call));
/** Functions may write whatever they are called. */
const isQuestion = ({ text }: Statement): boolean => /^\s*SELECT (?:coalesce|count|(?!\w+\())/.test(text);
