import { connect } from 'node:net';

/** A node that answers so late is slow, and not hanging; whoever asks counts for himself how long he has waited. */
const ANSWER_WITHIN_MS = 60_000;

/** Resolves at the first byte that comes back: an error or a refused login is an answer, too. */
export function anyAnswer(port: number, question: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const line = connect(port, '127.0.0.1');
    line.setTimeout(ANSWER_WITHIN_MS, () => line.destroy());
    line.on('error', () => undefined);
    line.once('close', () => reject(new Error(`no answer on port ${port}`)));
    line.once('data', () => {
      resolve();
      line.destroy();
    });
    line.write(question);
  });
}

export interface RpcQuestion {
  readonly port: number;
  readonly path?: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The same of a node that speaks JSON-RPC. */
export function rpcAnswer({ port, path = '/', method, headers = {} }: RpcQuestion): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method });
  const said = {
    host: `127.0.0.1:${port}`,
    connection: 'close',
    'content-type': 'application/json',
    'content-length': `${body.length}`,
    ...headers,
  };
  const head = Object.entries(said).map(([name, value]) => `${name}: ${value}\r\n`);
  return anyAnswer(port, `POST ${path} HTTP/1.1\r\n${head.join('')}\r\n${body}`);
}
