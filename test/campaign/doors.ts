import type { Db, DbSession, Row, Statement } from '../../src/store/db.ts';
import type { Outbound, OutboundCall } from '../../src/world/outbound/http.ts';
import { lendDb } from './database.ts';
import type { Process, Scheduler } from './scheduler.ts';

/** What happens to one call of a process: it dies before the call leaves or when the answer is there, or never hears it. */
export type Mishap = 'dies before' | 'dies after' | 'answer lost';

/** One call through a door of a process. */
export interface Call {
  readonly process: Process;
  readonly at: string;
  readonly label: string;
  /** What is said, where it leaves for the world. */
  readonly body?: string | undefined;
}

export interface DoorParts {
  readonly scheduler: Scheduler;
  /** Where calls end that leave for the world, in the moment in which their turn comes. */
  readonly route: (call: OutboundCall, process: Process) => Promise<Awaited<ReturnType<Outbound>>>;
  /** What is answered without a turn of its own; undefined where it takes one. */
  readonly atOnce: (call: OutboundCall) => Promise<Awaited<ReturnType<Outbound>>> | undefined;
  /** Asked for each call. */
  readonly mishap: (call: Call) => Mishap | undefined;
  /** Told of whatever was saved, when it was. */
  readonly onSaved: (statement: Statement, values: readonly unknown[], rows: readonly Row[]) => void;
  /** How a lost answer looks to whom it was meant for. */
  readonly lost: (call: Call) => Error;
}

interface Tells {
  readonly by: RegExp;
  /** Where it does not tell each time: what is then in its first value. */
  readonly where?: RegExp;
  /** Which of its values he is told. */
  readonly value?: number;
}

const STEPS = /^(step_commit|command_commit)$/;

/** Statements of which somebody is told, by the channel on which he hears of them. */
const TELLS: readonly (Tells & { readonly channel: string })[] = [
  { channel: 'wherry_effect', by: STEPS, where: /"effects":\[\{/ },
  { channel: 'wherry_effect', by: /^(orders_create|effect_add|effect_wake.*)$/ },
  { channel: 'wherry_address', by: /^orders_create$/ },
  { channel: 'wherry_price', by: /^payout_price_ask$/, value: 3 },
];

/** Who listens, on which channel. */
export type Ears = Map<(payload: string) => void, string>;

/** All doors of one process; with its death its connections are gone, and with them the locks they held. */
export class Doors {
  readonly process: Process;
  readonly #parts: DoorParts;
  readonly #ears: Ears;
  readonly #open: { close(): Promise<void> }[] = [];
  readonly #lost: (() => void)[] = [];

  constructor(name: string, parts: DoorParts, ears: Ears) {
    this.process = { name, isDead: false };
    this.#parts = parts;
    this.#ears = ears;
    this.death = new Promise((_, reject) => {
      this.#announce = reject;
    });
    this.death.catch(() => {});
  }

  readonly death: Promise<never>;
  #announce: (why: Error) => void = () => {};

  /** Kills it. Resolves when the database has noticed. */
  async die(): Promise<void> {
    this.process.isDead = true;
    this.#announce(new Error(`${this.process.name} is gone`));
    await Promise.all(this.#open.splice(0).map((one) => one.close()));
  }

  readonly outbound: Outbound = (call) => {
    const answer = this.process.isDead ? undefined : this.#parts.atOnce(call);
    if (answer) return answer;
    return this.#pass(call, () => this.#parts.route(call, this.process));
  };

  readonly openDb = (url: string): Db => this.database(lendDb(url));

  database(real: Db): Db {
    this.#open.push(real);
    return {
      query: <R extends Row>(statement: Statement, values: readonly unknown[] = []) =>
        this.#pass({ at: 'database', label: statement.name }, () => this.#saved<R>(real, statement, values)),
      session: () => this.#pass({ at: 'database', label: 'session' }, async () => this.#session(await real.session())),
      close: () => real.close(),
    };
  }

  async #saved<R extends Row>(real: Pick<Db, 'query'>, statement: Statement, values: readonly unknown[]) {
    const rows = await real.query<R>(statement, values);
    this.#parts.onSaved(statement, values, rows);
    for (const { channel, by, where, value } of TELLS) {
      if (!by.test(statement.name) || where?.test(String(values[0])) === false) continue;
      for (const [wake, heard] of [...this.#ears])
        if (heard === channel) wake(value === undefined ? '' : String(values[value]));
    }
    return rows;
  }

  #session(real: DbSession): DbSession {
    this.#open.push(real);
    return {
      query: <R extends Row>(statement: Statement, values: readonly unknown[] = []) =>
        this.#pass({ at: 'database', label: statement.name }, () => this.#saved<R>(real, statement, values)),
      listen: async (channel, onMessage) => {
        const wake = (payload: string) => {
          if (this.process.isDead) this.#ears.delete(wake);
          else onMessage(payload);
        };
        this.#ears.set(wake, channel);
      },
      beat: async () => {},
      onLost: (listener) => void this.#lost.push(listener),
      close: () => real.close(),
    };
  }

  #pass<T>({ at, label, body }: Omit<Call, 'process'>, act: () => Promise<T>): Promise<T> {
    const call = { process: this.process, at, label, body };
    return this.#parts.scheduler.call(this.process, `${at} ${label}`, async () => {
      const mishap = this.#parts.mishap(call);
      if (mishap) this.#parts.scheduler.note(`${this.process.name} ${mishap}`);
      if (mishap === 'dies before') {
        await this.die();
        throw new Error('nobody hears this');
      }
      if (mishap === undefined) return act();
      await act().catch(() => {});
      if (mishap === 'answer lost') throw this.#parts.lost(call);
      await this.die();
      throw new Error('nobody hears this');
    });
  }
}
