import type { Outbound } from '../../outbound/http.ts';
import { fieldsOf, type Reply, readingOf } from '../../outbound/reading.ts';

export type { Reply } from '../../outbound/reading.ts';

/** Reading what Monero's servers answer: fields are checked where they are used, and no amount is ever rounded. */

export const AT_MONERO = 'chain:0';

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

const fields = fieldsOf(readingOf(AT_MONERO, 'transient'));
export const { record, text, whole } = fields;

export function big(reply: Reply, field: string): bigint {
  const value = reply[field];
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return BigInt(value);
  return BigInt(whole(reply, field));
}

/** Empty lists are left out by the servers. */
export const list = (reply: Reply, field: string): readonly unknown[] =>
  reply[field] === undefined ? [] : fields.list(reply, field);

export const records = (reply: Reply, field: string): Reply[] => list(reply, field).map(record);
