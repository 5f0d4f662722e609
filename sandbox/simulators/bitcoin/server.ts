import { methodOf, RpcFailure, type RpcServer, type Said, serveText } from '../rpc-server.ts';
import { placed } from './parameters.ts';

export type Method = (...params: readonly unknown[]) => unknown;
type Methods = Readonly<Record<string, Method>>;

/** JSON-RPC as bitcoind speaks it: parameters in their places or by name, and HTTP 500 around the error of a single call. */
export function serve(methods: Methods, port = 0): Promise<RpcServer> {
  return serveText((body) => reply(methods, body), { port, closesLines: true });
}

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const NO_METHOD = -32601;
/** RPC_MISC_ERROR: what the real node says when something of its own goes wrong. */
const BROKEN = -1;
const STATUSES: Readonly<Record<number, number>> = { [NO_METHOD]: 404, [INVALID_REQUEST]: 400 };

interface Told {
  readonly result: unknown;
  readonly error: { readonly code: number; readonly message: string } | null;
  readonly id: unknown;
}

function reply(methods: Methods, body: string): Said {
  const asked = parsed(body);
  if (Array.isArray(asked)) return [200, JSON.stringify(asked.map((call) => answer(methods, call)))];
  const told = asked === undefined ? refused(new RpcFailure(PARSE_ERROR, 'Parse error'), null) : answer(methods, asked);
  return [told.error ? (STATUSES[told.error.code] ?? 500) : 200, JSON.stringify(told)];
}

function answer(methods: Methods, call: unknown): Told {
  const { id = null, method, params } = (call ?? {}) as Readonly<Record<string, unknown>>;
  try {
    if (typeof method !== 'string') throw new RpcFailure(INVALID_REQUEST, 'Missing method');
    const run = methodOf(methods, method);
    if (!run) throw new RpcFailure(NO_METHOD, 'Method not found');
    return { result: run(...placed(method, params)) ?? null, error: null, id };
  } catch (error) {
    return refused(error as Error, id);
  }
}

function refused(error: Error, id: unknown): Told {
  const code = error instanceof RpcFailure ? error.code : BROKEN;
  return { result: null, error: { code, message: error.message }, id };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}
