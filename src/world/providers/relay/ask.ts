import type { Secret } from '../../../kernel/secret.ts';
import type { Outbound } from '../../outbound/http.ts';
import { type Answer, answerOf, type Purpose, providerReading } from '../codec.ts';

export const RELAY = 'provider:relay';

export const reading = providerReading(RELAY);

/** Trouble behind the provider, by its own documentation: nothing is wrong with the request. */
const PASSING = new Set(['PRICE_FETCH_FAILED', 'REQUEST_TIMED_OUT', 'RPC_HTTP_ERROR', 'SERVICE_UNAVAILABLE']);

/** One request; a body makes it a POST. */
export type Ask = (label: string, purpose: Purpose, path: string, body?: object) => Promise<Answer>;

export function asker(config: { readonly url: string; readonly apiKey?: Secret }, outbound: Outbound): Ask {
  const key = config.apiKey ? { 'x-api-key': config.apiKey.reveal() } : {};
  return async (label, purpose, path, body) => {
    const reply = await outbound({
      at: RELAY,
      label,
      url: `${config.url}${path}`,
      ...(body
        ? { method: 'POST', headers: { 'content-type': 'application/json', ...key }, body: JSON.stringify(body) }
        : { method: 'GET', headers: key }),
    });
    return answerOf(reply, { at: RELAY, label, purpose, passing: PASSING });
  };
}
