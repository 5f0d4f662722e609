import { answerBody, type RpcServer, serveText } from '../rpc-server.ts';

/** Answers may hold bigints; they go out as JSON numbers, as the real node writes them. */
export type Methods = Readonly<Record<string, (params: readonly unknown[]) => unknown>>;

/** JSON-RPC with positional parameters at one path. */
export function serveRpc(methods: Methods): Promise<RpcServer> {
  return serveText((body) => [200, toJson(answerBody(body, methods, { params: [], result: null }))]);
}

/** Amounts of the box stay within what a JSON number holds exactly. */
const toJson = (answer: unknown): string =>
  JSON.stringify(answer, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value));
