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

export type Params = Readonly<Record<string, unknown>>;
/** Answers may hold bigints: they go out as the long JSON numbers that the real servers write. */
export type Method = (params: Params) => unknown;

export interface Protocol {
  /** Under /json_rpc. */
  readonly methods: Readonly<Record<string, Method>>;
  /** Each at a path of its own, without the envelope. */
  readonly paths: Readonly<Record<string, Method>>;
}

export interface RpcServer {
  readonly url: string;
  stop(): Promise<void>;
}

export async function serve({ methods, paths }: Protocol, port = 0): Promise<RpcServer> {
  const server = createServer(async (request, response) => {
    const [status, answer] = await read(request)
      .then((body) => reply(request.url ?? '', body, methods, paths))
      .catch((error: Error) => [500, { error: error.message }] as const);
    response.writeHead(status, { 'content-type': 'application/json' }).end(longNumbers(answer));
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
  return { url: `http://127.0.0.1:${address.port}`, stop };
}

async function read(request: IncomingMessage): Promise<Params> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_REPLY_BYTES) throw new Error('request too large');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}') as Params;
}

function reply(
  path: string,
  body: Params,
  methods: Protocol['methods'],
  paths: Protocol['paths'],
): readonly [number, unknown] {
  const plain = paths[path.slice(1)];
  if (plain) return [200, plain(body)];
  if (path !== '/json_rpc') return [404, {}];
  const envelope = { id: body.id, jsonrpc: '2.0' };
  try {
    const method = methods[String(body.method)];
    if (!method) throw new RpcFailure(-32601, 'Method not found');
    return [200, { ...envelope, result: method((body.params ?? {}) as Params) ?? {} }];
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error;
    return [200, { ...envelope, error: { code: error.code, message: error.message } }];
  }
}

/** No text of the protocol looks like this, so that quotes can be taken off again after JSON has put them on. */
const MARK = '#bigint:';

function longNumbers(answer: unknown): string {
  const text = JSON.stringify(answer, (_, value) => (typeof value === 'bigint' ? `${MARK}${value}` : value));
  return text.replace(new RegExp(`"${MARK}(\\d+)"`, 'g'), '$1');
}
