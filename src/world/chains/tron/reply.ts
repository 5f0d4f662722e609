import { Fault } from '../../../kernel/fault.ts';
import type { Address } from '../../../kernel/ids.ts';
import { TRON_ID, tronAddressOfHex } from './codec.ts';

/** Reading what a Tron node answers: fields are checked where they are used, and no amount is ever rounded. */

export const AT_TRON = `chain:${TRON_ID}`;

export type Reply = Readonly<Record<string, unknown>>;

export const tronFault = (message: string): Fault => new Fault('transient', AT_TRON, message);

const odd = (reply: Reply, field: string, wanted: string): Fault =>
  tronFault(`${field} is not ${wanted}: ${JSON.stringify(reply[field])?.slice(0, 100)}`);

export function record(value: unknown): Reply {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Reply;
  throw tronFault('an answer is not an object');
}

/** Nodes answer `{}` for what they do not have. */
export const isEmpty = (reply: Reply): boolean => Object.keys(reply).length === 0;

export function text(reply: Reply, field: string): string {
  const value = reply[field];
  if (typeof value === 'string') return value;
  throw odd(reply, field, 'text');
}

/** Zeros are left out by the nodes. A number too long for JSON to carry exactly is refused. */
export function whole(reply: Reply, field: string): number {
  const value = reply[field] ?? 0;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw odd(reply, field, 'a whole number');
}

export const sun = (reply: Reply, field: string): bigint => BigInt(whole(reply, field));

/** Empty lists are left out by the nodes. */
export function records(reply: Reply, field: string): readonly Reply[] {
  const value = reply[field] ?? [];
  if (Array.isArray(value)) return value.map(record);
  throw odd(reply, field, 'a list');
}

export function address(reply: Reply, field: string): Address {
  const found = tronAddressOfHex(text(reply, field));
  if (found) return found;
  throw odd(reply, field, 'an address');
}
