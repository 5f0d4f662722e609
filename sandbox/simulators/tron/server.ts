import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PATIENT } from '../rpc-server.ts';
import type { Params, Replies } from './reply.ts';

export interface TronServer {
  readonly url: string;
  stop(): Promise<void>;
}

const MAX_REQUEST_BYTES = 1_000_000;

/** Questions come as JSON or in the query; what goes wrong in answering is told in `Error`, with HTTP 200. */
export async function serve(replies: Replies, port = 0): Promise<TronServer> {
  const server = createServer(PATIENT, async (request, response) => {
    // An address is not read as a whole: `//` is a path and no host.
    const [path = '', query] = (request.url ?? '').split('?', 2);
    const reply = replies[path];
    if (!reply) {
      response.writeHead(404).end();
      return;
    }
    const answer = await read(request)
      .then((body) => reply({ ...Object.fromEntries(new URLSearchParams(query)), ...body }))
      .catch((error: Error) => ({ Error: `${error.name} : ${error.message}` }));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function read(request: IncomingMessage): Promise<Params> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_REQUEST_BYTES) throw new Error('request too large');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}') as Params;
}
