import { chmodSync, chownSync, unlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { Bug } from '../kernel/assert.ts';
import { Fault } from '../kernel/fault.ts';
import { CALL_DEADLINE_MS, MAX_BODY_BYTES } from '../kernel/limits.ts';
import type { Core } from './core.ts';
import type { RailWallet } from './family.ts';
import { journalRequest, signedTradeRequest, signedTransferRequest } from './journal-wire.ts';
import type { PublicKeys } from './request.ts';
import { Malformed, record, type Shape } from './shape.ts';
import type { Refusal } from './verdict.ts';
import {
  addressesRequest,
  balanceRequest,
  moveRequest,
  signedForRequest,
  splitRequest,
  toWire,
  tradeRequest,
  transferRequest,
} from './wire.ts';

/** Shaped like pino's. */
export interface SignerLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export interface Desk {
  readonly core: Core;
  /** May wait for a wallet that tells its own address. */
  publicKeys(): Promise<PublicKeys>;
  /** By family, where callers need more of it than payments. */
  readonly wallets: ReadonlyMap<string, RailWallet>;
  readonly log: SignerLog;
}

export interface SignerServer {
  /** Takes no more calls, lets those under way finish. */
  close(): Promise<void>;
}

/** A caller that holds more connections than this is not one of ours. */
const MAX_CONNECTIONS = 128;

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

type Route = (body: unknown) => Promise<Reply>;

/** A Unix socket, who may open it, and what is answered there. */
export interface Door {
  readonly path: string;
  /** Of the file system: who may open the socket may call. */
  readonly mode: number;
  /** The group whose members the mode speaks of, by number; our own without it. */
  readonly group?: number | undefined;
  /** `public`: what signs nothing, tells no wallet's secrets and changes nothing. */
  readonly calls: 'all' | 'public';
}

/** What whoever takes orders must know: our own addresses, and what the journal says. */
const PUBLIC_CALLS: ReadonlySet<string> = new Set(['GET /public', 'GET /healthz', 'POST /journal']);

/** HTTP on a Unix socket that only those may open who are meant to. */
export async function serveSigner(door: Door, desk: Desk): Promise<SignerServer> {
  const all = routesOf(desk);
  const routes = door.calls === 'all' ? all : new Map([...all].filter(([call]) => PUBLIC_CALLS.has(call)));
  const server = createServer(
    {
      requestTimeout: CALL_DEADLINE_MS,
      headersTimeout: CALL_DEADLINE_MS,
      connectionsCheckingInterval: CALL_DEADLINE_MS / 15,
    },
    (request, response) => {
      handle(request, routes, desk.log).then((reply) => send(response, reply));
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    const before = process.umask(0o177);
    server.listen(door.path, resolve);
    process.umask(before);
  });
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  try {
    letIn(door);
    return { close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Nobody else can open it before it is the right group's. */
function letIn({ path, group, mode }: Door): void {
  try {
    if (group !== undefined) chownSync(path, -1, group);
  } catch (error) {
    throw new Fault('permanent', 'signer', `the socket ${path} cannot be given to group ${group}`, error);
  }
  chmodSync(path, mode);
}

/** Clears away the socket of a signer that died; two living signers must never share a journal. */
export async function expectFree(socketPath: string): Promise<void> {
  const code = await new Promise<string>((resolve) => {
    const probe = connect(socketPath, () => {
      probe.destroy();
      resolve('alive');
    });
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
  if (code === 'ENOENT') return;
  if (code !== 'ECONNREFUSED') throw new Fault('permanent', 'signer', `the socket ${socketPath} is taken (${code})`);
  unlinkSync(socketPath);
}

function routesOf({ core, publicKeys, wallets, log }: Desk): ReadonlyMap<string, Route> {
  const noted = (what: string, name: string, answer: object | Refusal): Reply => {
    const isRefusal = 'refused' in answer;
    log[isRefusal ? 'warn' : 'info']({ what, name, ...(isRefusal ? answer : {}) }, isRefusal ? 'refused' : 'signed');
    return { status: isRefusal ? 422 : 200, body: answer };
  };
  const signing: [string, Route][] = [
    ['POST /transfer', takes(transferRequest, async (it) => noted('transfer', it.intent, await core.transfer(it)))],
    ['POST /trade', takes(tradeRequest, async (it) => noted('trade', it.ticket.clientId, await core.trade(it)))],
    ['POST /move', takes(moveRequest, async (it) => noted('move', it.intent, await core.move(it)))],
  ];
  const telling: [string, Route][] = [
    ['POST /signed-for', takes(signedForRequest, async (it) => ok(core.signedFor(it) ?? {}))],
    ['POST /signed-trade', takes(signedTradeRequest, async (it) => ok(core.signedTrade(it) ?? {}))],
    ['POST /signed-transfer', takes(signedTransferRequest, async (it) => ok((await core.signedTransfer(it)) ?? {}))],
    ['POST /journal', takes(journalRequest, async (it) => ok(core.since(it)))],
    ['GET /public', takes(nothing, async () => ok(await publicKeys()))],
    ['GET /healthz', takes(nothing, async () => ok({ status: 'ok' }))],
  ];
  const withWallet = async (family: string, work: (wallet: RailWallet) => Promise<Reply | undefined>) => {
    const wallet = wallets.get(family);
    return (wallet && (await work(wallet))) ?? malformed('family');
  };
  const ofWallets: [string, Route][] = [
    [
      'POST /addresses',
      takes(addressesRequest, ({ family, first, count }) =>
        withWallet(family, async (it) => ok({ deposits: await it.depositAddresses(first, count) })),
      ),
    ],
    [
      'POST /balance',
      takes(balanceRequest, ({ family }) => withWallet(family, async (it) => it.balance && ok(await it.balance()))),
    ],
    [
      'POST /split',
      takes(splitRequest, (request) =>
        withWallet(request.family, async (it) => {
          if (!it.asTransfer) return undefined;
          const answer = await core.split(it.asTransfer(request));
          return answer ? noted('split', request.intent, answer) : ok({});
        }),
      ),
    ],
  ];
  return new Map([...signing, ...telling, ...ofWallets]);
}

const nothing = record<Record<never, never>>({});
const ok = (body: object): Reply => ({ status: 200, body });
const NOT_FOUND: Reply = { status: 404, body: { error: 'not_found' } };
const TOO_LARGE: Reply = { status: 413, body: { error: 'too_large' } };
/** Nobody reads it. */
const GONE: Reply = { status: 400, body: { error: 'gone' } };

function takes<T>(shape: Shape<T>, run: (input: T) => Promise<Reply>): Route {
  return async (body) => {
    const input = shape(body);
    return input instanceof Malformed ? malformed(input.field) : run(input);
  };
}

const malformed = (field: string): Reply => ({ status: 400, body: { error: 'malformed', field } });

async function handle(request: IncomingMessage, routes: ReadonlyMap<string, Route>, log: SignerLog): Promise<Reply> {
  const route = routes.get(`${request.method} ${request.url}`);
  if (!route) return NOT_FOUND;
  try {
    const text = await readBody(request);
    if (text === undefined) return TOO_LARGE;
    if (await hasGone(request)) return GONE;
    const body = parseJson(text);
    return body instanceof Malformed ? malformed('body') : await route(body);
  } catch (error) {
    return failure(error, log);
  }
}

/** Only errors of our own kind are quoted: what a library says about a key it did not like stays here. */
function failure(error: unknown, log: SignerLog): Reply {
  if (error instanceof Fault) {
    const { kind, at, message } = error;
    log.warn({ kind, at, message }, 'fault');
    return { status: 503, body: { fault: kind, at, message } };
  }
  const told = error instanceof Bug ? error.message : error instanceof Error ? error.name : typeof error;
  log.error({ told }, 'bug');
  return { status: 500, body: { error: 'bug' } };
}

/**
 * Whoever went away asks elsewhere what became of his call, and goes by the answer: a call that lay unread meanwhile is not carried out after it.
 * That the connection has ended is known once everything that lay unread is read.
 */
async function hasGone({ socket }: IncomingMessage): Promise<boolean> {
  await new Promise((resolve) => setImmediate(resolve));
  return socket.destroyed || socket.readableEnded;
}

/** undefined: larger than we read, or the caller went away and nobody reads the answer. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return new Malformed('body');
  }
}

function send(response: ServerResponse, { status, body }: Reply): void {
  const text = toWire(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    // What is left of an oversized body is not read.
    ...(status === 413 ? { connection: 'close' } : {}),
  });
  response.end(text);
}
