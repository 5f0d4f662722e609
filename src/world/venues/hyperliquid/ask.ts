import { Fault } from '../../../kernel/fault.ts';
import type { Outbound } from '../../outbound/http.ts';
import { malformed, VENUE } from './reply.ts';

export interface InfoRequest {
  readonly type: string;
  readonly [field: string]: string | number | boolean;
}

/** One question to the venue's read side. */
export type Ask = (request: InfoRequest) => Promise<unknown>;

const JSON_POST = { method: 'POST', headers: { 'content-type': 'application/json' } } as const;

export function asker(url: string, outbound: Outbound): Ask {
  return async (request) => {
    const label = `info:${request.type}`;
    const reply = await outbound({ at: VENUE, label, url: `${url}/info`, ...JSON_POST, body: JSON.stringify(request) });
    // A question changes nothing, so an overloaded venue can simply be asked again.
    if (reply.status === 429 || reply.status >= 500)
      throw new Fault('transient', VENUE, `${label}: HTTP ${reply.status}`);
    if (reply.status !== 200) throw new Fault('ambiguous', VENUE, `${label}: HTTP ${reply.status}`);
    try {
      return JSON.parse(reply.body) as unknown;
    } catch {
      return malformed(label);
    }
  };
}

/** Sends a signed body. An answer of any kind is enough: what happened is looked up, not believed. */
export function poster(url: string, outbound: Outbound): (body: string) => Promise<void> {
  return async (body) => {
    const label = `exchange:${actionType(body)}`;
    const reply = await outbound({ at: VENUE, label, url: `${url}/exchange`, ...JSON_POST, body });
    if (reply.status === 429) throw new Fault('transient', VENUE, `${label}: HTTP 429`);
    if (reply.status !== 200) throw new Fault('ambiguous', VENUE, `${label}: HTTP ${reply.status}`);
  };
}

const actionType = (body: string): string => /^\{"action":\{"type":"(\w{1,40})"/.exec(body)?.[1] ?? 'unnamed';
