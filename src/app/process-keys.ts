import { type Binder, openBinder } from '../kernel/binding.ts';
import { Secret } from '../kernel/secret.ts';
import type { Config } from './config.ts';

const bytesOf = (hex: string): Secret<Uint8Array> => new Secret<Uint8Array>(Buffer.from(hex, 'hex'));

export const hashKeyOf = ({ keys }: Config): Secret<Uint8Array> => bytesOf(keys.hash);

/** 32 bytes in hex. */
export const binderOf = (privateKey: string): Binder => openBinder(bytesOf(privateKey));

/** Each process has its own, and starts with no other. */
export function ownBinder({ keys }: Config, who: 'api' | 'engine'): Binder {
  const { [who]: key } = keys;
  if (key === undefined) throw new Error(`configuration: /keys/${who} is missing, and the ${who} signs with it`);
  return binderOf(key);
}
