import type { Guide } from './guide.ts';
import { BUY_MONERO, MONERO, REPEATABLE, WISH } from './orders.ts';

const KEY = { 'x-integrator-key': '$KEY' };
const SERVER_KEY = 'a server key, made in the pages for partners';

export const PARTNER_GUIDES: readonly Guide[] = [
  {
    name: 'earn',
    title: 'Earn a fee',
    line: 'An integration has a fee of its own, paid to its address when the customer is paid. Make one in the pages for partners.',
    needs: { KEY: SERVER_KEY, TO: MONERO, WISH },
    steps: [
      {
        text: 'Quotes and orders under your key carry your fee as a line of their own. integratorFeePercent replaces the default.',
        method: 'POST',
        path: '/v2/swaps',
        headers: { ...KEY, ...REPEATABLE },
        body: { ...BUY_MONERO, toAddress: '$TO', fromAmount: '300000000', integratorFeePercent: 0.5 },
        keep: { ORDER: 'orderId' },
      },
      {
        text: 'Your orders, what each earned, and whether it was paid.',
        method: 'GET',
        path: '/v2/integrator/orders?limit=20',
        headers: KEY,
      },
    ],
  },
  {
    name: 'webhooks',
    title: 'Be told by webhooks',
    line: 'Every change of your orders and fees is sent to an address of yours, signed, and sent again until it is taken.',
    needs: { KEY: SERVER_KEY },
    steps: [
      {
        text: 'Name the address. The secret is shown this once.',
        method: 'POST',
        path: '/v2/integrator/webhooks',
        headers: KEY,
        body: { url: 'https://shop.example/hook' },
        keep: { HOOK: 'webhookId', SECRET: 'secret' },
      },
      {
        text: 'Have a test event sent.',
        method: 'POST',
        path: '/v2/integrator/webhooks/$HOOK/test',
        headers: KEY,
      },
      {
        text: 'Believe nothing that is not signed: body is the text as it arrived. Answer with any 2xx. The client is packed from the sources of the desk: npm pack ./sdk.',
        code: `import { verifyWebhook } from '@wherry/client';

export async function taken(headers, body) {
  const { type, data } = await verifyWebhook(process.env.SECRET, headers, body);
  return type === 'fee.paid' ? \`paid for \${data.orderId}\` : type;
}`,
      },
    ],
  },
  {
    name: 'refusals',
    title: 'Refusals, limits and asking again',
    line: 'A refusal has a code that stays, a sentence for people, and every wrong field at once. The header X-Request-Id names it to us.',
    needs: { TO: MONERO, WISH },
    steps: [
      {
        text: 'Two fields are wrong here: details.errors names both, each with its code. 429 and 503 say in Retry-After when to ask again, and 503 in details.missing what is missing.',
        method: 'POST',
        path: '/v2/swaps',
        body: { ...BUY_MONERO, toAddress: 'nobody', fromAmount: '300000000', toAmount: '1' },
      },
      {
        text: 'A creation that got no answer may have happened. Send it with an Idempotency-Key, and again with the same one: it is one order.',
        method: 'POST',
        path: '/v2/swaps',
        headers: REPEATABLE,
        body: { ...BUY_MONERO, toAddress: '$TO', fromAmount: '300000000' },
        keep: { ORDER: 'orderId' },
      },
    ],
  },
];
