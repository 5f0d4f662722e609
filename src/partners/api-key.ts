import { base32nopad } from '@scure/base';
import { keyedHash, type Secret, sha256Hex } from '../kernel/secret.ts';

/** Server keys stay on a backend; public ones are shipped in browsers and apps and prove nothing but attribution. */
export type KeyKind = 'server' | 'public';

export interface KeyName {
  readonly kind: KeyKind;
  readonly keyId: string;
}

/** Gives as many random bytes as are asked for. */
export type Random = (length: number) => Uint8Array;

const ID_BYTES = 10;
const SECRET_BYTES = 30;
const CHECKSUM_CHARS = 6;
/** `wh_s_<kid>_<secret>`: a fixed length, so that anything else costs nothing to refuse (D5). */
const KEY = /^wh_([sp])_([a-z2-7]{16})_[a-z2-7]{54}$/;
const KEY_CHARS = 5 + 16 + 1 + 48 + CHECKSUM_CHARS;

export const randomText = (random: Random, bytes: number): string => base32nopad.encode(random(bytes)).toLowerCase();

const INTEGRATION_ID_BYTES = 10;
export const newIntegrationId = (random: Random): string => `int_${randomText(random, INTEGRATION_ID_BYTES)}`;

const letterOf = (kind: KeyKind): string => (kind === 'server' ? 's' : 'p');
/** As much of a key as may be shown again: its owner knows it by this. */
export const keyPrefix = ({ kind, keyId }: KeyName): string => `wh_${letterOf(kind)}_${keyId}`;

/** The text is shown once and never stored. */
export function newKey(kind: KeyKind, random: Random): KeyName & { readonly text: string } {
  const keyId = randomText(random, ID_BYTES);
  const body = `${keyPrefix({ kind, keyId })}_${randomText(random, SECRET_BYTES)}`;
  return { kind, keyId, text: body + checksum(body) };
}

/** Which key this claims to be; undefined for what has not the shape of one. Typing errors are for `isTypedRight` to find. */
export function claimedKey(text: string): KeyName | undefined {
  if (text.length !== KEY_CHARS) return undefined;
  const [, letter, keyId] = KEY.exec(text) ?? [];
  return keyId === undefined ? undefined : { kind: letter === 's' ? 'server' : 'public', keyId };
}

export const isTypedRight = (text: string): boolean =>
  text.slice(-CHECKSUM_CHARS) === checksum(text.slice(0, -CHECKSUM_CHARS));

/** Finds typing errors before a look-up is spent on them; it is no proof. */
function checksum(body: string): string {
  const digest = Buffer.from(sha256Hex(body), 'hex');
  return base32nopad.encode(digest).toLowerCase().slice(0, CHECKSUM_CHARS);
}

/** What is stored of a key. */
export function hashOfKey(hashKey: Secret<Uint8Array>, text: string): string {
  return keyedHash(hashKey, 'integrator-key', text);
}
