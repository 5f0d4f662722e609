import { IncomingMessage } from 'node:http';
import websocket from '@fastify/websocket';
import type { FastifyInstance } from 'fastify';
import type { WebSocket } from 'ws';
import { CLOSING_MS, MAX_CLIENT_FRAME_BYTES, PING_MS } from './limits.ts';
import { SUBPROTOCOL } from './v2/events.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A socket may be opened here; anywhere else the wish is refused. */
    readonly speaksWebSocket?: true;
  }
}

/**
 * A request as the server reads it. Asking for another protocol than WebSocket, as Java's client does for HTTP/2, may be
 * ignored (RFC 9110, 7.8): the server would otherwise hand such a request over with its body unread.
 */
export class PlainOrSocket extends IncomingMessage {
  private isAsked = false;

  get upgrade(): boolean {
    return this.isAsked && this.headers.upgrade?.toLowerCase() === 'websocket';
  }

  set upgrade(isAsked: boolean | null) {
    this.isAsked = isAsked ?? false;
  }
}

/** Pings keep the sockets of this process alive, and they are told to come back when it stops. */
export async function registerSockets(app: FastifyInstance): Promise<void> {
  await app.register(websocket, {
    options: {
      maxPayload: MAX_CLIENT_FRAME_BYTES,
      perMessageDeflate: false,
      // The session that a browser offers beside it is never echoed.
      handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
    },
    // A client that breaks the protocol or vanishes is its own affair.
    errorHandler: (_, socket) => socket.terminate(),
    preClose(done) {
      app.server.removeAllListeners('upgrade');
      closeAll(app.websocketServer.clients).then(() => done(), done);
    },
  });
  nameUpgrades(app);
  const stopPinging = pingAll(app.websocketServer.clients);
  app.addHook('onClose', async () => stopPinging());
}

/** The answer that opens a socket is written past the framework; it names its request like every other. */
function nameUpgrades(app: FastifyInstance): void {
  const names = new WeakMap<IncomingMessage, string>();
  app.addHook('onRequest', ({ ws, raw, id }, _, done) => {
    if (ws) names.set(raw, id);
    done();
  });
  app.websocketServer.on('headers', (headers, raw) => headers.push(`X-Request-Id: ${names.get(raw)}`));
}

/** A socket that has not answered the last ping when the next is due is gone. */
function pingAll(sockets: ReadonlySet<WebSocket>): () => void {
  const silent = new WeakSet<WebSocket>();
  const timer = setInterval(() => {
    for (const socket of sockets) {
      if (silent.has(socket)) {
        socket.terminate();
        continue;
      }
      silent.add(socket);
      socket.once('pong', () => silent.delete(socket));
      socket.ping();
    }
  }, PING_MS);
  timer.unref();
  return () => clearInterval(timer);
}

async function closeAll(sockets: ReadonlySet<WebSocket>): Promise<void> {
  const all = [...sockets];
  const timer = setTimeout(() => {
    for (const socket of all) socket.terminate();
  }, CLOSING_MS);
  await Promise.all(
    all.map((socket) => {
      const closed = new Promise<void>((done) => socket.once('close', () => done()));
      socket.close(1012, 'restarting');
      return closed;
    }),
  );
  clearTimeout(timer);
}
