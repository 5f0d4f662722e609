import { type FollowOptions, follow, isOver, type Line, polled, type Socket } from './follow.ts';
import { type ErrorReply, OPERATIONS, type Operations, STREAMS, type SwapOrder } from './generated/contract.ts';
import { WherryError } from './wherry-error.ts';

export interface ClientOptions {
  /** Where the service is, such as `https://swap.example`. */
  readonly url: string;
  /** The integration's key. A server key (`wh_s_…`) belongs on a server only. */
  readonly key?: string;
  /** The public id of an integration that this caller came through, where there is no key: attribution and fees. */
  readonly ref?: string;
  /** How long an answer may take. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof globalThis.fetch;
  /** What opens sockets where there is no global `WebSocket`; without either, orders are followed by reading them. */
  readonly webSocket?: new (
    url: string,
    protocols: string[],
  ) => Socket;
}

export interface CallOptions {
  /** The owner's credential, from the order's creation. */
  readonly session?: string;
  /** The end user that a server with the right to do so speaks for. */
  readonly endUserIp?: string;
  /** Names a creation, so that sending it again creates nothing twice: a fresh UUID v4, as private as the session. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

/**
 * Which swap or bridge order, and the proof that it may be read: the session of its owner, or its destination address.
 */
export type OrderProof =
  | { readonly id: string; readonly session: string }
  | { readonly id: string; readonly verify: string };

export interface WaitOptions extends FollowOptions {
  /** When to stop waiting; when the order is over, if nothing is said. */
  readonly until?: (order: SwapOrder) => boolean;
}

type Name = keyof Operations;
type Arguments<Input> =
  Record<string, never> extends Input ? [input?: Input, options?: CallOptions] : [input: Input, options?: CallOptions];

type Calls = {
  readonly [N in Name]: (...args: Arguments<Operations[N]['input']>) => Promise<Operations[N]['reply']>;
};

/** Every operation of the contract. None is ever repeated by itself. */
export interface Client extends Calls {
  /** The order now and after every change until it is over, by socket where there is one. */
  followOrder(order: OrderProof, options?: FollowOptions): AsyncGenerator<SwapOrder, void>;
  /** Reads the order, less and less often while nothing changes. */
  waitForOrder(order: OrderProof, options?: WaitOptions): Promise<SwapOrder>;
}

const TIMEOUT_MS = 30_000;
const SUBPROTOCOL = 'wherry.v2';

export function wherryClient(options: ClientOptions): Client {
  const names = Object.keys(OPERATIONS) as Name[];
  const calls = Object.fromEntries(
    names.map((name) => [name, (input?: Fields, call?: CallOptions) => ask(options, name, input ?? {}, call ?? {})]),
    // The table and the types are written from the same document.
  ) as unknown as Calls;

  const lineOf = (order: OrderProof, signal: AbortSignal | undefined): Line => ({
    read: () => {
      const { session, ...input } = { session: undefined, ...order };
      const read = isBridge(order) ? calls.readBridge : calls.readSwap;
      return read(input, { ...(session ? { session } : {}), ...(signal ? { signal } : {}) });
    },
    listen: () => listen(options, order),
  });

  return {
    ...calls,
    followOrder: (order, how = {}) => follow(lineOf(order, how.signal), how),
    async waitForOrder(order, { until = isOver, ...how } = {}) {
      for await (const seen of polled(lineOf(order, how.signal), how)) if (until(seen)) return seen;
      throw new Error('Reading an order ends with an answer or an error.');
    },
  };
}

/** An id says what kind of order it names: `sw_` is a swap, `dep_` and `wd_` are the two directions of a bridge. */
const isBridge = ({ id }: OrderProof): boolean => /^(?:dep|wd)_/.test(id);

type Fields = Readonly<Record<string, unknown>>;

async function ask(client: ClientOptions, name: Name, input: Fields, call: CallOptions): Promise<unknown> {
  const { method, path, inPath, inQuery } = OPERATIONS[name];
  const body = without(input, [...inPath, ...inQuery]);
  const hasBody = Object.keys(body).length > 0;
  const send = client.fetch ?? globalThis.fetch;
  const response = await send(address(client.url, path, input, inQuery), {
    method,
    headers: {
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      ...(client.key ? { 'x-integrator-key': client.key } : {}),
      ...(client.ref ? { 'x-integrator-ref': client.ref } : {}),
      ...(call.session ? { 'x-session-id': call.session } : {}),
      ...(call.endUserIp ? { 'x-end-user-ip': call.endUserIp } : {}),
      ...(call.idempotencyKey ? { 'idempotency-key': call.idempotencyKey } : {}),
    },
    ...(hasBody ? { body: JSON.stringify(body) } : {}),
    // Credentials are for this address alone.
    redirect: 'error',
    signal: AbortSignal.any([
      AbortSignal.timeout(client.timeoutMs ?? TIMEOUT_MS),
      ...(call.signal ? [call.signal] : []),
    ]),
  });
  const reply = parsed(await response.text());
  if (response.ok && reply !== undefined) return reply;
  throw new WherryError(response, isErrorReply(reply) ? reply : undefined);
}

/** undefined: a whole answer, but not one of the service's. One that was cut off has thrown already, as if there were none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isErrorReply = (reply: unknown): reply is ErrorReply =>
  typeof reply === 'object' && reply !== null && 'error' in reply && 'code' in reply;

function address(url: string, path: string, input: Fields, inQuery: readonly string[]): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])));
  const query = new URLSearchParams();
  for (const name of inQuery) if (input[name] !== undefined) query.set(name, String(input[name]));
  return `${url.replace(/\/+$/, '')}${filled}${query.size > 0 ? `?${query}` : ''}`;
}

const without = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

/** Browsers cannot set headers on a socket, so the session is offered as a protocol. */
function listen({ url, webSocket }: ClientOptions, order: OrderProof): Socket | undefined {
  const Opener = webSocket ?? (globalThis as { WebSocket?: ClientOptions['webSocket'] }).WebSocket;
  if (!Opener) return undefined;
  const { path, inQuery } = isBridge(order) ? STREAMS.followBridge : STREAMS.followSwap;
  const protocols = 'session' in order ? [SUBPROTOCOL, `session.${order.session}`] : [SUBPROTOCOL];
  return new Opener(address(url, path, { ...order }, inQuery).replace(/^http/, 'ws'), protocols);
}
