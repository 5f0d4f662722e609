import { type Binder, openBinder } from '../kernel/binding.ts';
import { Secret } from '../kernel/secret.ts';
import type { SealKeys } from '../store/sightings.ts';
import type { Config } from './config.ts';

const bytesOf = (hex: string): Secret<Uint8Array> => new Secret<Uint8Array>(Buffer.from(hex, 'hex'));

/** The one in use, and those that it replaced. */
export const hashKeysOf = ({ keys }: Config) => ({
  hash: bytesOf(keys.hash),
  oldHashes: (keys.oldHashes ?? []).map(bytesOf),
});

/** Known to engines alone: what they saw on a chain is theirs, whoever else writes in the database. The one in use comes first. */
export const sealKeysOf = ({ keys }: Config): SealKeys => [
  bytesOf(keys.engine),
  ...(keys.oldEngines ?? []).map(bytesOf),
];

/** 32 bytes in hex. */
export const binderOf = (privateKey: string): Binder => openBinder(bytesOf(privateKey));

/** Each process has its own, and starts with no other. */
export const ownBinder = ({ keys }: Config, who: 'api' | 'engine'): Binder => binderOf(keys[who]);
