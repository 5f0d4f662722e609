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

/** Answers may hold bigints; they go out as JSON numbers, as the real node writes them. */
export type Methods = Readonly<Record<string, (params: readonly unknown[]) => unknown>>;

interface Call {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: readonly unknown[];
}

export interface RpcServer {
  readonly rpcUrl: string;
  stop(): Promise<void>;
}

/** JSON-RPC with positional parameters at one path. */
export async function serveRpc(methods: Methods): Promise<RpcServer> {
  const server = createServer(async (request, response) => {
    const [status, answer] = await read(request)
      .then((call) => [200, reply(call, methods)] as const)
      .catch((error: Error) => [500, { error: error.message }] as const);
    response.writeHead(status, { 'content-type': 'application/json' }).end(toJson(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a listening socket without a port');
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { rpcUrl: `http://127.0.0.1:${address.port}`, stop };
}

async function read(request: IncomingMessage): Promise<Call> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_REPLY_BYTES) throw new Error('request too large');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Call;
}

function reply({ id, method = '', params = [] }: Call, methods: Methods): object {
  const envelope = { jsonrpc: '2.0', id };
  try {
    const run = methods[method];
    if (!run) throw new RpcFailure(-32601, 'Method not found');
    return { ...envelope, result: run(params) ?? null };
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error;
    return { ...envelope, error: { code: error.code, message: error.message } };
  }
}

/** Amounts of the box stay within what a JSON number holds exactly. */
const toJson = (answer: unknown): string =>
  JSON.stringify(answer, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value));
