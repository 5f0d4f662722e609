import type { IncomingMessage, ServerResponse } from 'node:http';
import { Type } from '@sinclair/typebox';
import { instant } from '../../src/kernel/clock.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { liveSecrets, signMessage } from '../../src/partners/webhook.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { collect } from './proxy.ts';
import { type Calls, call } from './server.ts';

/** Where the box takes webhooks, beside its control calls. */
export const RECEIVER_PATH = '/webhook-receiver';

const FAILURES = ['down', 'slow', '500', 'redirect', 'none'] as const;
type Failure = (typeof FAILURES)[number];

export interface Received {
  readonly at: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signatureValid: boolean;
}

/** More than any story sends; the oldest go first. */
const MOST_KEPT = 10_000;
/** Longer than the desk waits. */
const SLOW_MS = 15_000;

export interface WebhookReceiver {
  /** True where the request was a webhook, and is answered. */
  take(request: IncomingMessage, reply: ServerResponse): boolean;
  readonly calls: Calls;
  close(): Promise<void>;
}

export interface ReceiverParts {
  readonly database: string;
  /** The desk's own: the secrets of endpoints follow from it. */
  readonly hashKey: string;
  now(): number;
}

/** A partner's server: it keeps what comes, says whether it was signed well, and fails as it is told. */
export function openWebhookReceiver({ database, hashKey, now }: ReceiverParts): WebhookReceiver {
  const db = openDb(database, 1);
  const key = new Secret<Uint8Array>(Buffer.from(hashKey, 'hex'));
  const received: Received[] = [];
  const waiting = new Set<NodeJS.Timeout>();
  let failure: Failure = 'none';

  async function keep(request: IncomingMessage): Promise<void> {
    const body = (await collect(request)).toString('utf8');
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const secrets = await secretsOf(db, key, now());
    const signatureValid = isSigned(headers, body, secrets);
    received.push({ at: new Date(now()).toISOString(), headers, body, signatureValid });
    if (received.length > MOST_KEPT) received.shift();
  }

  function answer(request: IncomingMessage, reply: ServerResponse): void {
    switch (failure) {
      case 'down':
        request.socket.destroy();
        return;
      case 'slow': {
        const timer = setTimeout(() => {
          waiting.delete(timer);
          reply.writeHead(200).end();
        }, SLOW_MS);
        waiting.add(timer);
        return;
      }
      case 'redirect':
        reply.writeHead(302, { location: '/sandbox/info' }).end();
        return;
      default:
        reply.writeHead(failure === '500' ? 500 : 204).end();
    }
  }

  return {
    take(request, reply) {
      const isOurs = request.method === 'POST' && (request.url ?? '').split('?')[0] === RECEIVER_PATH;
      if (isOurs) {
        keep(request).then(
          () => answer(request, reply),
          () => reply.destroy(),
        );
      }
      return isOurs;
    },
    calls: {
      'GET /sandbox/webhooks': async () => ({ received, fail: failure }),
      'POST /sandbox/webhooks': call(
        Type.Object({ fail: Type.Union(FAILURES.map((name) => Type.Literal(name))) }, { additionalProperties: false }),
        async ({ fail }) => {
          failure = fail;
          return { fail };
        },
      ),
    },
    async close() {
      for (const timer of waiting) clearTimeout(timer);
      await db.close();
    },
  };
}

/** Whether one of the signatures is what one of the secrets makes of the message. Its age is not judged: the clock may be moved meanwhile. */
function isSigned(headers: Readonly<Record<string, string>>, body: string, secrets: readonly string[]): boolean {
  const { 'webhook-id': id = '', 'webhook-timestamp': seconds = '', 'webhook-signature': given = '' } = headers;
  const good = signMessage(secrets, id, instant(Number(seconds) * 1000), body)['webhook-signature'].split(' ');
  return given.split(' ').some((one) => one !== '' && good.includes(one));
}

/** Of every endpoint that leads here. */
async function secretsOf(db: Db, key: Secret<Uint8Array>, now: number): Promise<readonly string[]> {
  const text = 'SELECT id, retired_at FROM webhook WHERE position($1 in url) > 0';
  const rows = await db.query({ name: 'receiver_webhooks', text }, [RECEIVER_PATH]);
  return rows.flatMap((row) => {
    const retiredAt = (row.retired_at as readonly string[]).map((at) => instant(Number(at)));
    return liveSecrets(key, { webhookId: row.id as string, retiredAt }, instant(now));
  });
}
