import { type IncomingMessage, Agent as PlainAgent, request as plainRequest, type RequestOptions } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { Fault, NoAnswer, ReplyTooLarge } from '../../kernel/fault.ts';
import { CALL_DEADLINE_MS, MAX_REPLY_BYTES } from '../../kernel/limits.ts';
import type { Secret } from '../../kernel/secret.ts';
import { challengeOf, digestAuth, type Login } from './login.ts';

export interface OutboundCall {
  /** The counterparty as an operator knows it: `chain:42161`, `venue`. */
  readonly at: string;
  /** What is asked, for logs, metrics and faults: `eth_getLogs`, `exchange:order`. Never a secret. */
  readonly label: string;
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly deadlineMs?: number;
  /** Where the reply may be larger than usual. */
  readonly maxBytes?: number;
  /** Proven by HTTP digest. A server that does not ask for it is refused, and never gets the body. */
  readonly digest?: Secret<Login>;
}

export interface OutboundReply {
  readonly status: number;
  readonly body: string;
}

/** The one door to the network. Everything that leaves the process passes it, so it can be watched, bounded and broken. */
export type Outbound = (call: OutboundCall) => Promise<OutboundReply>;

/** How a connection is made: over which line, and from which stock of open ones. */
interface Line {
  readonly isTls: boolean;
  readonly options: RequestOptions;
}

/** An open connection is used again for so long: shorter than servers keep theirs, so that none is closed under a call. */
const KEPT = { keepAlive: true, timeout: 4_000 } as const;
const PLAIN: Line = { isTls: false, options: { agent: new PlainAgent(KEPT) } };
const TLS: Line = { isTls: true, options: { agent: new TlsAgent(KEPT) } };

export const httpOutbound: Outbound = async (call) => {
  const line = call.url.startsWith('https:') ? TLS : PLAIN;
  return call.digest ? loggedIn(call, call.digest, line) : plain(call, line);
};

async function plain(call: OutboundCall, line: Line): Promise<OutboundReply> {
  const { status, body } = await exchange(call, line);
  return { status, body };
}

const UNAUTHORIZED = 401;

/** A server may tie its challenge to the connection on which it gave it: both questions go over one, and it ends with them. */
async function loggedIn(call: OutboundCall, login: Secret<Login>, { isTls }: Line): Promise<OutboundReply> {
  const { at, label, url, method } = call;
  const only = { keepAlive: true, maxSockets: 1 } as const;
  const agent = isTls ? new TlsAgent(only) : new PlainAgent(only);
  const line = { isTls, options: { agent } };
  try {
    const asked = await exchange({ ...call, body: '' }, line);
    const challenge = challengeOf(asked.challenges);
    if (asked.status !== UNAUTHORIZED) throw new Fault('permanent', at, `${label}: ${NO_LOGIN_ASKED}`);
    if (!challenge)
      throw new Fault('permanent', at, `${label}: the server asks for a login in a way that we do not speak`);
    const { pathname, search } = new URL(url);
    const authorization = digestAuth(login.reveal(), challenge, method, pathname + search);
    const reply = await plain({ ...call, headers: { ...call.headers, authorization } }, line);
    if (reply.status === UNAUTHORIZED) throw new Fault('transient', at, `${label}: the server refuses the login`);
    return reply;
  } finally {
    agent.destroy();
  }
}

/** Also said by those who look for it before they begin. */
export const NO_LOGIN_ASKED = 'the server answers without a login, so anybody on its computer could ask it';

/** The same door through a Unix socket. One connection a call: whoever listens there may restart between two. */
export const socketOutbound =
  (socketPath: string): Outbound =>
  (call) =>
    plain(call, { isTls: false, options: { socketPath, agent: false } });

/** Public endpoints turn callers away that do not say who they are. */
const WHO = { accept: '*/*', 'user-agent': 'Wherry/1' } as const;

/** An address or a header that is none will never be one. */
function begin({ at, label, url, method, headers, body = '' }: OutboundCall, { isTls, options }: Line) {
  const length = body && { 'content-length': Buffer.byteLength(body) };
  try {
    return (isTls ? tlsRequest : plainRequest)(url, { ...options, method, headers: { ...WHO, ...headers, ...length } });
  } catch (error) {
    throw new Fault('permanent', at, `${label}: ${(error as Error).message}`, error);
  }
}

interface Exchanged extends OutboundReply {
  /** How the server wants callers to log in. */
  readonly challenges: readonly string[];
}

/**
 * Where no connection came about, nothing happened; any later failure leaves open what the other side did.
 * HTTP statuses are returned, not thrown: their meaning belongs to each protocol.
 */
function exchange(call: OutboundCall, line: Line): Promise<Exchanged> {
  const { at, label, body, deadlineMs = CALL_DEADLINE_MS, maxBytes = MAX_REPLY_BYTES } = call;
  return new Promise((resolve, reject) => {
    let isConnected = false;
    const asking = begin(call, line);
    const timer = setTimeout(() => fail(new Error(`no answer within ${deadlineMs} ms`), NoAnswer), deadlineMs);
    const fail = (error: NodeJS.ErrnoException, Kind = Fault): void => {
      clearTimeout(timer);
      const kind = isConnected ? 'ambiguous' : 'transient';
      reject(new Kind(kind, at, `${label}: ${error.code ?? error.message}`, error));
      asking.destroy();
    };
    asking.once('socket', (socket) => {
      isConnected = !socket.connecting;
      if (!isConnected)
        socket.once(line.isTls ? 'secureConnect' : 'connect', () => {
          isConnected = true;
        });
    });
    asking.on('error', (error) => fail(error));
    asking.once('response', (reply) => {
      const { statusCode: status = 0 } = reply;
      const chunks: Buffer[] = [];
      let size = 0;
      reply.on('data', (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size > maxBytes) fail(new Error(`reply over ${maxBytes} bytes`), ReplyTooLarge);
      });
      reply.on('error', (error) => fail(error));
      reply.once('end', () => {
        clearTimeout(timer);
        if (status >= 300 && status < 400) fail(new Error(`HTTP ${status}, redirects are not followed`));
        else resolve({ status, body: Buffer.concat(chunks).toString('utf8'), challenges: challengesOf(reply) });
      });
    });
    asking.end(body);
  });
}

/** One header line each: joined, they could not be told apart. */
const challengesOf = ({ rawHeaders }: IncomingMessage): readonly string[] =>
  rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'www-authenticate');
