import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One question on its way to a node, as far as a fault needs to understand it. */
export interface Passing {
  readonly path: string;
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
  /** Nothing reaches the node; this is the answer. */
  | { readonly fate: 'answer'; readonly body: unknown };

export interface ProxyServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Stands between the service and one node, so that the node can seem broken without being broken. */
export async function startProxy(upstream: string, judge: (passing: Passing) => Verdict): Promise<ProxyServer> {
  const server = createServer((incoming, reply) => {
    handle(upstream, judge, incoming, reply).catch(() => reply.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function handle(
  upstream: string,
  judge: (passing: Passing) => Verdict,
  incoming: IncomingMessage,
  reply: ServerResponse,
): Promise<void> {
  const body = await collect(incoming);
  const verdict = judge({ path: incoming.url ?? '/', calls: rpcCalls(body) });
  if (verdict.fate === 'drop') {
    reply.destroy();
    return;
  }
  if (verdict.fate === 'answer') {
    reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(verdict.body));
    return;
  }
  const answer = await forward(upstream, incoming, body);
  if (verdict.fate === 'lose_answer') {
    reply.writeHead(502).end('bad gateway');
    return;
  }
  if (verdict.fate === 'delay') await sleep(verdict.ms, undefined, { ref: false });
  reply.writeHead(answer.status, { 'content-type': answer.contentType }).end(answer.body);
}

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

function forward(upstream: string, incoming: IncomingMessage, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const contentType = incoming.headers['content-type'] ?? 'application/json';
    const outgoing = request(new URL(incoming.url ?? '/', upstream), {
      method: incoming.method ?? 'POST',
      headers: { 'content-type': contentType, 'content-length': body.length },
      // A line kept open may be closed by the node just as the next question leaves, which would look like a fault.
      agent: false,
    });
    outgoing.once('error', reject);
    outgoing.once('response', (response) => {
      collect(response).then(
        (bytes) =>
          resolve({
            status: response.statusCode ?? 502,
            contentType: response.headers['content-type'] ?? 'application/json',
            body: bytes,
          }),
        reject,
      );
    });
    outgoing.end(body);
  });
}

export async function collect(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function rpcCalls(body: Buffer): Passing['calls'] {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return (Array.isArray(parsed) ? parsed : [parsed]).filter(
      (call) => typeof (call as { method?: unknown } | null)?.method === 'string',
    );
  } catch {
    return [];
  }
}
