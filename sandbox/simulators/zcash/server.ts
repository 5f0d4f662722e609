import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { MAX_REPLY_BYTES } from '../../../src/kernel/limits.ts';

/** An error of the protocol, with the code that the real server gives. */
export class RpcFailure extends Error {
  override readonly name = 'RpcFailure';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export type Methods = Readonly<Record<string, (params: readonly unknown[]) => unknown>>;

export interface RpcServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** JSON-RPC by POST. With a login, only who brings it is answered. */
export async function serve(methods: Methods, login?: string): Promise<RpcServer> {
  const wanted = login && `Basic ${Buffer.from(login).toString('base64')}`;
  const server = createServer(async (request, response) => {
    const isWelcome = !wanted || request.headers.authorization === wanted;
    const [status, answer] = isWelcome ? await reply(request, methods) : [401, {}];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
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
  return { url: `http://127.0.0.1:${address.port}`, stop };
}

async function reply(request: IncomingMessage, methods: Methods): Promise<readonly [number, unknown]> {
  const envelope: { jsonrpc: string; id: unknown } = { jsonrpc: '2.0', id: null };
  try {
    const body = await read(request);
    envelope.id = body.id;
    const method = methods[String(body.method)];
    if (!method) throw new RpcFailure(-32601, 'Method not found');
    return [200, { ...envelope, result: method((body.params ?? []) as readonly unknown[]) ?? null }];
  } catch (error) {
    if (!(error instanceof RpcFailure)) return [500, { error: String(error) }];
    return [200, { ...envelope, error: { code: error.code, message: error.message } }];
  }
}

async function read(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_REPLY_BYTES) throw new Error('request too large');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
