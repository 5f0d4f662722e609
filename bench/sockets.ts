import { once } from 'node:events';
import pg from 'pg';
import { WebSocket } from 'ws';
import type { Done, Span } from './load.ts';

export interface Followers {
  readonly port: number;
  readonly databaseUrl: string;
  readonly key: string;
  readonly orders: readonly { readonly id: string; readonly session: string }[];
  /** Sockets to each order. */
  readonly each: number;
}

/** One more confirmation for each of these orders, told as a commit tells it. */
const CONFIRM = `WITH changed AS (
    UPDATE orders SET version = version + 1,
      doc = jsonb_set(doc, '{funds}', (doc -> 'funds') || jsonb_build_object('txHash', 'bench', 'seen', doc -> 'asked', 'have', version))
    WHERE id = ANY ($1) RETURNING id, version)
  SELECT pg_notify('wherry_order', id || ' ' || version) FROM changed`;

/** Frames of changes that customers see; the first use opens the sockets. */
export function followed({ port, databaseUrl, key, orders, each }: Followers): (span: Span) => Promise<Done> {
  const urls = orders.flatMap(({ id, session }) =>
    Array.from({ length: each }, () => ({ url: `ws://127.0.0.1:${port}/v2/swaps/${id}/events`, session })),
  );
  const opened = onceOnly(async () => {
    const db = new pg.Client({ connectionString: databaseUrl });
    // The database is thrown away with the desk.
    db.on('error', () => {});
    await db.connect();
    // What guards an order's promises is not what is measured.
    await db.query("SET session_replication_role = 'replica'");
    const sockets = urls.map(
      ({ url, session }) => new WebSocket(url, { headers: { 'x-integrator-key': key, 'x-session-id': session } }),
    );
    const arrivals = await countArrivals(sockets);
    await arrivals.reach(sockets.length);
    return { arrivals, sockets, change: () => db.query(CONFIRM, [orders.map(({ id }) => id)]) };
  });
  return async (span) => turns(await opened(), span);
}

/** The same number of frames by `ws` alone: one of its clients asks, and everyone is told. */
export function broadcast(port: number, count: number): (span: Span) => Promise<Done> {
  const opened = onceOnly(async () => {
    const sockets = Array.from({ length: count }, () => new WebSocket(`ws://127.0.0.1:${port}`));
    const arrivals = await countArrivals(sockets);
    return { arrivals, sockets, change: async () => sockets[0]?.send('go') };
  });
  return async (span) => turns(await opened(), span);
}

interface Listening {
  readonly arrivals: Awaited<ReturnType<typeof countArrivals>>;
  readonly sockets: readonly WebSocket[];
  change(): Promise<unknown>;
}

async function turns({ arrivals, sockets, change }: Listening, { ms, least }: Span): Promise<Done> {
  const startedAt = performance.now();
  let count = 0;
  while (count < least || performance.now() - startedAt < ms) {
    const all = arrivals.reach(sockets.length);
    await change();
    await all;
    count += sockets.length;
  }
  return { count, seconds: (performance.now() - startedAt) / 1000 };
}

/** Once all are open: resolves whenever so many frames more have come. */
async function countArrivals(sockets: readonly WebSocket[]) {
  let left = 0;
  let done = () => {};
  let failed: Error | undefined;
  let fail = (error: Error) => {
    failed = error;
  };
  const arrived = () => {
    left -= 1;
    if (left === 0) done();
  };
  for (const socket of sockets) {
    socket.on('message', arrived);
    socket.on('close', (code) => fail(new Error(`a socket was closed with ${code}`)));
    socket.on('error', (error) => fail(error));
  }
  await Promise.all(sockets.map((socket) => (socket.readyState === WebSocket.OPEN ? undefined : once(socket, 'open'))));
  return {
    reach: (count: number): Promise<void> =>
      new Promise((resolve, reject) => {
        left += count;
        done = resolve;
        fail = reject;
        if (failed) reject(failed);
        if (left === 0) resolve();
      }),
  };
}

function onceOnly<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () => {
    opened ??= open();
    return opened;
  };
}
