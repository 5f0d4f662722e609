import { Secret } from '../kernel/secret.ts';
import type { Config } from './config.ts';

/** `binding` binds destinations to orders; `hash` hides session ids and keys at rest. */
export const processKeysOf = ({ keys }: Config) => ({
  binding: new Secret<Uint8Array>(Buffer.from(keys.binding, 'hex')),
  hash: new Secret<Uint8Array>(Buffer.from(keys.hash, 'hex')),
});
