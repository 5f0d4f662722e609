import { EventEmitter } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import http, { type IncomingMessage, type RequestOptions, type ServerResponse } from 'node:http';

/**
 * Whoever listens in a sealed process and whoever asks him are joined by a call in place of a network. What is said is the same to the letter: a
 * method, a path, headers and a body, and a status, headers and a body; or the line breaks.
 */
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const listening = new Map<string, Answer>();
const FIRST_PORT = 20_000;
const LAST_PORT = 60_000;
let lastPort = FIRST_PORT;

function freePort(): number {
  do lastPort = lastPort >= LAST_PORT ? FIRST_PORT : lastPort + 1;
  while (listening.has(`127.0.0.1:${lastPort}`));
  return lastPort;
}

/** A server that has never a socket, but for the file by which others find one. */
function serverOf(real: http.Server): http.Server {
  let [place, port] = ['', 0];
  // Nobody's lines have to be counted.
  real.removeAllListeners('listening');
  const listen = (where: number | string, ...more: readonly unknown[]): http.Server => {
    if (typeof where === 'string') writeFileSync(where, '');
    else port = where || freePort();
    place = typeof where === 'string' ? where : `127.0.0.1:${port}`;
    listening.set(place, (request, response) => void real.emit('request', request, response));
    const onListening = more.at(-1);
    if (typeof onListening === 'function') real.once('listening', onListening as () => void);
    process.nextTick(() => real.emit('listening'));
    return real;
  };
  const close = (onClosed?: () => void): http.Server => {
    listening.delete(place);
    if (place.startsWith('/')) rmSync(place, { force: true });
    if (onClosed) real.once('close', onClosed);
    process.nextTick(() => real.emit('close'));
    return real;
  };
  return Object.assign(real, { listen, close, address: () => ({ port, address: '127.0.0.1', family: 'IPv4' }) });
}

class Broken extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** One line each, as they stand on the wire. */
const linesOf = (headers: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(headers).flatMap(([name, value]) => [name, String(value)]);
const lowered = (headers: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));

/** A connection, by whoever keeps it open. */
const kept = new WeakMap<object, object>();

class Question extends EventEmitter {
  readonly #answer: Answer | undefined;
  readonly #url: URL;
  readonly #options: RequestOptions;
  #isOver = false;

  constructor(url: URL, options: RequestOptions) {
    super();
    this.#url = url;
    this.#options = options;
    this.#answer = listening.get(options.socketPath ?? url.host);
  }

  end(body = ''): this {
    process.nextTick(() => this.#ask(body));
    return this;
  }

  destroy(): this {
    this.#isOver = true;
    return this;
  }

  #line(): object {
    const { agent } = this.#options;
    if (typeof agent !== 'object') return {};
    const line = kept.get(agent) ?? {};
    kept.set(agent, line);
    return line;
  }

  #ask(body: string): void {
    if (!this.#answer) {
      this.emit('error', new Broken('ECONNREFUSED'));
      return;
    }
    this.emit('socket', { connecting: false });
    const line = this.#line();
    const cut = () => {
      if (this.#isOver) return;
      this.#isOver = true;
      process.nextTick(() => this.emit('error', new Broken('ECONNRESET')));
    };
    const request = {
      method: this.#options.method ?? 'GET',
      url: this.#url.pathname + this.#url.search,
      headers: lowered((this.#options.headers ?? {}) as Record<string, unknown>),
      socket: Object.assign(line, { destroy: cut }),
      async *[Symbol.asyncIterator]() {
        if (body) yield Buffer.from(body);
      },
    };
    this.#answer(request as unknown as IncomingMessage, this.#response(cut) as unknown as ServerResponse);
  }

  #response(cut: () => void) {
    let [status, headers] = [200, {} as Readonly<Record<string, unknown>>];
    const response = {
      writeHead: (code: number, more: Readonly<Record<string, unknown>> = {}) => {
        [status, headers] = [code, more];
        return response;
      },
      end: (text = '') => {
        if (this.#isOver) return;
        this.#isOver = true;
        const reply = Object.assign(new EventEmitter(), { statusCode: status, rawHeaders: linesOf(headers) });
        process.nextTick(() => {
          this.emit('response', reply);
          if (text) reply.emit('data', Buffer.from(text));
          reply.emit('end');
        });
      },
      destroy: cut,
    };
    return response;
  }
}

const real = { createServer: http.createServer, request: http.request };

/** In place of those of `node:http`. */
export const wires = (isInside: () => boolean) => ({
  createServer: ((...parts: Parameters<typeof http.createServer>) => {
    const server = real.createServer(...parts);
    return isInside() ? serverOf(server) : server;
  }) as typeof http.createServer,
  request: ((url: string, options: RequestOptions) => {
    const at = new URL(url);
    const isInner = listening.has(options.socketPath ?? at.host) || isInside();
    return isInner ? new Question(at, options) : real.request(url, options);
  }) as unknown as typeof http.request,
});
