import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Asked {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A whole request, written out once: asking costs the asker next to nothing, so that the server is what is measured. */
export function requestBytes({ method, path, headers = {}, body = '' }: Asked): Buffer {
  const carried = body === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries({ host: 'bench', ...headers, ...carried }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

/** For so long, and until so much was done. */
export interface Span {
  readonly ms: number;
  readonly least: number;
}

/** What was done, and how long it took. */
export interface Done {
  readonly count: number;
  readonly seconds: number;
}

export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly span: Span;
  /** Asked in turn, again and again. */
  readonly requests: readonly Buffer[];
}

/** Answers: every connection asks again as soon as it is answered. Any answer but 2xx ends the bench. */
export async function load({ port, connections, span: { ms, least }, requests }: Load): Promise<Done> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  let asked = 0;
  let answered = 0;
  const nextRequest = (): Buffer => requests[asked++ % requests.length] ?? Buffer.alloc(0);
  const startedAt = performance.now();
  try {
    await Promise.all(
      sockets.map((socket) =>
        keepAsking(socket, nextRequest, () => {
          answered += 1;
          return answered < least || performance.now() - startedAt < ms;
        }),
      ),
    );
    return { count: answered, seconds: (performance.now() - startedAt) / 1000 };
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  return socket.setEncoding('latin1');
}

/** Resolves when an answer came and `goesOn` says no. */
function keepAsking(socket: Socket, nextRequest: () => Buffer, goesOn: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server hung up')));
    socket.on('data', (part: string) => {
      text += part;
      const size = answerSize(text);
      if (size === undefined || text.length < size) return;
      if (!/^HTTP\/1\.1 2/.test(text)) return reject(new Error(text.slice(0, 2_000)));
      text = '';
      if (goesOn()) socket.write(nextRequest());
      else resolve();
    });
    socket.write(nextRequest());
  });
}

const HEAD_END = '\r\n\r\n';

/** Every server of this bench says how long its answers are. */
function answerSize(text: string): number | undefined {
  const head = text.indexOf(HEAD_END);
  if (head < 0) return undefined;
  const [, length] = /content-length: (\d+)/i.exec(text) ?? [];
  if (length === undefined) throw new Error('an answer that does not say how long it is');
  return head + HEAD_END.length + Number(length);
}
