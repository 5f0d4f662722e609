import { Socket } from 'node:net';
import pg from 'pg';
import { Fault, type FaultKind } from '../kernel/fault.ts';

/** A named statement is parsed once per connection; the name is its identity, so text and name go together. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export type Row = Readonly<Record<string, unknown>>;

export interface Db {
  query<R extends Row = Row>(statement: Statement, values?: readonly unknown[]): Promise<readonly R[]>;
  /** A connection of its own for LISTEN and session locks; released by closing it. */
  session(): Promise<DbSession>;
  close(): Promise<void>;
}

export interface DbSession {
  query<R extends Row = Row>(statement: Statement, values?: readonly unknown[]): Promise<readonly R[]>;
  listen(channel: string, onMessage: (payload: string) => void): Promise<void>;
  /** Asks whether the server still answers. Where it does not the connection is lost: only who asks notices that a server fell silent. */
  beat(): Promise<void>;
  /** Runs when the connection is lost: every session lock is gone with it. */
  onLost(listener: () => void): void;
  close(): Promise<void>;
}

/** A path that forgets whoever is quiet for long does not forget us, and a server that is gone is noticed within minutes, where nobody asks it anything. */
const KEPT = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** For how long an answer is waited for, in milliseconds. */
export interface Patience {
  /** To be let in, and to get one of the pool's connections. */
  readonly connect: number;
  /** Of a pool, whose statements take a moment each, or wait for a month that is taken away. What takes longer has a connection of its own. */
  readonly query: number;
  /** Of a session, which asks for nothing that takes any time. */
  readonly session: number;
}

const PATIENCE: Patience = { connect: 30_000, query: 120_000, session: 20_000 };

/**
 * numeric and bigint columns come as text, so that no amount ever passes through a float. `sessionUrl` leads to the server itself where
 * `url` leads to a pooler, which gives each transaction another connection: what was parsed on one is not known on the next.
 */
export function openDb(url: string, connections = 8, sessionUrl = url, patience = PATIENCE): Db {
  const bounds = { ...KEPT, connectionTimeoutMillis: patience.connect, query_timeout: patience.query };
  const pool = new pg.Pool({ connectionString: url, max: connections, idleTimeoutMillis: 0, ...bounds });
  // A connection that dies while idle is replaced by the pool; the query that needs it next reports the trouble.
  pool.on('error', () => {});
  const ask = sessionUrl === url ? asked : unnamed;
  return {
    query: async <R extends Row>(statement: Statement, values: readonly unknown[] = []) =>
      (await answered(statement, () => repeated(() => pool.query(ask(statement, values))))).rows as R[],
    session: () => openSession(sessionUrl, patience),
    close: () => pool.end(),
  };
}

const unnamed = ({ text }: Statement, values: readonly unknown[]) => ({ text, values: [...values] });
const asked = ({ name, text }: Statement, values: readonly unknown[]) => ({ name, text, values: [...values] });

const BEAT: Statement = { name: 'session_beat', text: 'SELECT 1' };

async function openSession(url: string, patience: Patience): Promise<DbSession> {
  const socket = new Socket();
  const client = new pg.Client({
    ...{ connectionString: url, stream: () => socket, ...KEPT },
    ...{ connectionTimeoutMillis: patience.connect, query_timeout: patience.session },
  });
  const lost: (() => void)[] = [];
  let closing = false;
  const onLoss = () => {
    if (closing) return;
    closing = true;
    for (const listener of lost) listener();
  };
  client.on('error', onLoss);
  client.on('end', onLoss);
  await client.connect();
  let last: Promise<unknown> = Promise.resolve();
  /** One question at a time: a connection answers in order. One that did not answer is lost, and nobody waits for it to say so. */
  const inTurn = async <T>(ask: () => Promise<T>): Promise<T> => {
    const turn = last.then(ask, ask);
    last = turn;
    try {
      return await turn;
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) {
        onLoss();
        socket.destroy();
      }
      throw error;
    }
  };
  const query = async <R extends Row>(statement: Statement, values: readonly unknown[] = []) =>
    (await answered(statement, () => inTurn(() => client.query(asked(statement, values))))).rows as R[];
  return {
    query,
    listen: async (channel, onMessage) => {
      client.on('notification', (message) => {
        if (message.channel === channel) onMessage(message.payload ?? '');
      });
      await inTurn(() => client.query(`LISTEN ${client.escapeIdentifier(channel)}`));
    },
    beat: async () => {
      await query(BEAT);
    },
    onLost: (listener) => {
      lost.push(listener);
    },
    close: async () => {
      closing = true;
      await client.end();
    },
  };
}

/** Losing this often in a row is no bad luck any more. */
const MOST_TRIES = 4;

/** A statement of a pool is a transaction of its own: one that lost against another was undone whole, and is asked again. */
async function repeated<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1)
    try {
      return await ask();
    } catch (error) {
      if (!hasLost(error) || tries === MOST_TRIES) throw error;
    }
}

/**
 * Where the server is away nothing is wrong with the question, and nobody knows whether it was heard. What lost against others, or waited
 * too long for them, was heard and did nothing.
 */
async function answered<T>({ name }: Statement, ask: () => Promise<T>): Promise<T> {
  const fault = (kind: FaultKind, error: unknown) =>
    new Fault(kind, 'database', `${name}: ${(error as Error).message}`, error);
  try {
    return await ask();
  } catch (error) {
    if (hasLost(error) || hasCode(error, LOCKED)) throw fault('transient', error);
    if (isAway(error)) throw fault('ambiguous', error);
    throw error;
  }
}

/** PostgreSQL's lock_not_available: it waited for as long as it may. */
export const LOCKED = /^55P03$/;
/** A deadlock, or a transaction that another overtook. */
const LOST = /^40(P01|001)$/;
const hasLost = (error: unknown): boolean => hasCode(error, LOST);

export const hasCode = (error: unknown, code: RegExp): boolean =>
  error instanceof pg.DatabaseError && code.test(error.code ?? '');

/** It cannot be reached, is starting or stopping, or takes nobody else in. */
function isAway(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return hasCode(error, /^(08|53|57P)/);
  return !(error instanceof TypeError || error instanceof RangeError);
}
