import type { Socket } from 'node:net';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { present } from '../../kernel/assert.ts';
import { type OrderId, parseSessionId, type SessionId } from '../../kernel/ids.ts';
import { isRefusal, refuse } from '../../kernel/refusal.ts';
import type { Order } from '../../life/order/order.ts';
import { isOver } from '../../life/order/view/turn.ts';
import { type Caller, header, sessionOf } from '../caller.ts';
import type { ApiDeps } from '../deps.ts';
import { callerOf, enter } from '../endpoint.ts';
import { CROWDED_RETRY_MS, SOCKETS_PER_KEY, SOCKETS_PER_NETWORK, SOCKETS_PER_ORDER } from '../limits.ts';
import { readable } from '../ownership.ts';
import { openPlaces } from '../places.ts';
import { tooMany } from '../quota.ts';
import { sendSpoken, speak } from '../refusals.ts';
import { type OrderText, orderText } from './order-text.ts';
import { OrderParams, ProofQuery } from './schema.ts';

type Product = Order['product'];
const PATHS: Readonly<Record<Product, string>> = {
  swap: '/v2/swaps/:id/events',
  bridge: '/v2/bridges/:id/events',
};
export const EVENTS_PATHS: readonly string[] = Object.values(PATHS);
/**
 * The subprotocol that browsers name, and the prefix under which they send the session, since they cannot set headers.
 */
export const SUBPROTOCOL = 'wherry.v2';
const SESSION_PREFIX = 'session.';

export function mountEvents(app: FastifyInstance, deps: ApiDeps): void {
  const room = {
    orders: openPlaces(SOCKETS_PER_ORDER),
    networks: openPlaces(SOCKETS_PER_NETWORK),
    keys: openPlaces(SOCKETS_PER_KEY),
  };
  mountProduct(app, 'swap', room, deps);
  mountProduct(app, 'bridge', room, deps);
}

type Room = Readonly<Record<'orders' | 'networks' | 'keys', ReturnType<typeof openPlaces>>>;

/** A server follows the orders of many customers, so it is counted by its key; everyone else by network. */
const countedAs = ({ clientHash, partner }: Caller, { networks, keys }: Room) =>
  partner?.kind === 'server' && partner.keyId !== undefined
    ? { places: keys, who: partner.keyId }
    : { places: networks, who: clientHash };

function mountProduct(app: FastifyInstance, product: Product, room: Room, deps: ApiDeps): void {
  const proven = new WeakMap<FastifyRequest, OrderId>();
  app.route({
    method: 'GET',
    url: PATHS[product],
    exposeHeadRoute: false,
    config: { speaksWebSocket: true },
    schema: {
      summary: `Follow a ${product} order (WebSocket)`,
      description: `The order at once, on every change, and at its end. Frames are { type: "snapshot" | "update" | "final", seq, order }. Browsers offer the subprotocols ${SUBPROTOCOL} and ${SESSION_PREFIX}<session-id>. A network, or a server key, may hold ${SOCKETS_PER_ORDER} sockets to one order, and ${SOCKETS_PER_NETWORK} (a server key ${SOCKETS_PER_KEY}) in all; more is a 429 of the resource sockets.`,
      security: [{ session: [] }],
      params: OrderParams,
      querystring: Type.Object(ProofQuery),
    },
    onRequest: async (request, reply) => {
      const admitted = await enter(request, 'v2', 'requests', deps);
      if (isRefusal(admitted)) return sendSpoken(reply, speak(admitted, 'v2'));
    },
    preHandler: async (request, reply) => {
      if (!request.ws) return;
      const { id } = request.params as { id: string };
      const { verify } = request.query as { verify?: string };
      const placed = await readable(id, product, { session: offeredSession(request), verify }, deps);
      if (isRefusal(placed)) return sendSpoken(reply, speak(placed, 'v2'));
      const { places, who } = countedAs(callerOf(request), room);
      const atOrder = `${placed.order.id} ${who}`;
      if (room.orders.isFull(atOrder) || places.isFull(who)) {
        return sendSpoken(reply, speak(tooMany('sockets', CROWDED_RETRY_MS), 'v2'));
      }
      const leave = [room.orders.take(atOrder), places.take(who)];
      whenGone(request.raw.socket, () => {
        for (const one of leave) one();
      });
      proven.set(request, placed.order.id);
    },
    handler: (_, reply) =>
      sendSpoken(reply, speak(refuse('upgrade_required', 'Open this address as a WebSocket.'), 'v2')),
    wsHandler: (socket, request) => follow(socket, present(proven.get(request), 'a proven order'), deps),
  });
}

/** Calls back also when the socket went while the order was looked up, since it does not say so twice. */
function whenGone(socket: Socket, then: () => void): void {
  if (socket.destroyed) then();
  else socket.once('close', then);
}

function offeredSession(request: FastifyRequest): SessionId | undefined {
  const offered = header(request, 'sec-websocket-protocol')?.split(',') ?? [];
  const named = offered.map((one) => one.trim()).find((one) => one.startsWith(SESSION_PREFIX));
  return sessionOf(request) ?? parseSessionId(named?.slice(SESSION_PREFIX.length));
}

type FrameType = 'snapshot' | 'update' | 'final';

/** Followers of one order are mostly at the same frame, and then they are sent the same bytes. */
const frames = new WeakMap<OrderText, Map<string, Buffer>>();

function frameOf(text: OrderText, type: FrameType, seq: number): Buffer {
  const known = frames.get(text) ?? new Map<string, Buffer>();
  const head = `{"type":"${type}","seq":${seq},"order":`;
  const frame = known.get(head) ?? Buffer.from(`${head}${text.json}}`);
  frames.set(text, known.set(head, frame));
  return frame;
}

/**
 * Watches first and reads afterwards, so that no change falls between. One read and one frame at a time: while a client
 * is slow to take a frame, changes only mark the order as stale, and the next frame is the newest state.
 */
function follow(socket: WebSocket, id: OrderId, deps: ApiDeps): void {
  let isStale = true;
  let isBusy = false;
  let seq = 0;
  let shown = '';

  const send = (type: FrameType, text: OrderText): Promise<void> => {
    seq += 1;
    const frame = frameOf(text, type, seq);
    return new Promise((done) => socket.send(frame, { binary: false }, () => done()));
  };

  const show = async (): Promise<void> => {
    const placed = await deps.desk.find(id);
    if (!placed) return socket.close(1011);
    const text = await orderText(placed.order, deps);
    const isLast = isOver(placed.order);
    if (seq === 0) await send('snapshot', text);
    // An order moves in ways that no customer sees; then nothing but the time of its change would be new.
    else if (text.seen !== shown && !isLast) await send('update', text);
    shown = text.seen;
    if (!isLast) return;
    await send('final', text);
    socket.close(1000);
  };

  const pump = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    try {
      while (isStale && socket.readyState === socket.OPEN) {
        isStale = false;
        await show();
      }
    } catch (error) {
      deps.log.error(error, 'events');
      socket.close(1011);
    } finally {
      isBusy = false;
    }
  };

  const stop = deps.desk.watch(id, () => {
    isStale = true;
    void pump();
  });
  socket.on('close', stop);
  void pump();
}
