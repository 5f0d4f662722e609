import type { FastifyInstance, FastifyRequest } from 'fastify';
import { renderToString } from 'preact-render-to-string';
import type { WebSocket } from 'ws';
import type { SwapOrder } from '../../sdk/src/index.ts';
import { markOf, OrderState, readOrder } from '../pages/order.tsx';
import type { Visit } from './site.ts';

/** Calls back after every change of an order; returns how to stop. */
export type Watch = (orderId: string, changed: () => void) => () => void;

interface LiveDeps {
  readonly watch: Watch;
  visitOf(request: FastifyRequest): Promise<Visit>;
}

/** Sockets that one order and one visitor may hold in this process: many tabs, an office behind one address. */
const PER_ORDER = 20;
const PER_VISITOR = 100;

/** The new state of an order as a part of its page, at every change; proven by the page's cookie, for our own pages alone. */
export function mountLive(app: FastifyInstance, base: string, { watch, visitOf }: LiveDeps): void {
  const proven = new WeakMap<FastifyRequest, SwapOrder>();
  const open = new Map<string, number>();
  const isFull = (id: string, ip: string) => (open.get(id) ?? 0) >= PER_ORDER || (open.get(ip) ?? 0) >= PER_VISITOR;
  const count = (names: readonly string[], by: 1 | -1) => {
    for (const name of names) {
      const now = (open.get(name) ?? 0) + by;
      if (now > 0) open.set(name, now);
      else open.delete(name);
    }
  };
  app.route({
    method: 'GET',
    url: `${base}/order/:id/live`,
    exposeHeadRoute: false,
    config: { speaksWebSocket: true },
    schema: { hide: true },
    preHandler: async (request, reply) => {
      const { origin } = request.headers;
      const isOurs = origin !== undefined && URL.canParse(origin) && new URL(origin).host === request.host;
      const { desk, session, params } = await visitOf(request);
      const order = isOurs && session !== undefined ? await readOrder(desk, params.id ?? '', session) : undefined;
      if (!request.ws || !order) return reply.code(404).send('');
      proven.set(request, order);
    },
    handler: (_, reply) => reply.code(404).send(''),
    wsHandler: (socket, request) => {
      const order = proven.get(request);
      if (!order || isFull(order.orderId, request.ip)) return socket.close(1013);
      const names = [order.orderId, request.ip];
      count(names, 1);
      socket.on('close', () => count(names, -1));
      follow(socket, order.orderId, watch, () => visitOf(request));
    },
  });
}

/** One reading at a time: changes that come meanwhile mark it as stale, and the next frame is the newest state. */
function follow(socket: WebSocket, id: string, watch: Watch, visitNow: () => Promise<Visit>): void {
  let isStale = true;
  let isBusy = false;
  let shown = '';
  const show = async () => {
    const { view, desk, session } = await visitNow();
    const order = session === undefined ? undefined : await readOrder(desk, id, session);
    if (!order) return socket.close(1011);
    const mark = markOf(order);
    if (mark !== shown) socket.send(renderToString(<OrderState view={view} order={order} />));
    shown = mark;
  };
  const pump = async () => {
    if (isBusy) return;
    isBusy = true;
    try {
      while (isStale && socket.readyState === socket.OPEN) {
        isStale = false;
        await show();
      }
    } catch {
      // Such as a limit that is hit: the page reads by itself when the socket is closed.
      socket.close(1013);
    } finally {
      isBusy = false;
    }
  };
  const stop = watch(id, () => {
    isStale = true;
    void pump();
  });
  socket.on('close', stop);
  void pump();
}
