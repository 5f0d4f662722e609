import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Keeping } from '../../keeping.ts';
import type { Place } from '../../place.ts';
import { PATIENT } from '../rpc-server.ts';
import type { Desk } from './desk.ts';
import { type FaultBox, type ProviderFault, SLOW_MS } from './faults.ts';
import type { Market } from './market.ts';
import type { OrderChange } from './orders.ts';

export interface ProviderOptions {
  readonly places: readonly Place[];
  readonly market: Market;
  /** A new address of a chain, that only the provider knows. */
  readonly freshAddress: (chainId: number) => string;
  readonly port?: number;
  readonly now?: () => number;
  /** How often it looks at its addresses by itself; a question about an order looks at that one. */
  readonly pollMs?: number;
  readonly feeBps?: number;
  readonly fillMs?: number;
  /** Text from `snapshot()`: goes on where that one stopped. */
  readonly restore?: string;
  readonly keeping?: Keeping<OrderChange>;
}

export interface ProviderSimulator {
  readonly url: string;
  readonly port: number;
  setFault(fault: ProviderFault): void;
  clearFaults(): void;
  /** Whether an order has this deposit address. */
  takesDeposits(address: string): boolean;
  /** Looks at every order once, now. */
  look(): Promise<void>;
  snapshot(): string;
  close(): Promise<void>;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

export interface Protocol {
  answer(request: Request): Promise<Reply>;
  /** How the provider says that it will not. */
  readonly refusal: Reply;
}

const POLL_MS = 250;
const MAX_REQUEST_BYTES = 100_000;

export async function startServer(
  options: Pick<ProviderOptions, 'port' | 'pollMs'>,
  desk: Desk,
  faults: FaultBox,
  protocol: Protocol,
): Promise<ProviderSimulator> {
  const server = createServer(PATIENT, (request, response) => {
    serve(protocol, faults, request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stopped = new AbortController();
  const watching = watch(desk, options.pollMs ?? POLL_MS, stopped.signal);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    setFault: faults.set,
    clearFaults: faults.clear,
    takesDeposits: desk.takesDeposits,
    look: desk.lookAtAll,
    snapshot: desk.snapshot,
    async close() {
      stopped.abort();
      await watching;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function watch(desk: Desk, pollMs: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await desk.lookAround();
    await delay(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

async function serve(
  protocol: Protocol,
  faults: FaultBox,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const fault = faults.onRequest(request.method);
  if (fault?.mode === 'down') {
    request.socket.destroy();
    return;
  }
  if (fault?.mode === 'slow') await delay(fault.delayMs ?? SLOW_MS);
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://provider');
  const asked = { method: request.method ?? '', path: pathname, query: searchParams, body: await readBody(request) };
  const { status, body } = fault?.mode === 'reject' ? protocol.refusal : await protocol.answer(asked);
  const said =
    fault?.mode === 'error_after_effect' ? { status: 500, body: { message: 'Internal server error' } } : undefined;
  response
    .writeHead(said?.status ?? status, { 'content-type': 'application/json' })
    .end(JSON.stringify(said?.body ?? body));
}

async function readBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_REQUEST_BYTES) return {};
    chunks.push(chunk);
  }
  try {
    return (JSON.parse(Buffer.concat(chunks).toString('utf8')) ?? {}) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}
