import { parseTronAddress, tronAddressOfHex, tronHex } from '../../../src/world/chains/tron/codec.ts';
import type { Params, Reply } from './reply.ts';

/**
 * Addresses are hexadecimal in questions and answers, or base58 in both where the question says `visible`; some texts are then
 * plain as well. Which fields these are is in the node's `HttpSelfFormatFieldName.java`.
 */

class ParseException extends Error {
  override readonly name = 'class org.tron.core.services.http.JsonFormat$ParseException';
}

const ASKED = ['address', 'owner_address', 'contract_address', 'fromAddress', 'toAddress'];
/** Names an account to `getcontract` and is a hash to all others. */
const ASKED_BY_HASH = 'value';
const TOLD = new Set([
  ...['address', 'owner_address', 'to_address', 'receiver_address'],
  ...['contract_address', 'origin_address', 'from', 'to'],
]);
const TEXTS = new Set(['message', 'resMessage']);

export function withSpelling(reply: Reply): Reply {
  return (params) => {
    const isVisible = String(params.visible) === 'true';
    const answer = reply(inHex(params, isVisible));
    return isVisible ? inBase58(answer) : answer;
  };
}

function inHex(params: Params, isVisible: boolean): Params {
  const spelled = [...ASKED, ASKED_BY_HASH].flatMap((name) => {
    const value = params[name];
    if (typeof value !== 'string') return [];
    const address = isVisible ? parseTronAddress(value) : undefined;
    if (address) return [[name, tronHex(address)]];
    if (isVisible && name !== ASKED_BY_HASH) throw new ParseException('INVALID base58 String');
    if (!/^[0-9a-f]*$/i.test(value)) throw new ParseException('INVALID hex String');
    return [[name, value.toLowerCase()]];
  });
  return { ...params, ...Object.fromEntries(spelled) };
}

function inBase58(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => inBase58(item));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inBase58(inner, key)]));
  }
  if (typeof value !== 'string') return value;
  if (TOLD.has(name)) return tronAddressOfHex(value) ?? value;
  return TEXTS.has(name) ? Buffer.from(value, 'hex').toString('utf8') : value;
}
