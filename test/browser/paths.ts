import { MONERO_ADDRESS, USDC } from '../wire/assets.ts';
import { FIXTURES } from './fixtures.ts';

/** Every page that is no order's. */
export const PATHS = [
  ...[
    '/',
    '/?send=300',
    '/?send=abc',
    '/?send=1',
    '/bridge',
    '/bridge?asset=xmr&direction=deposit',
    '/orders',
    '/recover',
  ],
  ...[
    '/status',
    '/help',
    '/docs',
    '/docs/createSwap',
    '/docs/guide/refusals',
    `/pay?to=0:XMR&amount=0.5&address=${MONERO_ADDRESS}&name=Ana`,
    '/nothing',
  ],
];
/** What belongs to an order beside its page, an order that this browser has no key to, and a coin that shows no sender. */
export const PAPERS = [
  '/track/completed.aaaaaaaaaaaaaaaa',
  '/order/nobody',
  '/order/completed/receipt',
  '/order/completed/recovery',
  '/order/completed/recovery?show=1',
  `/?from=0:XMR&to=42161:${USDC.token}`,
];
/** The page of an order in every state. */
export const ORDERS = Object.keys(FIXTURES).map((name) => `/order/${name}`);
