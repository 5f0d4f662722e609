import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, createServer as createDoor, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENT } from '../simulators/rpc-server.ts';

/** One question on its way to a node, as far as a fault needs to understand it. */
export interface Passing {
  readonly path: string;
  /** What the body holds, where it is JSON. */
  readonly body: unknown;
  /** JSON-RPC calls in the body, several in a batch; none where the node speaks plain HTTP. */
  readonly calls: readonly { readonly id: unknown; readonly method: string; readonly params: unknown }[];
}

export type Verdict =
  | { readonly fate: 'pass' }
  /** The node is not there: nothing reaches it and the line goes dead. */
  | { readonly fate: 'drop' }
  /** The node does it, and takes its time to say so. */
  | { readonly fate: 'delay'; readonly ms: number }
  /** The node does it, and the answer is lost. */
  | { readonly fate: 'lose_answer' }
  /** The node answers, and its answer is told otherwise. */
  | { readonly fate: 'rewrite'; readonly change: (answer: unknown) => unknown }
  /** Nothing reaches the node; this is the answer, with status 200 unless another is named. */
  | { readonly fate: 'answer'; readonly body: unknown; readonly status?: number };

export interface ProxyServer {
  readonly url: string;
  close(): Promise<void>;
}

export interface Judge {
  /** Nothing waits for the questions on this way: they need not be understood. */
  isCalm(): boolean;
  judge(passing: Passing): Verdict;
}

/** Stands between the service and one node, so that the node can seem broken without being broken. */
export async function startProxy(upstream: string, { isCalm, judge }: Judge): Promise<ProxyServer> {
  const judging = createServer(PATIENT, (incoming, reply) => {
    handle(upstream, judge, incoming, reply).catch(() => reply.destroy());
  });
  const lines = new Set<Socket>();
  const door = createDoor((line) => {
    lines.add(line);
    line.once('close', () => lines.delete(line));
    passOn(line, new URL(upstream), isCalm, () => judging.emit('connection', line));
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  return {
    url: `http://127.0.0.1:${(door.address() as AddressInfo).port}`,
    async close() {
      door.close();
      for (const line of lines) line.destroy();
      await once(door, 'close');
    },
  };
}

/**
 * Bytes go both ways as they come, which costs a fraction of reading them, until a question begins that is to be judged: nobody
 * sends one before the last is answered.
 */
function passOn(line: Socket, { hostname, port }: URL, isCalm: () => boolean, takeOver: () => void): void {
  const node = connect(Number(port), hostname);
  let isBetween = true;
  const ask = (bytes: Buffer) => {
    if (isBetween && !isCalm()) {
      line.off('data', ask).off('close', end);
      node.unpipe(line).off('close', lose).destroy();
      takeOver();
      line.unshift(bytes);
      return;
    }
    isBetween = false;
    node.write(bytes);
  };
  const end = () => node.destroy();
  const lose = () => line.destroy();
  node.on('data', () => {
    isBetween = true;
  });
  node.on('error', lose).on('close', lose).pipe(line);
  line.on('error', end).on('close', end).on('data', ask);
}

async function handle(
  upstream: string,
  judge: (passing: Passing) => Verdict,
  incoming: IncomingMessage,
  reply: ServerResponse,
): Promise<void> {
  const body = await collect(incoming);
  const json = parsed(body);
  const verdict = judge({ path: incoming.url ?? '/', body: json, calls: rpcCalls(json) });
  if (verdict.fate === 'drop') {
    reply.destroy();
    return;
  }
  if (verdict.fate === 'answer') {
    reply.writeHead(verdict.status ?? 200, JSON_TYPE).end(JSON.stringify(verdict.body));
    return;
  }
  const answer = await forward(upstream, incoming, body);
  if (verdict.fate === 'lose_answer') {
    reply.writeHead(502).end('bad gateway');
    return;
  }
  if (verdict.fate === 'rewrite') {
    reply.writeHead(answer.status, JSON_TYPE).end(JSON.stringify(verdict.change(parsed(answer.body))));
    return;
  }
  if (verdict.fate === 'delay') await sleep(verdict.ms, undefined, { ref: false });
  reply.writeHead(answer.status, { 'content-type': answer.contentType, ...answer.challenge }).end(answer.body);
}

const JSON_TYPE = { 'content-type': 'application/json' };

interface Answer {
  readonly status: number;
  readonly contentType: string;
  /** How the node wants its callers to log in, where it turned this one away. */
  readonly challenge: OutgoingHttpHeaders;
  readonly body: Buffer;
}

/** Longer than an answer is ever held back, shorter than any server here keeps a line. */
const KEPT_MS = 20_000;

/** Whoever keeps a line to us has one to the node, for nodes may know their callers by it: who logs in asks twice on one line. */
const LINES = new WeakMap<Socket, Agent>();

function lineOf(socket: Socket): Agent {
  const known = LINES.get(socket);
  if (known) return known;
  const line = new Agent({ keepAlive: true, timeout: KEPT_MS });
  LINES.set(socket, line);
  socket.once('close', () => line.destroy());
  return line;
}

/** A node may give up a line just as the next question leaves on it. It has read nothing then, and is asked again. */
async function forward(upstream: string, incoming: IncomingMessage, body: Buffer): Promise<Answer> {
  try {
    return await forwardOn(lineOf(incoming.socket), upstream, incoming, body);
  } catch (error) {
    if (!(error instanceof LineGivenUp)) throw error;
    return forwardOn(false, upstream, incoming, body);
  }
}

class LineGivenUp extends Error {}

function forwardOn(agent: Agent | false, upstream: string, incoming: IncomingMessage, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { authorization, 'content-type': contentType = 'application/json' } = incoming.headers;
    const login = authorization === undefined ? {} : { authorization };
    const outgoing = request(new URL(incoming.url ?? '/', upstream), {
      method: incoming.method ?? 'POST',
      headers: { 'content-type': contentType, 'content-length': body.length, ...login },
      agent,
    });
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      reject(outgoing.reusedSocket && error.code === 'ECONNRESET' ? new LineGivenUp() : error);
    });
    outgoing.once('response', (response) => {
      collect(response).then(
        (bytes) =>
          resolve({
            status: response.statusCode ?? 502,
            contentType: response.headers['content-type'] ?? 'application/json',
            challenge: challengeIn(response),
            body: bytes,
          }),
        reject,
      );
    });
    outgoing.end(body);
  });
}

function challengeIn({ headersDistinct }: IncomingMessage): OutgoingHttpHeaders {
  const { 'www-authenticate': challenge } = headersDistinct;
  return challenge === undefined ? {} : { 'www-authenticate': challenge };
}

export async function collect(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function rpcCalls(json: unknown): Passing['calls'] {
  return (Array.isArray(json) ? json : [json]).filter(
    (call) => typeof (call as { method?: unknown } | null | undefined)?.method === 'string',
  );
}
