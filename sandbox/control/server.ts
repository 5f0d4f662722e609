import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { Bug } from '../../src/kernel/assert.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { RpcError } from '../../src/world/outbound/json-rpc.ts';
import { PATIENT } from '../simulators/rpc-server.ts';
import { collect } from './proxy.ts';

/** The caller asked for something that makes no sense. */
export class Refused extends Error {}

export const bad = (message: string): Refused => new Refused(message);

/** Takes the body of a POST, or the query of a GET. */
export type Call = (input: unknown) => Promise<unknown>;
/** By `METHOD /path`. */
export type Calls = Readonly<Record<string, Call>>;

/** A page for people, or where to go after a form was sent. */
export type PageReply = { readonly html: string } | { readonly to: string };
/** By `METHOD /path`; takes the fields of a form, or the query of a GET. */
export type Pages = Readonly<Record<string, (form: URLSearchParams) => Promise<PageReply>>>;

/** A call is the shape of its input and the work; what does not fit the shape never reaches the work. */
export function call<T extends TSchema>(shape: T, run: (input: Static<T>) => Promise<unknown>): Call {
  return async (input) => {
    const wrong = Value.Errors(shape, input).First();
    if (wrong) throw bad(`${wrong.path.slice(1) || 'input'}: ${wrong.message}`);
    return run(input as Static<T>);
  };
}

/** Requests that are no calls; true for those that were taken. */
export type Takes = (request: IncomingMessage, reply: ServerResponse) => boolean;

export interface Control {
  readonly url: string;
  /** Until it is opened it answers 503 to everything: the world is not there yet. */
  open(calls: Calls, pages: Pages, takes: Takes): void;
  close(): Promise<void>;
}

export async function startControl(port: number): Promise<Control> {
  let calls: Calls | undefined;
  let pages: Pages = {};
  let takes: Takes = () => false;
  const server = createServer(PATIENCE, (request, reply) => {
    const stranger = strangerIn(request.headers);
    if (stranger) return send(reply, 403, { error: stranger });
    if (takes(request, reply)) return;
    const url = urlOf(request);
    if (!url) return send(reply, 400, { error: 'the path of the request is none' });
    const show = pages[`${request.method} ${url.pathname}`];
    (show ? showPage(show, request, url, reply) : answerCall(calls, request, url, reply)).catch(() => reply.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open(table, shown, others) {
      calls = table;
      pages = shown;
      takes = others;
    },
    async close() {
      calls = undefined;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** undefined for what is no path, such as `//`: Node's parser lets it through. */
function urlOf({ url = '/' }: IncomingMessage): URL | undefined {
  return URL.canParse(url, 'http://sandbox') ? new URL(url, 'http://sandbox') : undefined;
}

async function answerCall(
  calls: Calls | undefined,
  request: IncomingMessage,
  url: URL,
  reply: ServerResponse,
): Promise<void> {
  const { status, body } = await answer(calls, request, url);
  send(reply, status, body);
}

/** As many as a test of many visitors opens; a request must be whole by then. */
const MAX_CONNECTIONS = 1_000;
const SLOWEST_MS = 15_000;
const PATIENCE = { ...PATIENT, requestTimeout: SLOWEST_MS, headersTimeout: SLOWEST_MS } as const;

const HERE = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])(?::\d{1,5})?$/i;

/**
 * Another site that is open in the same browser must not move the clock, nor read what is here. It may have given its own
 * name our address (DNS rebinding), which the host tells, or send a form or a script's request, which the origin tells.
 */
function strangerIn({ host = '', origin }: IncomingHttpHeaders): string | undefined {
  if (!HERE.test(host)) return 'the sandbox is called by an address of this computer: 127.0.0.1 or localhost';
  return origin === undefined || origin.toLowerCase() === `http://${host.toLowerCase()}`
    ? undefined
    : 'the sandbox takes nothing from pages of other sites';
}

async function showPage(
  show: Pages[string],
  request: IncomingMessage,
  { searchParams }: URL,
  reply: ServerResponse,
): Promise<void> {
  try {
    const sent = (await collect(request)).toString('utf8');
    const shown = await show(request.method === 'GET' ? searchParams : new URLSearchParams(sent));
    if ('to' in shown) reply.writeHead(303, { location: shown.to }).end();
    else reply.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(shown.html);
  } catch (error) {
    reply.writeHead(isNo(error) ? 400 : 503, { 'content-type': 'text/plain; charset=utf-8' });
    reply.end(`${(error as Error).message}\n`);
  }
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function answer(calls: Calls | undefined, request: IncomingMessage, url: URL): Promise<Answer> {
  if (!calls) return { status: 503, body: { error: 'the sandbox is starting', pid: process.pid } };
  const run = calls[`${request.method} ${url.pathname}`];
  if (!run) {
    const known = Object.keys(calls).some((route) => route.endsWith(` ${url.pathname}`));
    return known
      ? { status: 405, body: { error: `${url.pathname} does not take ${request.method}` } }
      : { status: 404, body: { error: `no such call: ${url.pathname.slice(0, 80)}` } };
  }
  try {
    const input = request.method === 'POST' ? await bodyOf(request) : Object.fromEntries(url.searchParams);
    return { status: 200, body: await run(input) };
  } catch (error) {
    const status = isNo(error) ? 400 : 503;
    return { status, body: { error: (error as Error).message } };
  }
}

/** The caller, a node or a check of ours says that it cannot be: asking again will not help. */
const isNo = (error: unknown): boolean =>
  error instanceof Refused ||
  error instanceof RpcError ||
  error instanceof Bug ||
  (error instanceof Fault && error.kind === 'permanent');

/** Browsers ask before they send JSON to another site, and send forms and plain text without asking. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json') {
    throw bad("the body is JSON and says so: -H 'content-type: application/json'");
  }
  try {
    return JSON.parse((await collect(request)).toString('utf8'));
  } catch {
    throw bad('the body is not JSON');
  }
}

function send(reply: ServerResponse, status: number, body: unknown): void {
  reply.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
}
