import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import pg from 'pg';
import { WebSocketServer } from 'ws';
import type { Db, Row, Statement } from '../src/store/db.ts';
import type { Done, Span } from './load.ts';

/** One statement exactly as the store sent it. */
export interface Said {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

/** The same database; `during` tells what was said to it while some work was done. */
export function overheard(db: Db): { readonly db: Db; during(work: () => Promise<unknown>): Promise<readonly Said[]> } {
  let heard: Said[] | undefined;
  return {
    db: {
      ...db,
      query: <R extends Row>(statement: Statement, values: readonly unknown[] = []) => {
        heard?.push({ statement, values });
        return db.query<R>(statement, values);
      },
    },
    async during(work) {
      const said: Said[] = [];
      heard = said;
      await work();
      heard = undefined;
      return said;
    },
  };
}

/** The same words about another order. */
export const about = (said: readonly Said[], before: string, after: string): readonly Said[] =>
  said.map(({ statement, values }) => ({
    statement,
    values: values.map((value) => (typeof value === 'string' ? value.replaceAll(before, after) : value)),
  }));

/** As many as `openDb` opens. */
const CONNECTIONS = 8;

/** Connections that stay open from one span to the next, as a service's do. */
export const openPool = (url: string): pg.Pool =>
  new pg.Pool({ connectionString: url, max: CONNECTIONS, idleTimeoutMillis: 0 });

export interface PgLoop {
  readonly pool: pg.Pool;
  readonly loops: number;
  readonly span: Span;
  /** What the n-th unit of work says; the loop ends early where nothing is left to say. */
  work(n: number): readonly Said[] | undefined;
}

/** Units of work of `pg` alone: no HTTP, and nobody reads the rows. */
export async function pgLoop({ pool, loops, span: { ms, least }, work }: PgLoop): Promise<Done> {
  await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.query('SELECT 1')));
  let begun = 0;
  let done = 0;
  const startedAt = performance.now();
  const loop = async () => {
    while (done < least || performance.now() - startedAt < ms) {
      const said = work(begun++);
      if (!said) return;
      for (const { statement, values } of said) await pool.query({ ...statement, values: [...values] });
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: loops }, loop));
  return { count: done, seconds: (performance.now() - startedAt) / 1000 };
}

/** The least that answers the same: a Fastify without checks, node:http without Fastify, and `ws` without an order. */
export async function bareServers(order: object, quote: object) {
  const app = fastify();
  app.get('/order', async () => order);
  app.post('/quote', async () => quote);
  await app.listen({ host: '127.0.0.1', port: 0 });

  const text = JSON.stringify(order);
  const plain = createServer((_, reply) => {
    reply.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text);
  });
  plain.listen(0, '127.0.0.1');
  await once(plain, 'listening');
  return { fastify: portOf(app.server), node: portOf(plain), ws: await bareSockets(text) };
}

/** As the API's sockets are; whoever says anything makes it tell everyone. */
async function bareSockets(order: string): Promise<number> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  await once(server, 'listening');
  let seq = 0;
  server.on('connection', (socket) =>
    socket.on('message', () => {
      seq += 1;
      const frame = `{"type":"update","seq":${seq},"order":${order}}`;
      for (const client of server.clients) client.send(frame);
    }),
  );
  return portOf(server);
}

export const portOf = (server: { address(): AddressInfo | string | null }): number =>
  (server.address() as AddressInfo).port;
