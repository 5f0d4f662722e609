import type { Secret } from '../../../kernel/secret.ts';
import type { Outbound } from '../../outbound/http.ts';
import { type Answer, answerOf, type Purpose, providerReading } from '../codec.ts';

export const BRIDGE = 'provider:bridge';

export const reading = providerReading(BRIDGE);

/** One request; a body makes it a POST. */
export type Ask = (label: string, purpose: Purpose, path: string, body?: object) => Promise<Answer>;

export function asker(config: { readonly url: string; readonly key?: Secret }, outbound: Outbound): Ask {
  const key = config.key ? { 'x-integrator-key': config.key.reveal() } : {};
  return async (label, purpose, path, body) => {
    const reply = await outbound({
      at: BRIDGE,
      label,
      url: `${config.url}${path}`,
      ...(body
        ? { method: 'POST', headers: { 'content-type': 'application/json', ...key }, body: JSON.stringify(body) }
        : { method: 'GET', headers: key }),
    });
    return answerOf(reply, { at: BRIDGE, label, purpose });
  };
}
