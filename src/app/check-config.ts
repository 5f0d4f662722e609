import { isIP } from 'node:net';
import { Value } from '@sinclair/typebox/value';
import { sha256Hex } from '../kernel/secret.ts';
import { closeOff, isRequired, without } from '../world/settings-shapes.ts';
import { type Config, ConfigSchema } from './config.ts';
import { binderOf } from './process-keys.ts';

/** `mayLack`: what somebody else's role needs, by its path (`/keys/hash`); whoever asks for it all the same is told so. */
export function checkConfig(value: unknown, mayLack: readonly string[] = []): Config {
  const wrong = [...Value.Errors(without(ConfigSchema, mayLack), value)].slice(0, 10);
  if (wrong.length > 0) {
    throw new Error(`configuration: ${wrong.map((error) => `${error.path || '/'} ${error.message}`).join('; ')}`);
  }
  const config = value as Config;
  if (config.partners?.localReceiver !== undefined && !isRehearsal(config)) {
    throw new Error('configuration: /partners/localReceiver is for rehearsals: only on a loopback address');
  }
  expectOwnBinders(config);
  expectOperators(config);
  for (const [at, proxy] of (config.api.trustedProxies ?? []).entries()) expectProxy(proxy, at);
  for (const path of mayLack.filter((one) => isRequired(ConfigSchema, one))) closeOff(config, path);
  return config;
}

/** Nobody from outside can be there: the desk listens on, and is known by, this computer's own address. */
function isRehearsal({ api, pages }: Config): boolean {
  const isHere = (host: string) => host === 'localhost' || host.startsWith('127.');
  return isHere(api.host) && (pages?.publicUrl === undefined || isHere(new URL(pages.publicUrl).hostname));
}

/** The name under which acts of the shared token are kept. */
export const SHARED_NAME = 'operator';

/** With a key that the signer does not know every payment would be refused; with one key for both, one thief is both. */
function expectOwnBinders({ keys, signer: { binders, approval } }: Config): void {
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
function expectOperators({ operator: { token, people = [] } }: Config): void {
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
function expectProxy(proxy: string, at: number): void {
  const [address = '', bits] = proxy.split('/');
  const most = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  const isNetwork = bits === undefined || (Number(bits) >= 1 && Number(bits) <= most);
  if (most === 0 || !isNetwork) {
    throw new Error(`configuration: /api/trustedProxies/${at} ${proxy} is no address, nor a network of some addresses`);
  }
}
