import { Fault } from '../../../kernel/fault.ts';
import type { Outbound } from '../../outbound/http.ts';

/** Reading what Monero's servers answer: fields are checked where they are used, and no amount is ever rounded. */

export const AT_MONERO = 'chain:0';

export type Reply = Readonly<Record<string, unknown>>;

/** Amounts are JSON numbers up to 2^64; those too long for a number to hold exactly are quoted before they are parsed. */
export function exactIntegers(outbound: Outbound): Outbound {
  return async (call) => {
    const reply = await outbound(call);
    return { ...reply, body: quoteLongIntegers(reply.body) };
  };
}

/** Strings are stepped over by hand: a pattern that matches them whole runs out of stack on long ones. */
function quoteLongIntegers(json: string): string {
  const parts: string[] = [];
  const quoteOrInteger = /"|\d{16,}/g;
  let copied = 0;
  for (let found = quoteOrInteger.exec(json); found; found = quoteOrInteger.exec(json)) {
    if (found[0] === '"') {
      quoteOrInteger.lastIndex = endOfString(json, found.index + 1);
    } else {
      parts.push(json.slice(copied, found.index), `"${found[0]}"`);
      copied = quoteOrInteger.lastIndex;
    }
  }
  return parts.join('') + json.slice(copied);
}

/** Past the quote that closes the string; a backslash takes the next character with it. */
function endOfString(json: string, from: number): number {
  const stop = /["\\]/g;
  stop.lastIndex = from;
  for (let found = stop.exec(json); found; found = stop.exec(json)) {
    if (found[0] === '"') return stop.lastIndex;
    stop.lastIndex += 1;
  }
  return json.length;
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
