import type { Guide } from './guide.ts';

const USDC_ARBITRUM = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831';
export const BUY_MONERO = { fromChainId: 42161, fromToken: USDC_ARBITRUM, toChainId: 0, toToken: 'XMR' } as const;
const SELL_MONERO = { fromChainId: 0, fromToken: 'XMR', toChainId: 42161, toToken: USDC_ARBITRUM } as const;
export const MONERO = 'your own Monero address';
const EVM = 'your own address on Arbitrum';
export const OWNER = { 'x-session-id': '$SESSION' };
const KEPT = { ORDER: 'orderId', SESSION: 'sessionId' };
/** The same one for the same wish. One that stood here would give every reader their order of yesterday. */
export const REPEATABLE = { 'idempotency-key': '$WISH' };
export const WISH = 'a UUID of your own, another one for each order: uuidgen makes one';

export const ORDER_GUIDES: readonly Guide[] = [
  {
    name: 'price',
    title: 'Show a price',
    line: 'A price needs two coins and one amount. Amounts are whole numbers of the smallest unit, written as text.',
    needs: {},
    steps: [
      { text: 'What can be swapped, and in which direction.', method: 'GET', path: '/v2/swaps/assets/tokens?limit=20' },
      {
        text: 'By what is sent: 300 USDC. Every fee is a line of the answer and already deducted from toAmount.',
        method: 'POST',
        path: '/v2/swaps/quote',
        body: { ...BUY_MONERO, fromAmount: '300000000' },
      },
      {
        text: 'By what is received: about one XMR. fromAmount of the answer is what must be sent for it; the market decides when it is traded.',
        method: 'POST',
        path: '/v2/swaps/quote',
        body: { ...BUY_MONERO, toAmount: '1000000000000' },
      },
    ],
  },
  {
    name: 'swap',
    title: 'Make a swap',
    line: 'Create the order, let your customer pay its address, and read it until it is over.',
    needs: { TO: MONERO, WISH },
    steps: [
      {
        text: 'Create the order. sessionId is the key of its owner: keep it, and show it to nobody. Sent again under the same Idempotency-Key it is the same order.',
        method: 'POST',
        path: '/v2/swaps',
        headers: REPEATABLE,
        body: { ...BUY_MONERO, toAddress: '$TO', fromAmount: '300000000' },
        keep: { ...KEPT, ADDRESS: 'depositAddress' },
      },
      {
        text: 'Pay depositAmount to depositAddress, on the chain fromChainId, from any wallet. Then read the order: customerState says what is going on and who must act.',
        method: 'GET',
        path: '/v2/swaps/$ORDER',
        headers: OWNER,
      },
    ],
  },
  {
    name: 'follow',
    title: 'Follow an order',
    line: 'A socket tells every change. Where it breaks, reading does as well: an order is the same however it is asked for.',
    needs: { TO: EVM },
    steps: [
      {
        text: 'An order to follow.',
        method: 'POST',
        path: '/v2/swaps',
        body: { ...SELL_MONERO, toAddress: '$TO', fromAmount: '1000000000000' },
        keep: { ...KEPT, TRACKING: 'trackingUrl' },
      },
      {
        text: 'With the client, which reads by itself whenever the socket is away. It is packed from the sources of the desk: npm pack ./sdk.',
        code: `import { wherryClient } from '@wherry/client';

const desk = wherryClient({ url: process.env.DESK });
const order = { id: process.env.ORDER, session: process.env.SESSION };
for await (const { customerState } of desk.followOrder(order)) console.log(customerState.kind);`,
      },
      {
        text: 'What was traded, newest first.',
        method: 'GET',
        path: '/v2/swaps/$ORDER/fills',
        headers: OWNER,
      },
      {
        text: 'trackingUrl is a page that anybody may look at without being able to act, and a feed beside it.',
        method: 'GET',
        path: '$TRACKING',
        isLink: true,
      },
    ],
  },
  {
    name: 'short-deposit',
    title: 'When too little arrives',
    line: 'The order waits for the rest until topUpUntil. Its owner may go on at once with what is there.',
    needs: { ORDER: 'the order', SESSION: 'its session' },
    steps: [
      {
        text: 'customerState is a notice, below_expected: observedDepositAmount has arrived.',
        method: 'GET',
        path: '/v2/swaps/$ORDER',
        headers: OWNER,
      },
      {
        text: 'Go on with that. The output is reckoned anew from what arrived.',
        method: 'POST',
        path: '/v2/orders/$ORDER/deposit-wait/close',
        headers: OWNER,
      },
    ],
  },
  {
    name: 'refund',
    title: 'Return money',
    line: 'What came late, twice or on another chain is recorded as the customer’s, and the order asks where it shall go.',
    needs: { ORDER: 'the order', SESSION: 'its session', BACK: 'an address on the chain that refundRecovery names' },
    steps: [
      {
        text: 'customerState asks for a refund_address; refundRecovery says what came, how much, and on which chain.',
        method: 'GET',
        path: '/v2/swaps/$ORDER',
        headers: OWNER,
      },
      {
        text: 'Name it. It is saved once and cannot be changed: have your customer confirm it.',
        method: 'PUT',
        path: '/v2/orders/$ORDER/refund-address',
        headers: OWNER,
        body: { refundAddress: '$BACK' },
      },
    ],
  },
  {
    name: 'other-destination',
    title: 'When the destination is refused',
    line: 'A token’s issuer may have frozen it, or a contract does not take the payment. Another address may be named once.',
    needs: { ORDER: 'the order', SESSION: 'its session', TO: 'another address on the chain toChainId' },
    steps: [
      {
        text: 'customerState asks for a payout_address, and errorMessage says why.',
        method: 'GET',
        path: '/v2/swaps/$ORDER',
        headers: OWNER,
      },
      {
        text: 'Name another one.',
        method: 'PUT',
        path: '/v2/orders/$ORDER/payout-address',
        headers: OWNER,
        body: { payoutAddress: '$TO' },
      },
    ],
  },
  {
    name: 'bridge',
    title: 'Bridge a coin',
    line: 'XMR, TRX and ZEC become their wrapped form on the venue and back, one for one, less the fee of the terms.',
    needs: { TO: 'your own address on the venue' },
    steps: [
      { text: 'Fees, minimums, and what is switched on.', method: 'GET', path: '/v2/bridges/terms' },
      {
        text: 'An order. It takes whatever comes, from the minimum on; direction withdraw is the way back.',
        method: 'POST',
        path: '/v2/bridges',
        body: { asset: 'xmr', direction: 'deposit', toAddress: '$TO' },
        keep: KEPT,
      },
      { text: 'Read it.', method: 'GET', path: '/v2/bridges/$ORDER', headers: OWNER },
    ],
  },
];
