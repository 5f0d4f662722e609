import { inField } from '../kernel/field-refusals.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import { keyedHash, type Secret, sameText } from '../kernel/secret.ts';

/** Half a MAC is plenty for something that only ever opens the caller's own list. */
const SEAL_CHARS = 32;

/** A cursor is an opaque place in one list; it is of no use in another list and cannot be made up. */
export function sealCursor(key: Secret<Uint8Array>, list: string, place: string): string {
  return `${Buffer.from(place).toString('base64url')}.${seal(key, list, place)}`;
}

export function openCursor(key: Secret<Uint8Array>, list: string, cursor: string): string | undefined {
  const [encoded = ''] = cursor.split('.');
  const place = Buffer.from(encoded, 'base64url').toString();
  return sameText(sealCursor(key, list, place), cursor) ? place : undefined;
}

/** One that was made up, or is of another list. */
export const strangeCursor = (): Refusal =>
  inField('cursor', refuse('invalid_cursor', 'This cursor is not from this list.'));

const seal = (key: Secret<Uint8Array>, list: string, place: string): string =>
  keyedHash(key, 'cursor', list, place).slice(0, SEAL_CHARS);
