import { answerBody, type RpcServer, serveText } from '../rpc-server.ts';

export type Methods = Readonly<Record<string, (params: readonly unknown[]) => unknown>>;

/** JSON-RPC by POST. With a login, only who brings it is answered. */
export function serve(methods: Methods, login?: string): Promise<RpcServer> {
  const wanted = login && `Basic ${Buffer.from(login).toString('base64')}`;
  return serveText((body, request) => {
    if (wanted && request.headers.authorization !== wanted) return [401, '{}'];
    return [200, JSON.stringify(answerBody(body, methods, { params: [], result: null }))];
  });
}
