import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import { parseUnits } from '../../../src/kernel/amount.ts';
import type { Keeping } from '../../keeping.ts';
import { PATIENT } from '../rpc-server.ts';
import { accountOf, record, spotSend } from './accounts.ts';
import { refill } from './book.ts';
import { type HomeChain, startBridge } from './bridge.ts';
import { followChanges, redo, type VenueChange } from './changes.ts';
import { exchange } from './exchange.ts';
import { faultBox, SLOW_MS, type VenueFault } from './faults.ts';
import { info } from './info.ts';
import { streams } from './socket.ts';
import {
  type BookShape,
  decimalText,
  freshState,
  loadState,
  type Simulation,
  saveState,
  TOKEN_DECIMALS,
  tokenNamed,
} from './state.ts';

export interface HyperliquidOptions {
  readonly port?: number;
  readonly now?: () => number;
  /** Whence it is funded; without it withdrawals are paid nowhere. */
  readonly home?: HomeChain;
  readonly startBook?: BookShape;
  /** Text from `snapshot()`: goes on where that one stopped. */
  readonly restore?: string;
  readonly keeping?: Keeping<VenueChange>;
  /** Models the venue's unified account mode, in which spot and perpetual USDC are one balance. */
  readonly unified?: boolean;
  /** Forgets accounts that hold nothing any more, with their history. */
  readonly forgetsEmpty?: boolean;
}

export interface HyperliquidSimulator {
  readonly url: string;
  readonly wsUrl: string;
  readonly port: number;
  setBook(shape: BookShape): void;
  /** Makes tokens from nothing and opens the account. */
  credit(address: string, token: string, atoms: bigint): void;
  /** An ordinary spot send without a signature; the sender pays for opening the recipient's account. */
  pay(payment: { from: string; to: string; token: string; atoms: bigint }): { readonly txHash: string };
  received(address: string, token: string): Received;
  setFault(fault: VenueFault): void;
  clearFaults(): void;
  snapshot(): string;
  close(): Promise<void>;
}

/** Amounts are atoms as text. */
export interface Received {
  readonly total: string;
  readonly transfers: readonly { readonly txHash: string; readonly amount: string; readonly height: number }[];
}

const START_BOOK: BookShape = { mid: '320', depthUsd: 250_000, spreadBps: 10 };
const MAX_REQUEST_BYTES = 1_000_000;

export async function startHyperliquid(options: HyperliquidOptions = {}): Promise<HyperliquidSimulator> {
  const { changes = [], write } = options.keeping ?? {};
  const state = options.restore ? loadState(options.restore) : freshState(options.startBook ?? START_BOOK);
  redo(state, changes);
  const sim: Simulation = {
    state,
    now: options.now ?? Date.now,
    unified: options.unified ?? false,
    forgetsEmpty: options.forgetsEmpty ?? false,
    hasBridge: options.home !== undefined,
    orderEvents: [],
    touched: { accounts: new Set(), orders: new Set(), withdrawals: new Set() },
  };
  const changed = followChanges(sim);
  refill(sim);
  const faults = faultBox();
  const { accept, publish: tell } = streams(sim);
  const publish = () => {
    const change = write && changed();
    if (change) write([change]);
    tell();
  };
  const server = createServer(PATIENT, (request, response) => {
    serve(sim, request, response, faults.take(request), publish).catch((error: unknown) =>
      response.destroy(error as Error),
    );
  });
  const sockets = new WebSocketServer({ server, path: '/ws', perMessageDeflate: false });
  sockets.on('connection', (socket, request) =>
    faults.take(request)?.mode === 'down' ? socket.terminate() : accept(socket),
  );
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const bridge = options.home && startBridge(sim, options.home, publish);
  return {
    url: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}/ws`,
    port,
    ...controls(sim, publish),
    setFault: faults.set,
    clearFaults: faults.clear,
    async close() {
      await bridge?.stop();
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function controls(sim: Simulation, publish: () => void) {
  return {
    setBook(shape: BookShape): void {
      sim.state.shape = shape;
      refill(sim);
      publish();
    },
    credit(address: string, token: string, atoms: bigint): void {
      const user = address.toLowerCase();
      const name = tokenNamed(token);
      accountOf(sim, user).spot[name] += atoms;
      record(sim, [user], { type: 'spotGenesis', token: name, amount: decimalText(atoms, TOKEN_DECIMALS) });
      publish();
    },
    pay(payment: { from: string; to: string; token: string; atoms: bigint }): { readonly txHash: string } {
      const [from, to] = [payment.from.toLowerCase(), payment.to.toLowerCase()];
      const sent = spotSend(sim, { ...payment, from, to, token: tokenNamed(payment.token), nonce: sim.now() });
      publish();
      return sent;
    },
    received: (address: string, token: string) => received(sim, address.toLowerCase(), tokenNamed(token)),
    snapshot: () => saveState(sim.state),
  };
}

function received(sim: Simulation, address: string, token: string): Received {
  const transfers = sim.state.updates
    .filter(
      ({ wire: { delta } }) => delta.type === 'spotTransfer' && delta.token === token && delta.destination === address,
    )
    .map(({ height, wire }) => ({
      txHash: wire.hash,
      amount: String(parseUnits(String(wire.delta.amount), TOKEN_DECIMALS)),
      height,
    }));
  return { total: transfers.reduce((sum, { amount }) => sum + BigInt(amount), 0n).toString(), transfers };
}

async function serve(
  sim: Simulation,
  request: IncomingMessage,
  response: ServerResponse,
  fault: VenueFault | undefined,
  publish: () => void,
): Promise<void> {
  if (fault?.mode === 'down') {
    request.socket.destroy();
    return;
  }
  if (fault?.mode === 'slow') await delay(fault.delayMs ?? SLOW_MS);
  const body = await readJson(request);
  if (fault?.mode === 'reject')
    return answer(response, { status: 'err', response: 'Too many cumulative requests sent. Try again later.' });
  const reply = request.url === '/exchange' ? await exchange(sim, body) : info(sim, body);
  if (request.url === '/exchange') publish();
  if (fault?.mode === 'error_after_effect') request.socket.destroy();
  else answer(response, reply);
}

function answer(response: ServerResponse, reply: unknown): void {
  if (reply === undefined)
    response
      .writeHead(422, { 'content-type': 'text/plain' })
      .end('Failed to deserialize the JSON body into the target type');
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_REQUEST_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
