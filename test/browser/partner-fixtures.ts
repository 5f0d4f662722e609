import { EVM_ADDRESS, MONERO_ADDRESS, USDC } from '../wire/assets.ts';

const AT = '2030-01-01T00:00:00.000Z';
const BEFORE = '2029-12-20T09:30:00.000Z';
export const OWNER = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const OTHER = '0x1111111111111111111111111111111111111111';
export const MEMBER_TOKEN = 'a'.repeat(52);
export const KEY = `wh_s_${'a'.repeat(16)}_${'b'.repeat(54)}`;
const HOOK = 'hook_aaaaaaaaaaaaaaaa';

/** The integrations that there are: one that is busy, one without an order that waits for approval, one only to be looked at. */
export const BUSY = 'int_busy';
export const FRESH = 'int_fresh';
export const WATCHED = 'int_watched';

const integration = (id: string) => ({
  integrationId: id,
  name: { [BUSY]: 'Acme Wallet', [FRESH]: 'Corner shop', [WATCHED]: 'Somebody else’s' }[id],
  status: id === FRESH ? 'pending' : 'active',
  feePercent: 0.5,
  feeAddress: EVM_ADDRESS,
  feeAddressSol: id === FRESH ? null : 'So11111111111111111111111111111111111111112',
  feeAddressBtc: null,
  pendingChange:
    id === BUSY
      ? {
          feeAddress: { value: OTHER, effectiveAt: '2030-01-01T18:20:00.000Z' },
          feeAddressSol: { value: null, effectiveAt: '2030-01-02T08:00:00.000Z' },
        }
      : null,
  limits: {},
  members: [
    { address: OWNER, role: id === WATCHED ? 'viewer' : 'owner' },
    { address: OTHER, role: id === WATCHED ? 'owner' : 'viewer' },
  ],
  createdAt: BEFORE,
});

const DAYS = Array.from({ length: 30 }, (_, at) => {
  const orders = [3, 8, 5, 0, 12, 21, 9, 4, 16, 11][at % 10] ?? 0;
  const date = new Date(Date.parse('2029-12-03') + at * 86_400_000).toISOString().slice(0, 10);
  const volumeUsd = `${orders * 1_234 + at * 100}.50`;
  return { date, orders, completed: Math.max(0, orders - 1), volumeUsd, feesUsd: `${orders * 6}.17` };
});

const report = (id: string) => {
  const isBusy = id === BUSY;
  return {
    stats: {
      ...{ windowDays: 30, orders: isBusy ? 267 : 0, completed: isBusy ? 241 : 0, refunded: isBusy ? 9 : 0 },
      ...{ failed: isBusy ? 1 : 0, expired: isBusy ? 12 : 0, open: isBusy ? 4 : 0 },
      volumeUsd: isBusy ? '1234567.89' : '0.00',
      feesUsd: isBusy
        ? { projected: '41.20', paid: '6131.77', skipped: '3.05' }
        : { projected: '0.00', paid: '0.00', skipped: '0.00' },
      fees: isBusy
        ? [
            { chainId: 42161, token: USDC.token, symbol: 'USDC', projected: '41200000', paid: '5790120000' },
            {
              chainId: 1337,
              token: '0x6d1e7cde53ba9467b783cb7c530ce054',
              symbol: 'USDC',
              projected: '0',
              paid: '341650000',
            },
            { chainId: 99, token: '0xdead', symbol: '\u202eEVIL', projected: '1', paid: '2' },
          ]
        : [],
      medianSeconds: isBusy ? 214 : null,
      pairs: isBusy
        ? [
            { fromSymbol: 'USDC', toSymbol: 'XMR', orders: 188, volumeUsd: '1004100.00' },
            { fromSymbol: 'XMR', toSymbol: 'USDC', orders: 79, volumeUsd: '230467.89' },
          ]
        : [],
      days: isBusy
        ? DAYS
        : DAYS.map((day) => ({ ...day, orders: 0, completed: 0, volumeUsd: '0.00', feesUsd: '0.00' })),
    },
    access: {
      limits: { requestLimitPerMin: 1200, createLimitPerMin: 60, maxOpenOrders: 200 },
      defaults: { requestLimitPerMin: 600, createLimitPerMin: 60, maxOpenOrders: 200 },
      ...{ quoteLimitPerMin: 600, openOrderWindowMinutes: 1440, openOrders: 37, keyRequestLimitPerMin: 0 },
      clientIpForwarding: {
        enabled: true,
        header: 'X-End-User-IP',
        limits: { requestLimitPerMin: 50, createLimitPerMin: 5, maxOpenOrders: 20 },
      },
      attribution: { windowDays: 30, totalOrders: 267, attributedOrders: 201, distinctIps: 143 },
    },
  };
};

const order = (at: number, change: object = {}) => ({
  ...{ orderId: `sw_${String.fromCharCode(97 + at).repeat(32)}`, product: 'swap', status: 'completed' },
  ...{
    fromSymbol: 'USDC',
    toSymbol: 'XMR',
    depositAmount: '300000000',
    expectedOutput: '1',
    toAddress: MONERO_ADDRESS,
  },
  ...{ createdAt: AT, updatedAt: AT, completedAt: AT, expiresAt: AT },
  ...{ feeStatus: 'paid', feeSkipReason: null, feePercent: 0.5, feeAmount: '1500000', feeToken: USDC.token },
  ...{ feeChainId: 42161, feeSymbol: 'USDC', feeUsd: '1.50', feeTxHash: `0x${'ab'.repeat(32)}` },
  ...{ keyId: 'k', keyName: 'backend', generation: 'v2', depositTxHash: null, payoutTxHash: null },
  ...change,
});
const none = { feeAmount: null, feeToken: null, feeChainId: null, feeSymbol: null, feeTxHash: null };
const ORDERS = [
  order(0),
  order(1, { status: 'processing', feeStatus: 'projected' }),
  order(2, { status: 'awaiting_deposit', feeStatus: 'projected', keyId: null, keyName: null }),
  order(3, { status: 'refunded', feeStatus: 'skipped', feeSkipReason: 'refunded', ...none }),
  order(4, { fromSymbol: 'XMR', toSymbol: 'USDC', depositAmount: '1500000000000', status: 'needs_review' }),
  order(5, { status: 'expired', feeStatus: 'none', ...none }),
  order(6, { status: 'failed', feeStatus: 'none', ...none }),
];

const key = (keyId: string, change: object) => ({
  ...{ keyId, kind: 'server', name: 'backend', prefix: `wh_s_${keyId}`, createdAt: BEFORE },
  ...{ lastUsedAt: AT, revokedAt: null },
  ...change,
});
const KEYS = [
  key('a'.repeat(16), {}),
  key('b'.repeat(16), { kind: 'public', name: null, prefix: `wh_p_${'b'.repeat(16)}`, lastUsedAt: null }),
  key('c'.repeat(16), { name: 'old', revokedAt: AT }),
];

const EVENTS = ['order.created', 'order.completed', 'fee.paid'];
const webhook = (change: object = {}) => ({
  ...{
    webhookId: HOOK,
    url: 'https://shop.example/wherry/events',
    events: EVENTS,
    status: 'active',
    createdAt: BEFORE,
  },
  ...change,
});
const attempt = (status: number | null, error: string | null) => ({ at: AT, status, ms: 132, error });
const DELIVERIES = [
  { type: 'order.completed', state: 'delivered', attempts: [attempt(500, 'status 500'), attempt(200, null)] },
  { type: 'fee.paid', state: 'pending', attempts: [attempt(null, 'The host does not answer.')] },
  { type: 'webhook.test', state: 'failed', attempts: [attempt(301, 'status 301')] },
].map((one, at) => ({
  ...{ deliveryId: `del_${at}`, messageId: `msg_${at}`, createdAt: AT, seq: at },
  orderId: one.type === 'webhook.test' ? null : `sw_${'a'.repeat(32)}`,
  ...one,
}));

const AUDIT = [
  { at: AT, actor: OWNER, action: 'key.created', details: { keyId: 'a'.repeat(16), kind: 'server' } },
  { at: BEFORE, actor: 'operator', action: 'integration.changed', details: { limits: { createLimitPerMin: 60 } } },
  { at: BEFORE, actor: 'service', action: 'integration.address_effective', details: { feeAddress: OTHER } },
];

/** What the desk would say to a call of partners; nothing where it would not know of it. */
export function partnerReply(method: string, path: string, isMember: boolean): unknown {
  if (path === '/partner/sign-in/nonce') return { nonce: 'a1b2c3d4e5f60718', expiresAt: '2030-01-01T00:05:00.000Z' };
  if (!isMember) return undefined;
  if (path === '/partner/me')
    return {
      address: OWNER,
      integrations: [BUSY, FRESH, WATCHED].map((id) => ({
        ...{ integrationId: id, name: integration(id).name, role: id === WATCHED ? 'viewer' : 'owner' },
      })),
    };
  const [, id = '', rest = ''] = /^\/partner\/integrations\/(int_\w+)(.*)$/.exec(path) ?? [];
  const isEmpty = id === FRESH;
  const replies: Readonly<Record<string, unknown>> = {
    'GET ': integration(id),
    'PATCH ': integration(id),
    'GET /report': report(id),
    'GET /orders': { orders: isEmpty ? [] : ORDERS, nextCursor: isEmpty ? null : 'abc' },
    'GET /keys': { keys: isEmpty ? [] : KEYS },
    'POST /keys': { ...KEYS[0], key: KEY },
    'GET /audit': { entries: AUDIT, nextCursor: null },
    'GET /webhooks': {
      webhooks: isEmpty ? [] : [webhook(), webhook({ webhookId: 'hook_2', status: 'disabled' })],
    },
    'POST /webhooks': { ...webhook(), secret: `whsec_${'s'.repeat(44)}` },
    [`GET /webhooks/${HOOK}`]: webhook(),
    [`GET /webhooks/${HOOK}/deliveries`]: { deliveries: DELIVERIES, nextCursor: null },
  };
  return id === '' ? undefined : replies[`${method} ${rest}`];
}

const rooms = (id: string, ...names: readonly string[]) => names.map((name) => `/partners/${id}${name}`);
/** Every page of partners, for whoever is signed in. */
export const PARTNER_PATHS = [
  ...['/partners', '/partners/new'],
  ...rooms(BUSY, '', '/orders', '/orders?from=yesterday', '/fees', '/keys', '/webhooks', `/webhooks/${HOOK}`),
  ...rooms(BUSY, '/links', '/team', '/limits', '/history', '/nothing'),
  ...rooms(FRESH, '', '/orders', '/fees', '/keys', '/webhooks'),
  ...rooms(WATCHED, '/fees', '/keys', '/webhooks', '/team'),
];
