import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Amount, amount } from '../../src/kernel/amount.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import { isRefusal } from '../../src/kernel/refusal.ts';
import { outsideBounds } from '../../src/life/quote/deposit-bounds.ts';
import type { Quote, QuoteRequest } from '../../src/life/quote/quote.ts';
import { planRoute } from '../../src/life/quote/route.ts';
import { fakeProvider } from './quote-provider.ts';
import {
  BTC,
  catalogOf,
  ETH,
  integrator,
  quoted,
  room,
  SETTINGS,
  SOL,
  SOL_USDT,
  STANDS,
  swap,
  USDC,
  XMR,
} from './quote-room.ts';

const fees = ({ route }: Quote) =>
  route.fees.map(({ type, at, asset, flat }) => [type, at, asset, flat ? flat.atoms : 'rate']);
const kinds = ({ route }: Quote) => route.legs.map(({ leg }) => leg);
const refusal = async (quotes: ReturnType<typeof room>, request: QuoteRequest) => {
  const answer = await quotes.quote(request);
  return isRefusal(answer) ? answer.refusal : 'quoted';
};

test('the book trades its coin against its money, providers swap everything else', () => {
  const plan = (from: typeof XMR, to: typeof XMR) =>
    planRoute(from.id, to.id, STANDS)?.map(({ leg, input, output }) => [leg, input, output]);
  assert.deepEqual(plan(USDC, XMR), [['venue', USDC.id, XMR.id]]);
  assert.deepEqual(plan(XMR, USDC), [['venue', XMR.id, USDC.id]]);
  assert.deepEqual(plan(BTC, XMR), [
    ['provider', BTC.id, USDC.id],
    ['venue', USDC.id, XMR.id],
  ]);
  assert.deepEqual(plan(XMR, SOL), [
    ['venue', XMR.id, USDC.id],
    ['provider', USDC.id, SOL.id],
  ]);
  assert.deepEqual(plan(BTC, USDC), [['provider', BTC.id, USDC.id]]);
  assert.deepEqual(plan(USDC, SOL), [['provider', USDC.id, SOL.id]]);
  assert.equal(plan(SOL, SOL), undefined);
});

test('bitcoin to Monero: fees from the deposit, a provider to our own account, then the book', async () => {
  const provider = fakeProvider();
  const quote = await quoted(room({ providers: [provider] }), swap(BTC, XMR, 1_000_000n));
  assert.deepEqual(kinds(quote), ['provider', 'venue']);
  // 0.3 % of the deposit, one transfer to the provider, one payout.
  assert.deepEqual(fees(quote), [
    ['service', 0, BTC.id, 'rate'],
    ['network', 0, BTC.id, 1_000n],
    ['network', 2, XMR.id, 100_000_000n],
  ]);
  const [asked] = provider.asked;
  assert.deepEqual(asked?.input, amount(BTC.id, 1_000_000n - 3_000n - 1_000n));
  assert.deepEqual([asked?.output, asked?.recipient, asked?.refundTo], [USDC.id, 'hot42161', 'hot2']);
  // $996 less 0.1 %, at 301, less the venue's 0.07 % and the payout.
  const bought = 99_500_400_000n / 301n;
  assert.equal(quote.toAmount.atoms, ((bought * 9_993n) / 10_000n) * 10_000n - 100_000_000n);
  const [first, second] = quote.route.legs;
  assert.ok(first?.leg === 'provider' && second?.leg === 'venue');
  const { num, den } = first.worstRate;
  assert.equal(num * 996_000n * 100n, den * 995_004_000n * 97n);
  assert.deepEqual(second.input, { asset: USDC.id, decimals: 6 });
  assert.equal(second.chunks.each.atoms, 99_500_400_000n);
});

test('Monero to Solana: the rates and what the provider is sent are taken from the dollars in between', async () => {
  const provider = fakeProvider();
  const request = swap(XMR, SOL, 10n ** 12n, { integrator: integrator(1) });
  const quote = await quoted(room({ providers: [provider] }), request);
  assert.deepEqual(kinds(quote), ['venue', 'provider']);
  assert.deepEqual(fees(quote), [
    ['integrator', 1, USDC.id, 'rate'],
    ['service', 1, USDC.id, 'rate'],
    ['network', 1, USDC.id, 30_000n],
    ['network', 2, SOL.id, 10_000n],
  ]);
  // 300 less 0.07 %; less 1 %, 0.3 % and a transfer.
  const yielded = 299_790_000n;
  const left = yielded - 2_997_900n - 899_370n - 30_000n;
  assert.deepEqual(provider.asked[0]?.input, amount(USDC.id, left));
  assert.equal(quote.toAmount.atoms, (left * 5n * 999n) / 1_000n - 10_000n);
  assert.deepEqual(quote.integratorFee?.amount, amount(XMR.id, 10n ** 10n));
  assert.deepEqual(quote.fees.find(({ type }) => type === 'service')?.amount, amount(USDC.id, 899_370n));
});

test('between others one provider does it all; the hot account pays for collecting on Solana, gas is sent ahead elsewhere', async () => {
  const quotes = room({ providers: [fakeProvider()] });
  const fromSolana = await quoted(quotes, swap(SOL_USDT, BTC, 1_000_000_000n));
  assert.deepEqual(kinds(fromSolana), ['provider']);
  assert.deepEqual(fees(fromSolana).slice(1), [
    ['network', 0, SOL_USDT.id, 2n * 2_000n],
    ['network', 1, BTC.id, 1_000n],
  ]);
  const fromEther = await quoted(quotes, swap(ETH, SOL, 10n ** 18n));
  assert.deepEqual(fees(fromEther)[1], ['network', 0, ETH.id, 3n * 10n ** 13n]);
});

test('minimums follow the source and Monero, the maximum the setting and the book', async () => {
  const quotes = room({ providers: [fakeProvider()] });
  const minimum = async (request: QuoteRequest) => (await quoted(quotes, request)).minDepositUsd;
  assert.equal(await minimum(swap(BTC, SOL, 1_000_000n)), 40);
  assert.equal(await minimum(swap(SOL, BTC, 10n ** 10n)), 20);
  assert.equal(await minimum(swap(SOL, XMR, 10n ** 10n)), 25);
  assert.equal(await minimum(swap(BTC, XMR, 1_000_000n)), 40);
  const { maxFrom } = await quoted(quotes, swap(BTC, SOL, 1_000_000n));
  assert.deepEqual(maxFrom, amount(BTC.id, 250_000_000n));
  // 80 % of the asks are $136,888, which takes about 1.373 BTC; the maximum itself is quoted.
  const throughTheBook = await quoted(quotes, swap(BTC, XMR, 1_000_000n));
  assert.ok(throughTheBook.maxFrom.atoms > 137_000_000n && throughTheBook.maxFrom.atoms < 138_000_000n);
  assert.equal(await refusal(quotes, swap(BTC, XMR, 137_000_000n)), 'quoted');
});

test('more than the maximum is refused before anybody is asked', async () => {
  const provider = fakeProvider();
  const quotes = room({ providers: [provider] });
  assert.equal(await refusal(quotes, swap(BTC, SOL, 250_000_001n)), 'amount_above_maximum');
  assert.equal(await refusal(quotes, swap(BTC, XMR, 200_000_000n)), 'amount_above_maximum');
  assert.equal(await refusal(quotes, swap(BTC, SOL, 10n ** 13n, { mode: 'exact_out' })), 'amount_above_maximum');
  assert.equal(provider.asked.length, 0);
});

test('a sum that providers decline as too small is quoted in proportion to the minimum', async () => {
  const provider = fakeProvider({ least: 15_000_000n });
  const quotes = room({ providers: [provider] });
  // $5 of SOL, where the minimum is $20.
  const quote = await quoted(quotes, swap(SOL, SOL_USDT, 25_000_000n));
  assert.equal(provider.asked[0]?.input.atoms, 100_000_000n - 300_000n - 20_000n);
  assert.ok(quote.toAmount.atoms > 4_900_000n && quote.toAmount.atoms < 5_000_000n);
  assert.equal(outsideBounds(quote)?.message, 'The minimum for this swap is 0.1 SOL.');
  const nothing = await quoted(quotes, swap(SOL, SOL_USDT, 10n));
  assert.equal(nothing.toAmount.atoms, 0n);
  assert.equal(outsideBounds(nothing)?.message, 'The minimum for this swap is 0.1 SOL.');
});

test('an exact output is met by asking again in proportion', async () => {
  const provider = fakeProvider({ depth: 10n ** 12n, flat: 2_000_000n });
  const quotes = room({ providers: [provider] });
  const request = swap(BTC, SOL, 50n * 10n ** 9n, { mode: 'exact_out' });
  const quote = await quoted(quotes, request);
  assert.deepEqual(quote.toAmount, amount(SOL.id, 50n * 10n ** 9n));
  const forward = await quoted(room({ providers: [provider] }), swap(BTC, SOL, quote.fromAmount.atoms));
  const over = forward.toAmount.atoms - quote.toAmount.atoms;
  assert.ok(over >= 0n && over * 1_000n <= quote.toAmount.atoms, `${over} over`);
  assert.ok(provider.asked.length <= 5);
});

test('nobody for the pair is unsupported, nobody at the moment is unavailable', async () => {
  const provider = fakeProvider();
  const quotes = room({ providers: [provider] });
  assert.equal(await refusal(room(), swap(BTC, SOL, 1_000_000n)), 'unsupported_pair');
  assert.equal(await refusal(quotes, swap(BTC, BTC, 1_000_000n)), 'unsupported_pair');
  const unheard = { ...fakeProvider(), supports: () => false, isReady: () => false };
  assert.equal(await refusal(room({ providers: [unheard] }), swap(BTC, SOL, 1_000_000n)), 'unavailable');
  provider.mood = 'down';
  assert.equal(await refusal(quotes, swap(BTC, SOL, 1_000_000n)), 'unavailable');
  const declining = fakeProvider({ least: 10n ** 12n });
  assert.equal(await refusal(room({ providers: [declining] }), swap(BTC, SOL, 1_000_000n)), 'unavailable');
  const twoOfThem = room({ providers: [provider, fakeProvider({ name: 'other' })] });
  assert.equal(await refusal(twoOfThem, swap(BTC, SOL, 1_000_000n)), 'quoted');
  assert.equal(await refusal(room({ providers: [fakeProvider()], prices: [] }), swap(BTC, SOL, 10n)), 'unavailable');
});

test('nobody is quoted what a provider promises far above the market', async () => {
  const honest = fakeProvider({ name: 'honest' });
  const liar = fakeProvider({ name: 'liar' });
  const lying = {
    ...liar,
    quote: async (asked: Parameters<typeof liar.quote>[0]) => {
      const quote = await liar.quote(asked);
      const times200 = (of: Amount) => amount(of.asset, of.atoms * 200n);
      return quote && { ...quote, output: times200(quote.output), least: times200(quote.least) };
    },
  };
  const request = swap(BTC, SOL, 1_000_000n);
  const alone = await quoted(room({ providers: [honest] }), request);
  const both = await quoted(room({ providers: [lying, honest] }), request);
  assert.deepEqual([both.toAmount, both.route.legs], [alone.toAmount, alone.route.legs]);
  assert.equal(await refusal(room({ providers: [lying] }), request), 'unavailable');
});

test('the best output wins', async () => {
  const providers = [
    fakeProvider({ name: 'dear', spread: ratio(1n, 100n) }),
    fakeProvider({ name: 'cheap', spread: ratio(1n, 10_000n) }),
  ];
  const both = await quoted(room({ providers }), swap(BTC, SOL, 1_000_000n));
  const cheap = await quoted(room({ providers: providers.slice(1) }), swap(BTC, SOL, 1_000_000n));
  assert.deepEqual(both.toAmount, cheap.toAmount);
});

test('the estimate adds what is sent to the provider, its own time and the delivery to us', async () => {
  const quotes = room({ providers: [fakeProvider({ seconds: 45 })] });
  // Deposit, collecting by the hot account, funding, the provider, delivery on Arbitrum, the trade, the payout.
  const quote = await quoted(quotes, swap(SOL, XMR, 10n ** 9n));
  assert.equal(quote.estimatedSeconds, 100 + 10 + 10 + 45 + 100 + SETTINGS.executionSeconds + 10);
});

test('an asset is listed from the moment that a provider knows it', () => {
  let isKnown = false;
  const learning = { ...fakeProvider(), supports: () => isKnown };
  const catalog = catalogOf(() => false, [learning]);
  const symbols = () => catalog.tokens({ direction: 'to', offset: 0, limit: 10 }).tokens.map(({ symbol }) => symbol);
  assert.deepEqual(symbols(), ['USDC', 'XMR']);
  isKnown = true;
  assert.deepEqual(symbols(), ['ETH', 'USDC', 'XMR', 'BTC', 'SOL', 'USDT']);
});
