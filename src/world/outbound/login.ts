import { createHash } from 'node:crypto';
import { Secret } from '../../kernel/secret.ts';

/** A name and a password at a server that somebody runs for us. */
export interface Login {
  readonly user: string;
  readonly password: string;
}

/** `user:password`, where the password may hold colons and the name may not. */
export function loginOf(text: string): Secret<Login> {
  const [user = '', ...rest] = text.split(':');
  return new Secret({ user, password: rest.join(':') });
}

/** RFC 7617: the password itself travels, so only to this computer or over TLS. */
export const basicAuth = ({ user, password }: Login): Readonly<Record<string, string>> => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

/** What a server asks for by HTTP digest (RFC 7616), with MD5 and `auth`. */
export interface Challenge {
  readonly realm: string;
  readonly nonce: string;
}

/** What is proven: a request of this kind to this path, by somebody who knows the password and has seen the challenge. */
export interface Digested {
  readonly method: string;
  readonly path: string;
  readonly cnonce: string;
}

/** So many requests answered this challenge. Each call takes a new one. */
const FIRST = '00000001';

/** The first challenge that we can answer; undefined where the server asks for no login, or in another way. */
export function challengeOf(asked: readonly string[]): Challenge | undefined {
  // Several may stand in one line.
  for (const one of asked.flatMap((line) => line.split(/,\s*(?=Digest\s)/i))) {
    const fields = new Map([...one.matchAll(/(\w+)=(?:"([^"]*)"|([^\s,"]+))/g)].map((it) => [it[1], it[2] ?? it[3]]));
    const [realm, nonce] = [fields.get('realm'), fields.get('nonce')];
    const isOurs = /^Digest\s/i.test(one) && (fields.get('algorithm') ?? 'MD5') === 'MD5';
    if (isOurs && realm !== undefined && nonce !== undefined) return { realm, nonce };
  }
  return undefined;
}

/** MD5 is what those servers speak. The line stays on this computer, and each challenge is answered once. */
const md5 = (...parts: readonly string[]): string => createHash('md5').update(parts.join(':')).digest('hex');

export function digestResponse({ user, password }: Login, { realm, nonce }: Challenge, asked: Digested): string {
  const who = md5(user, realm, password);
  return md5(who, nonce, FIRST, asked.cnonce, 'auth', md5(asked.method, asked.path));
}

/** The `Authorization` of one request. What we add to the challenge follows from the password, so nobody else can choose it. */
export function digestAuth(login: Login, challenge: Challenge, method: string, path: string): string {
  const cnonce = createHash('sha256').update(`${login.password}:${challenge.nonce}`).digest('hex').slice(0, 32);
  const response = digestResponse(login, challenge, { method, path, cnonce });
  const quoted = { username: login.user, ...challenge, uri: path, cnonce, response };
  const fields = Object.entries(quoted).map(([name, value]) => `${name}="${value}"`);
  return `Digest ${[...fields, 'algorithm=MD5', 'qop=auth', `nc=${FIRST}`].join(', ')}`;
}
