import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import WebSocket from 'ws';
import type { ApiDeps } from '../../src/api/deps.ts';
import { BUY_ORDER, bench, NO_LIMITS } from './bench.ts';

interface Frame {
  readonly type: string;
  readonly seq: number;
  readonly order: {
    readonly orderId: string;
    readonly status: string;
    readonly updatedAt: string;
    readonly hlFills: readonly unknown[];
  };
}

interface Listener {
  readonly socket: WebSocket;
  next(): Promise<Frame>;
  readonly closed: Promise<number>;
}

/** An API that listens, with one order in it. */
export async function listening(t: TestContext, change: Partial<ApiDeps> = {}) {
  const made = await bench({ quota: NO_LIMITS, ...change });
  t.after(() => made.api.close());
  await made.api.listen({ host: '127.0.0.1', port: 0 });
  const { port } = made.api.server.address() as AddressInfo;
  const { orderId, sessionId } = (await made.post('/v2/swaps', BUY_ORDER)).json();
  const owner = { 'x-session-id': sessionId };
  const url = `ws://127.0.0.1:${port}/v2/swaps/${orderId}/events`;
  const read = async () => (await made.get(`/v2/swaps/${orderId}`, owner)).json();
  return { ...made, orderId, sessionId, owner, url, read };
}

export function listen(url: string, headers: Record<string, string> = {}, protocols: string[] = []): Listener {
  const socket = new WebSocket(url, protocols, { headers });
  const frames: Frame[] = [];
  const waiting: ((frame: Frame) => void)[] = [];
  socket.on('message', (data) => {
    const frame: Frame = JSON.parse(data.toString());
    const take = waiting.shift();
    if (take) take(frame);
    else frames.push(frame);
  });
  return {
    socket,
    next: () => {
      const frame = frames.shift();
      return frame ? Promise.resolve(frame) : new Promise((take) => waiting.push(take));
    },
    closed: once(socket, 'close').then(([code]) => code as number),
  };
}

/** How an upgrade was refused. */
export async function refusal(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: unknown }> {
  const socket = new WebSocket(url, { headers });
  const [, response] = await once(socket, 'unexpected-response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  assert.match(response.headers['x-request-id'], /^[0-9a-f]{24}$/);
  return { status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) };
}
