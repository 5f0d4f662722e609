import assert from 'node:assert/strict';
import { BUY_ORDER } from './bench.ts';
import type { PartnerBench, Sent } from './partner-bench.ts';

export const HOOKS = '/v2/integrator/webhooks';
export const URL_OF = 'https://shop.example/hook';

/** A partner with one endpoint. */
export async function endpointOn(bench: PartnerBench, body: object = {}) {
  const partner = await bench.partner();
  const made = await bench.key(partner.serverKey, 'POST', HOOKS, { url: URL_OF, ...body });
  assert.equal(made.statusCode, 201, made.body);
  const { webhookId, secret } = made.json();
  const ask = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', suffix: string, wish?: object) =>
    bench.key(partner.serverKey, method, `${HOOKS}/${webhookId}${suffix}`, wish);
  const create = async (wish: object = BUY_ORDER): Promise<string> =>
    (await bench.key(partner.serverKey, 'POST', '/v2/swaps', wish)).json().orderId;
  return { ...partner, made: made.json(), webhookId, secret: secret as string, ask, create };
}

export const eventOf = ({ body }: Sent) => JSON.parse(body);
export const typesOf = (sent: readonly Sent[]): readonly string[] => sent.map((one) => eventOf(one).type);
export const codeOf = (reply: { readonly statusCode: number; json(): { readonly code?: string } }) => [
  reply.statusCode,
  reply.json().code,
];
