import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiDeps } from '../../src/api/deps.ts';
import { amount } from '../../src/kernel/amount.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import { refuse } from '../../src/kernel/refusal.ts';
import { usdPrice, usdValue } from '../../src/kernel/usd.ts';
import type { Quote, QuoteRequest } from '../../src/life/quote/quote.ts';
import type { Asset } from '../../src/world/chains/chain.ts';
import { ETH, USDC, USDT, WBTC, wideCatalog, XMR } from './assets.ts';
import { bench, NO_LIMITS } from './bench.ts';
import { readXml } from './xml.ts';

const DOLLARS = new Map<Asset, bigint>([
  [XMR, 200n],
  [USDT, 1n],
  [USDC, 1n],
  [ETH, 2_500n],
  [WBTC, 100_000n],
]);
const unit = ({ decimals }: Asset): bigint => 10n ** BigInt(decimals);
const dollars = (asset: Asset): bigint => DOLLARS.get(asset) ?? assert.fail(asset.symbol);

/** At the prices above, less half a dollar's worth for the payout's transfer. */
function quoted(request: QuoteRequest, base: Quote): Quote {
  const { from, to } = request;
  const gross = (request.amount.atoms * dollars(from) * unit(to)) / (dollars(to) * unit(from));
  const fee = amount(to.id, unit(to) / (2n * dollars(to)));
  const worth = (n: bigint) => amount(from.id, (n * unit(from)) / dollars(from));
  return {
    ...base,
    ...{ from, to, fromAmount: request.amount, toAmount: amount(to.id, gross - fee.atoms) },
    ...{ minFrom: worth(25n), maxFrom: worth(20_000n), estimatedSeconds: 61 },
    fees: [
      { type: 'service', amount: fee, symbol: to.symbol, usd: usdValue(fee, price(to)) },
      { type: 'network', amount: fee, symbol: to.symbol, usd: usdValue(fee, price(to)) },
    ],
  };
}

const price = (asset: Asset) => usdPrice(ratio(dollars(asset), 1n), asset.decimals);

async function open(quote: (request: QuoteRequest, base: Quote) => Promise<Quote | ReturnType<typeof refuse>>) {
  const asked: string[] = [];
  const { deps } = await bench();
  const base = await deps.quotes.quote({
    ...{ from: USDC, to: XMR, mode: 'exact_in', amount: amount(USDC.id, 10n ** 8n) },
    ...{ integrator: undefined, twap: undefined },
  });
  assert('route' in base);
  const quotes: ApiDeps['quotes'] = {
    quote: (request) => {
      asked.push(`${request.from.symbol} ${request.to.symbol}`);
      return quote(request, base);
    },
    activation: async () => undefined,
    price: async (id) => {
      const asset = [...DOLLARS.keys()].find((one) => one.id === id);
      return asset && price(asset);
    },
  };
  const made = await bench({ quota: NO_LIMITS, catalog: wideCatalog, quotes });
  const items = async () => {
    const answer = await made.get('/rates.xml');
    assert.equal(answer.statusCode, 200);
    const root = readXml(answer.body);
    assert.equal(root.name, 'rates');
    return root.children.map(({ name, children }) => {
      assert.equal(name, 'item');
      return Object.fromEntries(children.map((child) => [child.name, child.text]));
    });
  };
  return { ...made, asked, items };
}

test('the feed shows its seven pairs as rate monitors read them', async () => {
  const { get, items } = await open(async (request, base) => quoted(request, base));
  const answer = await get('/rates.xml');
  assert.equal(answer.headers['content-type'], 'application/xml; charset=utf-8');
  assert.equal(answer.headers['cache-control'], 'public, max-age=30');
  assert.match(String(answer.headers['x-request-id']), /^[0-9a-f]{24}$/);
  const rows = await items();
  assert.deepEqual(
    rows.map(({ from, to }) => `${from} ${to}`),
    [
      'USDTARBITRUM XMR',
      'USDCARBITRUM XMR',
      'ETHARBITRUM XMR',
      'WBTCARBITRUM XMR',
      'XMR USDTARBITRUM',
      'XMR USDCARBITRUM',
      'XMR ETHARBITRUM',
    ],
  );
  assert.deepEqual(rows[2], {
    from: 'ETHARBITRUM',
    to: 'XMR',
    in: '0.2',
    out: '2.5',
    amount: '99.9',
    tofee: '0.0025 XMR',
    minamount: '0.01 ETHARBITRUM',
    maxamount: '8 ETHARBITRUM',
    exchange: 'Wherry',
    eta: '2 min',
  });
  assert.deepEqual(rows[4], {
    from: 'XMR',
    to: 'USDTARBITRUM',
    in: '2.5',
    out: '500',
    amount: '19980',
    tofee: '0.5 USDT',
    minamount: '0.125 XMR',
    maxamount: '100 XMR',
    exchange: 'Wherry',
    eta: '2 min',
  });
});

test('it is computed once for all who ask, and again after thirty seconds', async () => {
  const { get, asked, wait } = await open(async (request, base) => quoted(request, base));
  const bodies = await Promise.all(Array.from({ length: 20 }, async () => (await get('/rates.xml')).body));
  assert.equal(new Set(bodies).size, 1);
  assert.equal(asked.length, 7);
  wait(29_999);
  await get('/rates.xml');
  assert.equal(asked.length, 7);
  wait(1);
  await get('/rates.xml');
  assert.equal(asked.length, 14);
});

test('a pair that cannot be quoted now is left out, and without any the feed is empty', async () => {
  let isDown = false;
  const { items, wait } = await open(async (request, base) => {
    if (isDown || request.from === WBTC) throw new Fault('transient', 'provider', 'is away');
    return request.to === ETH ? refuse('unavailable', 'Not now.') : quoted(request, base);
  });
  assert.deepEqual(
    (await items()).map(({ from, to }) => `${from} ${to}`),
    ['USDTARBITRUM XMR', 'USDCARBITRUM XMR', 'ETHARBITRUM XMR', 'XMR USDTARBITRUM', 'XMR USDCARBITRUM'],
  );
  isDown = true;
  wait(30_000);
  assert.deepEqual(await items(), []);
});

test('a desk without these chains has an empty feed too', async () => {
  const { get } = await bench({
    quotes: {
      quote: async () => refuse('unavailable', 'No.'),
      price: async () => undefined,
      activation: async () => undefined,
    },
  });
  assert.deepEqual(readXml((await get('/rates.xml')).body).children, []);
});

test('it is counted like other requests, and takes no other method', async () => {
  const { get, call } = await bench();
  assert.equal((await call({ method: 'POST', url: '/rates.xml' })).headers.allow, 'GET');
  for (let asked = 0; asked < 50; asked += 1) assert.equal((await get('/rates.xml')).statusCode, 200);
  assert.deepEqual((await get('/rates.xml')).json(), { error: 'Rate limit exceeded' });
});
