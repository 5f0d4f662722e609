import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type Digested, digestResponse, type Login } from '../../../src/world/outbound/login.ts';
import type { Said } from '../rpc-server.ts';

const REALM = 'monero-rpc';

/**
 * HTTP digest as monero-wallet-rpc asks for it: every connection has a challenge of its own, which whoever fails loses.
 * Gives what is said to who may not come in, and undefined for who may.
 */
export function digestDoor(login: Login): (request: IncomingMessage) => Said | undefined {
  const challenges = new WeakMap<Socket, string>();
  return ({ socket, headers, method = '', url = '' }) => {
    const nonce = challenges.get(socket);
    const said = fieldsOf(headers.authorization ?? '');
    const asked: Digested = { method, path: url, cnonce: said.get('cnonce') ?? '' };
    const isIn =
      nonce !== undefined &&
      said.get('nonce') === nonce &&
      said.get('username') === login.user &&
      said.get('uri') === url &&
      said.get('response') === digestResponse(login, { realm: REALM, nonce }, asked);
    if (isIn) return undefined;
    const next = randomBytes(16).toString('base64');
    challenges.set(socket, next);
    const challenge = `Digest qop="auth",algorithm=MD5,realm="${REALM}",nonce="${next}",stale=false`;
    return [401, '<html><body><h1>401 Unauthorized</h1></body></html>', { 'www-authenticate': challenge }];
  };
}

const fieldsOf = (authorization: string): ReadonlyMap<string, string> =>
  new Map([...authorization.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]));
