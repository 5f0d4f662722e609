import { isIP } from 'node:net';
import { sha256Hex } from '../kernel/secret.ts';
import type { Config } from './config.ts';
import { binderOf } from './process-keys.ts';

/** What settings must be beyond their shape: parts of them that would contradict each other are refused at the start. */

/** The name under which acts of the shared token are kept. */
export const SHARED_NAME = 'operator';

/** With a key that the signer does not know every payment would be refused; with one key for both, one thief is both. */
export function expectOwnBinders({ keys, signer: { binders, approval } }: Config): void {
  for (const who of ['api', 'engine'] as const) {
    const key: string | undefined = keys[who];
    const open = key === undefined ? undefined : binderOf(key).publicKey;
    if (open !== undefined && !binders[who].includes(open))
      throw new Error(`configuration: /keys/${who} has the public half ${open}, which /signer/binders/${who} lacks`);
  }
  const all = [...new Set(binders.api), ...new Set(binders.engine), ...new Set(approval?.approvers)];
  const shared = all.find((key, at) => all.indexOf(key) !== at);
  if (shared !== undefined)
    throw new Error(`configuration: ${shared} is the key of two, and API, engine and approvers each need their own`);
}

/** A name or a token of two people would not say which of them acted. */
export function expectOperators({ operator: { token, people = [] } }: Config): void {
  const taken = new Set([SHARED_NAME, ...(token === undefined ? [] : [sha256Hex(token)])]);
  for (const [at, { name, tokenHashes }] of people.entries()) {
    for (const one of [name, ...tokenHashes]) {
      const what = one === name ? `the name ${name}` : 'a token';
      if (taken.has(one)) throw new Error(`configuration: /operator/people/${at} has ${what} that is taken`);
      taken.add(one);
    }
  }
}

/** A network of everybody is refused: then every visitor could be anybody. */
export function expectProxy(proxy: string, at: number): void {
  const [address = '', bits] = proxy.split('/');
  const most = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  const isNetwork = bits === undefined || (Number(bits) >= 1 && Number(bits) <= most);
  if (most === 0 || !isNetwork) {
    throw new Error(`configuration: /api/trustedProxies/${at} ${proxy} is no address, nor a network of some addresses`);
  }
}
