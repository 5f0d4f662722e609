import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { Bug } from '../../src/kernel/assert.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { RpcError } from '../../src/world/outbound/json-rpc.ts';
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
/** By `METHOD /path`; takes the fields of a form. */
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
  const server = createServer((request, reply) => {
    if (takes(request, reply)) return;
    const show = pages[`${request.method} ${request.url}`];
    (show ? showPage(show, request, reply) : answerCall(calls, request, reply)).catch(() => reply.destroy());
  });
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

async function answerCall(calls: Calls | undefined, request: IncomingMessage, reply: ServerResponse): Promise<void> {
  const { status, body } = await answer(calls, request);
  send(reply, status, body);
}

/** Forms are taken from the page itself alone: another site open in the same browser must not move the clock. */
async function showPage(show: Pages[string], request: IncomingMessage, reply: ServerResponse): Promise<void> {
  const { origin, host } = request.headers;
  if (origin !== undefined && origin !== `http://${host}`) return void reply.writeHead(403).end();
  try {
    const shown = await show(new URLSearchParams((await collect(request)).toString('utf8')));
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

async function answer(calls: Calls | undefined, request: IncomingMessage): Promise<Answer> {
  if (!calls) return { status: 503, body: { error: 'the sandbox is starting', pid: process.pid } };
  const url = new URL(request.url ?? '/', 'http://sandbox');
  const run = calls[`${request.method} ${url.pathname}`];
  if (!run) {
    const known = Object.keys(calls).some((route) => route.endsWith(` ${url.pathname}`));
    return known
      ? { status: 405, body: { error: `${url.pathname} does not take ${request.method}` } }
      : { status: 404, body: { error: `no such call: ${url.pathname.slice(0, 80)}` } };
  }
  try {
    const input = request.method === 'POST' ? parseBody(await collect(request)) : Object.fromEntries(url.searchParams);
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

function parseBody(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw bad('the body is not JSON');
  }
}

function send(reply: ServerResponse, status: number, body: unknown): void {
  reply.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
}
