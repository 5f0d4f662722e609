import { type ClientRequest, type IncomingMessage, request as plainRequest, type RequestOptions } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Clock } from '../../kernel/clock.ts';

/** A call to an address that a stranger named: it may lead anywhere, answer anything, or never end. */
export interface GuardedPostParts {
  /** Every address of a host. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
  /** Whether an address is one of the public internet. */
  readonly isPublic: (address: string) => boolean;
  /** Origins that are called as they are, for rehearsals. */
  readonly allowedOrigins: readonly string[];
  readonly clock: Clock;
  readonly deadlineMs?: number;
}

export interface PostResult {
  /** Null where there was no answer. */
  readonly status: number | null;
  readonly error: string | null;
  readonly ms: number;
}

export interface GuardedPost {
  /** Why this address is not called; undefined where it is. */
  refuses(url: string): Promise<string | undefined>;
  /** Never rejects. Connects to the address that was looked at, and to no other. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<PostResult>;
}

const DEADLINE_MS = 10_000;
/** Whoever has more to say is not listened to. */
const MOST_REPLY_BYTES = 64 * 1024;
const MOST_URL_CHARS = 2_048;

interface Target {
  readonly url: URL;
  readonly address: string;
}

export function openGuardedPost(parts: GuardedPostParts): GuardedPost {
  const { clock, deadlineMs = DEADLINE_MS } = parts;
  return {
    async refuses(text) {
      const target = await within(deadlineMs, locate(text, parts)).catch((error: Error) => error.message);
      return typeof target === 'string' ? target : undefined;
    },
    async post(text, headers, body) {
      const began = clock.now();
      const since = () => clock.now() - began;
      const over = new AbortController();
      let call: ClientRequest | undefined;
      const work = async (): Promise<number> => {
        const target = await locate(text, parts);
        if (typeof target === 'string') throw new Error(target);
        // Who was found too late is not called any more: it counts as failed already, and is tried again.
        over.signal.throwIfAborted();
        call = begin(target, headers, body);
        return answered(call, body);
      };
      try {
        const status = await within(deadlineMs, work());
        return { status, error: complaint(status), ms: since() };
      } catch (error) {
        return { status: null, error: (error as Error).message.slice(0, 200), ms: since() };
      } finally {
        over.abort();
        call?.destroy();
      }
    },
  };
}

async function locate(text: string, { resolve, isPublic, allowedOrigins }: GuardedPostParts): Promise<Target | string> {
  if (text.length > MOST_URL_CHARS || !URL.canParse(text)) return 'The address is not a URL.';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'The address must not carry a login.';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (allowedOrigins.includes(url.origin)) return { url, address: host };
  if (url.protocol !== 'https:') return 'The address must begin with https://.';
  const addresses = isIP(host) ? [host] : await resolve(host).catch(() => []);
  const [address] = addresses;
  if (address === undefined) return 'The host has no address.';
  // One bad address among good ones is enough: which of them is used next time is not for us to say.
  return addresses.every(isPublic) ? { url, address } : 'The host is not on the public internet.';
}

function begin({ url, address }: Target, headers: Readonly<Record<string, string>>, body: string): ClientRequest {
  const name = url.hostname;
  const options: RequestOptions & { servername?: string } = {
    method: 'POST',
    host: address,
    port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port,
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, host: url.host, 'content-length': Buffer.byteLength(body), connection: 'close' },
    agent: false,
    // The certificate is that of the host, though the connection goes to its address.
    ...(isIP(name) || name.startsWith('[') ? {} : { servername: name }),
  };
  return url.protocol === 'https:' ? tlsRequest(options) : plainRequest(options);
}

/** The status decides; the rest is read to its end, or cut. */
function answered(call: ClientRequest, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    call.once('error', reject);
    call.once('response', (reply: IncomingMessage) => {
      const { statusCode: status = 0 } = reply;
      let size = 0;
      reply.on('data', (piece: Buffer) => {
        size += piece.length;
        if (size > MOST_REPLY_BYTES) reject(new Error(`The answer is longer than ${MOST_REPLY_BYTES} bytes.`));
      });
      reply.once('end', () => resolve(status));
      reply.once('error', reject);
    });
    call.end(body);
  });
}

function complaint(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'Redirects are not followed.' : `The answer was ${status}.`;
}

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${ms / 1000} s.`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
