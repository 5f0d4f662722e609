import type { Secret } from '../../../kernel/secret.ts';
import type { Outbound } from '../../outbound/http.ts';
import { type Answer, answerOf, type Purpose, providerReading } from '../codec.ts';

export const ONECLICK = 'provider:oneclick';

export const reading = providerReading(ONECLICK);

/** One request; a body makes it a POST. */
export type Ask = (label: string, purpose: Purpose, path: string, body?: object) => Promise<Answer>;

export function asker(config: { readonly url: string; readonly jwt?: Secret }, outbound: Outbound): Ask {
  const bearer = config.jwt ? { authorization: `Bearer ${config.jwt.reveal()}` } : {};
  return async (label, purpose, path, body) => {
    const reply = await outbound({
      at: ONECLICK,
      label,
      url: `${config.url}${path}`,
      ...(body
        ? { method: 'POST', headers: { 'content-type': 'application/json', ...bearer }, body: JSON.stringify(body) }
        : { method: 'GET', headers: bearer }),
    });
    return answerOf(reply, { at: ONECLICK, label, purpose });
  };
}
