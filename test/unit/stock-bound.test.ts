import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundQuotes, openBridgeGate } from '../../src/app/gates.ts';
import { amount } from '../../src/kernel/amount.ts';
import { assetId, chainId, type TokenId } from '../../src/kernel/ids.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import { isRefusal } from '../../src/kernel/refusal.ts';
import type { BridgeSettings } from '../../src/life/quote/bridge-quote.ts';
import { outsideBounds } from '../../src/life/quote/deposit-bounds.ts';
import type { Quote, QuoteRequest } from '../../src/life/quote/quote.ts';
import { coarse, type Stock } from '../../src/life/quote/stock-bound.ts';
import type { Asset } from '../../src/world/chains/chain.ts';

const asset = (chain: number, token: string, decimals: number): Asset => {
  const id = chainId(chain);
  const named = { token: token as TokenId, symbol: token, name: token };
  return { ...named, id: assetId(id, token as TokenId), chainId: id, decimals, native: true };
};
const USDC = asset(1, 'USDC', 6);
const XMR = asset(0, 'XMR', 12);
const XMR1 = asset(1337, 'XMR1', 8);
const XMR_ATOMS = 10n ** 12n;

/** 300 USDC are one XMR. */
const buying = (usdc: bigint): Quote =>
  ({
    ...{ from: USDC, to: XMR, fromAmount: amount(USDC.id, usdc * 10n ** 6n) },
    toAmount: amount(XMR.id, (usdc * XMR_ATOMS) / 300n),
    ...{ minFrom: amount(USDC.id, 25n * 10n ** 6n), maxFrom: amount(USDC.id, 10n ** 15n) },
    route: { legs: [{ leg: 'venue', side: 'buy', spend: asset(1337, 'USDC', 8).id, spendDecimals: 8 }] },
  }) as unknown as Quote;
const selling = (xmr: bigint): Quote =>
  ({
    ...{
      from: XMR,
      to: USDC,
      fromAmount: amount(XMR.id, xmr * XMR_ATOMS),
      toAmount: amount(USDC.id, xmr * 300_000_000n),
    },
    ...{ minFrom: amount(XMR.id, XMR_ATOMS / 10n), maxFrom: amount(XMR.id, 10n ** 18n) },
    route: { legs: [{ leg: 'venue', side: 'sell', spend: XMR1.id, spendDecimals: 8 }] },
  }) as unknown as Quote;

const half = ratio(1n, 2n);
const stock = (held: Readonly<Record<string, bigint>>, share = half): Stock => ({
  free: async (id) => held[id] ?? 0n,
  share,
});
const ask = async (quote: Quote, of: Stock) =>
  boundQuotes({ quote: async () => quote, price: async () => undefined, activation: async () => undefined }, of).quote(
    {} as QuoteRequest,
  );

test('9.9: orders nobody can serve are not taken: a quote’s maximum is what one order may have of the free stock', async () => {
  const held = stock({ [XMR.id]: 90n * XMR_ATOMS });
  const small = await ask(buying(300n), held);
  assert.ok(!isRefusal(small));
  assert.equal(small.maxFrom.atoms, 40n * 300n * 10n ** 6n, 'half of ninety, told as forty');
  assert.equal(outsideBounds(small), undefined);
  const large = await ask(buying(300n * 41n), held);
  assert.ok(!isRefusal(large) && outsideBounds(large)?.refusal === 'amount_above_maximum');
});

test('9.9: whoever does not know the stock takes an order that nobody can serve: so it was won', async () => {
  assert.equal(outsideBounds(buying(300n * 41n)), undefined);
});

test('whoever sells is served from the coin on the venue, and swaps by providers from nothing of ours', async () => {
  const sold = await ask(selling(3n), stock({ [XMR1.id]: 8n * 10n ** 8n }));
  assert.ok(!isRefusal(sold) && sold.maxFrom.atoms === 4n * XMR_ATOMS);
  const swapped = { ...buying(300n), route: { legs: [{ leg: 'provider' }] } } as unknown as Quote;
  assert.deepEqual(await ask(swapped, stock({})), swapped);
});

test('where not even the smallest order can be served there is no quote', async () => {
  const answer = await ask(buying(300n), stock({ [XMR.id]: XMR_ATOMS / 10n }));
  assert.ok(isRefusal(answer) && answer.refusal === 'unavailable');
});

test('the maximum does not tell what there is', () => {
  assert.deepEqual([0n, 7n, 19n, 4_567n, 99_999n].map(coarse), [0n, 7n, 10n, 4_000n, 90_000n]);
});

test('a bridge is open only while its least can be served, in either direction by itself', async () => {
  const settings = {
    assets: [{ name: 'xmr', native: XMR, wrapped: XMR1, minimum: amount(XMR.id, XMR_ATOMS) }],
  } as unknown as BridgeSettings;
  const isOn = (held: Readonly<Record<string, bigint>>, direction: 'deposit' | 'withdraw') =>
    openBridgeGate(
      { isOn: async () => true },
      { isOpen: async () => undefined },
      settings,
      stock(held),
    )({
      asset: 'xmr',
      direction,
    });
  const enough = { [XMR.id]: 2n * XMR_ATOMS, [XMR1.id]: 2n * 10n ** 8n };
  assert.deepEqual([await isOn(enough, 'withdraw'), await isOn(enough, 'deposit')], [true, true]);
  assert.equal(await isOn({ ...enough, [XMR.id]: XMR_ATOMS }, 'withdraw'), false);
  assert.equal(await isOn({ ...enough, [XMR1.id]: 10n ** 8n }, 'deposit'), false);
});
