import { RpcFailure, type RpcServer, type Said, serveText } from '../rpc-server.ts';

export type Method = (...params: readonly unknown[]) => unknown;

/** JSON-RPC as bitcoind speaks it: positional parameters, and HTTP 500 around every error. */
export function serve(methods: Readonly<Record<string, Method>>, port = 0): Promise<RpcServer> {
  return serveText((body) => reply(methods, body), { port, closesLines: true });
}

const PARSE_ERROR = -32700;
const NO_METHOD = -32601;
/** RPC_MISC_ERROR: what the real node says when something of its own goes wrong. */
const BROKEN = -1;

function reply(methods: Readonly<Record<string, Method>>, body: string): Said {
  let id: unknown = null;
  try {
    const call = parse(body);
    id = call.id ?? null;
    const method = methods[call.method];
    if (!method) throw new RpcFailure(NO_METHOD, 'Method not found');
    return [200, JSON.stringify({ result: method(...call.params) ?? null, error: null, id })];
  } catch (error) {
    const code = error instanceof RpcFailure ? error.code : BROKEN;
    const told = { result: null, error: { code, message: (error as Error).message }, id };
    return [code === NO_METHOD ? 404 : 500, JSON.stringify(told)];
  }
}

interface Call {
  readonly id?: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

function parse(body: string): Call {
  try {
    const { id, method, params } = JSON.parse(body) as Partial<Call>;
    return { id, method: String(method), params: Array.isArray(params) ? params : [] };
  } catch {
    throw new RpcFailure(PARSE_ERROR, 'Parse error');
  }
}
