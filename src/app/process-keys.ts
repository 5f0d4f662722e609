import { Secret } from '../kernel/secret.ts';
import type { Config } from './config.ts';

/** `binding` binds destinations to orders; `hash` hides session ids and keys at rest. A role asks for those that it has. */
export const processKeysOf = ({ keys }: Config) => ({
  get binding() {
    return secretKey(keys.binding);
  },
  get hash() {
    return secretKey(keys.hash);
  },
  get oldHashes() {
    return (keys.oldHashes ?? []).map(secretKey);
  },
});

const secretKey = (hex: string) => new Secret<Uint8Array>(Buffer.from(hex, 'hex'));
