import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import { stagedDesk } from '../browser/staged-desk.ts';
import { MONERO_ADDRESS, USDC } from './assets.ts';

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
/** The fields of a form that buys one XMR. */
export const BUY = {
  do: 'create',
  key: 'a',
  from: `42161:${USDC.token}`,
  to: '0:XMR',
  send: '300',
  address: MONERO_ADDRESS,
};

/** Pages over a desk of fakes, and what a browser without script would send. */
export async function visiting(t: TestContext, ...staged: Parameters<typeof stagedDesk>) {
  const made = await stagedDesk(...staged);
  t.after(() => made.api.close());
  const send = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    made.call({ method: 'POST', url, payload: `${new URLSearchParams(fields)}`, headers: { ...FORM, ...headers } });
  const buy = async (fields: Record<string, string> = {}) => {
    const reply = await send('/', { ...BUY, ...fields });
    assert.equal(reply.statusCode, 303, reply.body);
    const path = String(reply.headers.location);
    return { path, id: path.split('/').at(-1) ?? '', cookie: { cookie: cookieOf(reply) } };
  };
  return { ...made, send, buy };
}

export const cookieOf = (reply: LightMyRequestResponse): string =>
  String(reply.headers['set-cookie']).split(';')[0] ?? '';
