import { Fault } from '../../kernel/fault.ts';
import type { Secret } from '../../kernel/secret.ts';
import type { Outbound } from './http.ts';
import type { Room } from './large-reply.ts';
import type { Login } from './login.ts';

/** The other side answered with an error of its own: it understood us, and says no. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(method: string, code: number, message: string, data?: unknown) {
    super(`${method}: ${message} (${code})`);
    this.code = code;
    this.data = data;
  }
}

export interface RpcEndpoint {
  readonly at: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly digest?: Secret<Login>;
}

/** Positional parameters (an array) or named ones (an object). */
export type RpcParams = readonly unknown[] | Readonly<Record<string, unknown>>;
export type Rpc = (method: string, params?: RpcParams, room?: Room) => Promise<unknown>;

/** JSON-RPC over HTTP POST. Throws `RpcError` for the protocol's own errors and `Fault` for everything else. */
export function jsonRpc(endpoint: RpcEndpoint, outbound: Outbound): Rpc {
  let next = 0;
  return async (method, params = [], room = {}) => {
    next += 1;
    const reply = await outbound({
      at: endpoint.at,
      label: method,
      url: endpoint.url,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...endpoint.headers },
      ...(endpoint.digest ? { digest: endpoint.digest } : {}),
      body: JSON.stringify({ jsonrpc: '2.0', id: next, method, params }),
      ...room,
    });
    const answer = parseReply(endpoint.at, method, reply.status, reply.body);
    if (answer.error) throw new RpcError(method, answer.error.code, answer.error.message, answer.error.data);
    if (!('result' in answer)) throw new Fault('ambiguous', endpoint.at, `${method}: neither result nor error`);
    return answer.result;
  };
}

interface RpcAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown } | null;
}

function parseReply(at: string, method: string, status: number, body: string): RpcAnswer {
  try {
    const answer: unknown = JSON.parse(body);
    if (typeof answer === 'object' && answer !== null) return answer as RpcAnswer;
  } catch {
    // A proxy's error page or a truncated reply: told below with its status.
  }
  throw new Fault(
    status === 429 ? 'transient' : 'ambiguous',
    at,
    `${method}: HTTP ${status} without a JSON-RPC answer`,
  );
}
