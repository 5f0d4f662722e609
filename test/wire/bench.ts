import { randomBytes } from 'node:crypto';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import pino from 'pino';
import type { ApiDeps, PartnerRoom } from '../../src/api/deps.ts';
import { buildApi } from '../../src/api/server.ts';
import { amount } from '../../src/kernel/amount.ts';
import { openBinder } from '../../src/kernel/binding.ts';
import { instant } from '../../src/kernel/clock.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import { refuse } from '../../src/kernel/refusal.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { PartnerCaller } from '../../src/partners/key-authentication.ts';
import type { Bucket, Quota } from '../../src/store/quota.ts';
import { catalog, EVM_ADDRESS, MONERO_ADDRESS, USDC, VENUE_XMR, XMR } from './assets.ts';
import { type MemoryDesk, memoryDesk } from './desk.ts';
import { type FixedQuotes, fixedQuotes } from './quotes.ts';

export const SERVER_KEY = 'wh_s_k1_secret';
export const PUBLIC_KEY = 'wh_p_k2_secret';
export const OTHER_KEY = 'wh_s_k3_secret';

export const START = Date.UTC(2030, 0, 1);

export interface Bench {
  readonly api: FastifyInstance;
  readonly desk: MemoryDesk;
  readonly quotes: FixedQuotes;
  readonly deps: ApiDeps;
  /** What the partner's settings say from now on. */
  partner(change: Partial<PartnerCaller>): void;
  wait(ms: number): void;
  /** What was written to the log. */
  readonly logged: string[];
  call(options: InjectOptions): Promise<LightMyRequestResponse>;
  post(url: string, payload: unknown, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  get(url: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
}

const PARTNER: PartnerCaller = {
  integrationId: 'int_1',
  keyId: 'k1',
  kind: 'server',
  name: 'Partner',
  feePercent: 0.5,
  feeAddress: '0x1111111111111111111111111111111111111111' as Address,
  feeAddressSol: undefined,
  feeAddressBtc: undefined,
  limits: {
    requestLimitPerMin: 0,
    createLimitPerMin: 0,
    quoteLimitPerMin: 0,
    keyRequestLimitPerMin: 0,
    maxOpenOrders: 0,
    openOrderWindowMinutes: 60,
  },
  forwarding: undefined,
};

/** The whole API over fakes, with a clock that stands still until it is moved. */
export async function bench(
  change: Partial<ApiDeps> = {},
  mount: (api: FastifyInstance, deps: ApiDeps) => Promise<void> = async () => {},
): Promise<Bench> {
  let now = instant(START);
  const clock = { now: () => now };
  const desk = memoryDesk(clock.now);
  const quotes = fixedQuotes(clock);
  const logged: string[] = [];
  const partners = new Map<string, PartnerCaller>([
    [SERVER_KEY, PARTNER],
    [PUBLIC_KEY, { ...PARTNER, keyId: 'k2', kind: 'public' }],
    [OTHER_KEY, { ...PARTNER, keyId: 'k3', integrationId: 'int_2' }],
  ]);
  const deps: ApiDeps = {
    desk,
    quotes,
    catalog,
    bridges: {
      settings: {
        depositRate: ratio(1n, 1_000n),
        withdrawalRate: ratio(2n, 1_000n),
        assets: [
          {
            name: 'xmr',
            native: XMR,
            wrapped: VENUE_XMR,
            minimum: amount(XMR.id, 10n ** 11n),
            withdrawalFlat: amount(XMR.id, 10n ** 9n),
          },
        ],
      },
      money: USDC,
      isOn: async () => true,
    },
    partners: {
      caller: async (key) => (key === undefined ? undefined : (partners.get(key) ?? refuse('invalid_key', 'Bad key'))),
      referred: async (id) =>
        id === PARTNER.integrationId
          ? { ...PARTNER, keyId: undefined, kind: 'public' }
          : refuse('invalid_key', 'Bad id'),
    },
    // Stories about partners bring their own, over a database.
    partnerRoom: undefined as unknown as PartnerRoom,
    quota: memoryQuota(),
    clock,
    randomBytes: (length) => randomBytes(length),
    hashKey: new Secret(Buffer.alloc(32, 1)),
    binder: openBinder(new Secret(Buffer.alloc(32, 2))),
    rules: RULES,
    log: pino({ level: 'info' }, { write: (line) => logged.push(line) }),
    observe: () => {},
    unready: async () => [],
    ...change,
  };
  const api = await buildApi(deps);
  await mount(api, deps);
  await api.ready();
  const call = (options: InjectOptions) => api.inject(options);
  return {
    api,
    desk,
    quotes,
    deps,
    logged,
    partner: (changed) => {
      for (const [key, partner] of partners) partners.set(key, { ...partner, ...changed });
    },
    wait: (ms) => {
      now = instant(now + ms);
    },
    call,
    post: (url, payload, headers = {}) =>
      call({ method: 'POST', url, payload: JSON.stringify(payload), headers: { ...JSON_TYPE, ...headers } }),
    get: (url, headers = {}) => call({ method: 'GET', url, headers }),
  };
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** Sliding windows in memory; what the database does is tested there. */
export function memoryQuota(): Quota {
  const hits = new Map<string, number[]>();
  const recentOf = (name: string, now: number) => (hits.get(name) ?? []).filter((at) => at + 60_000 > now);
  const waitOf = ({ name, limit }: Bucket, now: number) => {
    const recent = recentOf(name, now);
    const oldest = recent.at(-limit);
    return recent.length < limit || oldest === undefined ? 0 : oldest + 60_000 - now;
  };
  return {
    async take(buckets, now) {
      const waits = buckets.map((bucket) => ({ bucket: bucket.name, waitMs: waitOf(bucket, now) }));
      const longest = waits.toSorted((a, b) => b.waitMs - a.waitMs)[0];
      if (longest && longest.waitMs > 0) return { exhausted: longest };
      for (const { name } of buckets) hits.set(name, [...(hits.get(name) ?? []), now]);
      const left = buckets.map(({ name, limit }) => {
        const recent = recentOf(name, now);
        return { bucket: name, remaining: limit - recent.length, resetMs: (recent[0] ?? now) + 60_000 - now };
      });
      return { left };
    },
    async giveBack(buckets, takenAt) {
      for (const { name } of buckets) {
        const all = hits.get(name) ?? [];
        hits.set(name, all.toSpliced(all.lastIndexOf(takenAt), all.includes(takenAt) ? 1 : 0));
      }
    },
    sweep: async () => 0,
  };
}

/** Nobody is ever refused. */
export const NO_LIMITS: Quota = { take: async () => ({ left: [] }), giveBack: async () => {}, sweep: async () => 0 };

export const BUY = {
  fromChainId: 42161,
  fromToken: USDC.token,
  toChainId: 0,
  toToken: 'XMR',
  fromAmount: '300000000',
};
export const BUY_ORDER = { ...BUY, toAddress: MONERO_ADDRESS };
export const SELL_ORDER = {
  fromChainId: 0,
  fromToken: 'XMR',
  toChainId: 42161,
  toToken: USDC.token,
  fromAmount: '1000000000000',
  toAddress: EVM_ADDRESS,
};
