import { Fault } from '../../../kernel/fault.ts';
import type { Outbound } from '../../outbound/http.ts';

/** Reading what Monero's servers answer: fields are checked where they are used, and no amount is ever rounded. */

export const AT_MONERO = 'chain:0';

export type Reply = Readonly<Record<string, unknown>>;

/** A string, which is left alone, or an integer too long for a JSON number to hold exactly. */
const STRING_OR_LONG_INTEGER = /"[^"\\]*(?:\\.[^"\\]*)*"|\d{16,}/g;

/** Amounts are JSON numbers up to 2^64; long ones are quoted before they are parsed. */
export function exactIntegers(outbound: Outbound): Outbound {
  return async (call) => {
    const reply = await outbound(call);
    const body = reply.body.replace(STRING_OR_LONG_INTEGER, (part) => (part.startsWith('"') ? part : `"${part}"`));
    return { ...reply, body };
  };
}

const odd = (reply: Reply, field: string, wanted: string): Fault =>
  new Fault('transient', AT_MONERO, `${field} is not ${wanted}: ${JSON.stringify(reply[field])?.slice(0, 100)}`);

export function record(value: unknown): Reply {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Reply;
  throw new Fault('transient', AT_MONERO, 'an answer is not an object');
}

export function text(reply: Reply, field: string): string {
  const value = reply[field];
  if (typeof value === 'string') return value;
  throw odd(reply, field, 'text');
}

export function whole(reply: Reply, field: string): number {
  const value = reply[field];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw odd(reply, field, 'a count');
}

export function big(reply: Reply, field: string): bigint {
  const value = reply[field];
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return BigInt(value);
  return BigInt(whole(reply, field));
}

/** Empty lists are left out by the servers. */
export function list(reply: Reply, field: string): readonly unknown[] {
  const value = reply[field] ?? [];
  if (Array.isArray(value)) return value;
  throw odd(reply, field, 'a list');
}

export const records = (reply: Reply, field: string): Reply[] => list(reply, field).map(record);
