import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { MAX_REPLY_BYTES } from '../../../src/kernel/limits.ts';

/** An error of the protocol, with the code that the real node gives. */
export class RpcFailure extends Error {
  override readonly name = 'RpcFailure';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export type Method = (...params: readonly unknown[]) => unknown;

export interface RpcServer {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * JSON-RPC as bitcoind speaks it: positional parameters, and HTTP 500 around every error. No line stays open, so that
 * nobody asks on one that a restart has cut.
 */
export async function serve(methods: Readonly<Record<string, Method>>, port = 0): Promise<RpcServer> {
  const server = createServer(async (request, response) => {
    const [status, answer] = await read(request).then((body) => reply(methods, body));
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(answer));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a listening socket without a port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
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

const PARSE_ERROR = -32700;
const NO_METHOD = -32601;
/** RPC_MISC_ERROR: what the real node says when something of its own goes wrong. */
const BROKEN = -1;

function reply(methods: Readonly<Record<string, Method>>, body: string): readonly [number, unknown] {
  let id: unknown = null;
  try {
    const call = parse(body);
    id = call.id ?? null;
    const method = methods[call.method];
    if (!method) throw new RpcFailure(NO_METHOD, 'Method not found');
    return [200, { result: method(...call.params) ?? null, error: null, id }];
  } catch (error) {
    const code = error instanceof RpcFailure ? error.code : BROKEN;
    return [code === NO_METHOD ? 404 : 500, { result: null, error: { code, message: (error as Error).message }, id }];
  }
}

interface Call {
  readonly id?: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

function parse(body: string): Call {
  try {
    const { id, method, params } = JSON.parse(body) as Partial<Call>;
    return { id, method: String(method), params: Array.isArray(params) ? params : [] };
  } catch {
    throw new RpcFailure(PARSE_ERROR, 'Parse error');
  }
}
