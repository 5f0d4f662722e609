import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { MAX_REPLY_BYTES } from '../../src/kernel/limits.ts';

/** An error of the protocol, with the code that the real node gives. */
export class RpcFailure extends Error {
  override readonly name = 'RpcFailure';
  readonly code: number;
  /** What some nodes add to the message. */
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/**
 * When a process of the sandbox stands still for a moment, the next question must not meet a connection that is given up in the
 * same moment: whoever asks lets go of it long before (`src/world/outbound/http.ts`, or what `fetch` reads in our answers).
 */
export const PATIENT = { keepAliveTimeout: 120_000 } as const;

export interface RpcServer {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** What is said to one request: a status, the text of the body and, where it matters, more headers. */
export type Said = readonly [status: number, body: string, headers?: Readonly<Record<string, string>>];

export interface ServeOptions {
  readonly port?: number;
  /** Each answer closes its line, so that nobody asks on one that a restart has cut. */
  readonly closesLines?: boolean;
}

/** The body of each POST goes in as text, the answer comes out as JSON text. What is thrown is answered 500. */
export async function serveText(
  answer: (body: string, request: IncomingMessage) => Said | Promise<Said>,
  { port = 0, closesLines = false }: ServeOptions = {},
): Promise<RpcServer> {
  const headers = { 'content-type': 'application/json', ...(closesLines ? { connection: 'close' } : {}) };
  const server = createServer(PATIENT, async (request, response) => {
    const [status, body, more] = await read(request)
      .then((text) => answer(text, request))
      .catch((error: Error): Said => [500, JSON.stringify({ error: error.message })]);
    response.writeHead(status, { ...headers, ...more }).end(body);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a listening socket without a port');
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${address.port}`, port: address.port, stop };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_REPLY_BYTES) throw new Error('request too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export type Methods<P> = Readonly<Record<string, (params: P) => unknown>>;
/** What stands for parameters that a call leaves out, and for a result that a method leaves out. */
export interface Nothing<P> {
  readonly params: P;
  readonly result: unknown;
}

/** JSON-RPC 2.0: the answer to one call or to a batch of them. */
export function answerBody<P>(body: string, methods: Methods<P>, nothing: Nothing<P>): unknown {
  const { calls, isBatch, refused } = callsIn(body);
  if (refused) return refused;
  const answers = calls.map((call) => {
    const { id, run } = readCall(call, methods, nothing);
    try {
      return told(id, run() ?? nothing.result);
    } catch (error) {
      return untold(id, error);
    }
  });
  return isBatch ? answers : answers[0];
}

/** The same where methods may take their time; the calls of a batch go one after the other. */
export async function answerLater<P>(body: string, methods: Methods<P>, nothing: Nothing<P>): Promise<unknown> {
  const { calls, isBatch, refused } = callsIn(body);
  if (refused) return refused;
  const answers: object[] = [];
  for (const call of calls) {
    const { id, run } = readCall(call, methods, nothing);
    answers.push(
      await Promise.resolve()
        .then(run)
        .then(
          (result) => told(id, result ?? nothing.result),
          (error) => untold(id, error),
        ),
    );
  }
  return isBatch ? answers : answers[0];
}

interface Calls {
  readonly calls: readonly unknown[];
  readonly isBatch: boolean;
  readonly refused?: object;
}

function callsIn(body: string): Calls {
  try {
    const asked: unknown = JSON.parse(body);
    if (!Array.isArray(asked)) return { calls: [asked], isBatch: false };
    if (asked.length > 0) return { calls: asked, isBatch: true };
    return { calls: [], isBatch: false, refused: refusal(null, -32600, 'Invalid Request') };
  } catch {
    return { calls: [], isBatch: false, refused: refusal(null, -32700, 'Parse error') };
  }
}

interface ReadCall {
  readonly id: unknown;
  /** Throws a failure of the protocol, or whatever the method throws. */
  run(): unknown;
}

function readCall<P>(call: unknown, methods: Methods<P>, nothing: Nothing<P>): ReadCall {
  const { id = null, method, params } = (call ?? {}) as Readonly<Record<string, unknown>>;
  const run = () => {
    if (typeof call !== 'object' || call === null) throw new RpcFailure(-32600, 'Invalid Request');
    const known = methodOf(methods, method);
    if (!known) throw new RpcFailure(-32601, 'Method not found');
    return known((params ?? nothing.params) as P);
  };
  return { id, run };
}

const told = (id: unknown, result: unknown): object => ({ jsonrpc: '2.0', id, result });

function untold(id: unknown, error: unknown): object {
  if (error instanceof RpcFailure) return refusal(id, error.code, error.message, error.data);
  // Parameters of another kind than the method takes.
  if (error instanceof TypeError) return refusal(id, -32602, `Invalid params: ${error.message}`);
  throw error;
}

/** What every object has is no method of the node. */
export function methodOf<M>(methods: Readonly<Record<string, M>>, name: unknown): M | undefined {
  return Object.hasOwn(methods, String(name)) ? methods[String(name)] : undefined;
}

const refusal = (id: unknown, code: number, message: string, data?: unknown): object => ({
  ...{ jsonrpc: '2.0', id },
  error: { code, message, ...(data === undefined ? {} : { data }) },
});
