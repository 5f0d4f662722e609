import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import { atRate, type Conversion, rescaling } from '../../src/life/quote/conversion.ts';
import { feeConversion } from '../../src/life/quote/fee-terms.ts';
import { feesOn } from '../../src/life/quote/fees-on.ts';
import { midPrice, takerConversion, tradeConversion, visibleDepth } from '../../src/life/quote/order-book.ts';
import type { FeeTerm } from '../../src/life/quote/quote.ts';
import type { Asset } from '../../src/world/chains/chain.ts';
import type { Book, Level, Side } from '../../src/world/venues/venue.ts';
import { fakeProvider } from './quote-provider.ts';
import {
  BOOK,
  BTC,
  buy,
  ETH,
  integrator,
  level,
  quoted,
  room,
  SETTINGS,
  SOL,
  SOL_USDT,
  sell,
  swap,
  USDC,
  XMR,
} from './quote-room.ts';

const sizes = fc.bigInt({ min: 1n, max: 10n ** 13n });

/** Prices rise from the middle on either side; tick and price have a denominator of their own, as real ones do. */
const books: fc.Arbitrary<Book> = fc
  .record({
    mid: fc.bigInt({ min: 50_000n, max: 90_000n }),
    steps: fc.array(fc.record({ step: fc.bigInt({ min: 1n, max: 900n }), size: sizes }), {
      minLength: 1,
      maxLength: 12,
    }),
    den: fc.constantFrom(100n, 250n, 333n),
  })
  .map(({ mid, steps, den }) => {
    const side = (sign: bigint): Level[] => {
      let price = mid;
      return steps.map(({ step, size }) => {
        price += sign * step;
        return { price: ratio(price, den), size: atoms(size) };
      });
    };
    return { bids: side(-1n), asks: side(1n), at: instant(0) };
  });

const sides = fc.constantFrom<Side>('buy', 'sell');

/** The promise of every conversion: `back` is enough, so is everything above it, and one atom less is not. */
function keepsItsPromise(conversion: Conversion, output: bigint, above: bigint): void {
  const input = conversion.back(output);
  if (input === undefined) return;
  assert.ok((conversion.forward(input) ?? -1n) >= output, `${input} is not enough for ${output}`);
  const more = conversion.forward(input + above);
  assert.ok(more === undefined || more >= output, `${input} + ${above} gives less`);
  if (input > 0n)
    assert.ok((conversion.forward(input - 1n) ?? 0n) < output, `less than ${input} is enough for ${output}`);
}

test('a walk through the book and its inverse keep their promise', () =>
  fc.assert(
    fc.property(books, sides, sizes, sizes, (book, side, output, above) => {
      keepsItsPromise(tradeConversion(book, side), output, above);
    }),
  ));

test('fees, the venue fee and other decimals keep it too', () => {
  const rates = fc.integer({ min: 0, max: 500 }).map((bps) => ratio(BigInt(bps), 10_000n));
  const term = (rate: FeeTerm['rate'], flat: bigint): FeeTerm => ({
    type: 'service',
    at: 0,
    asset: USDC.id,
    rate,
    flat: flat > 0n ? amount(USDC.id, flat) : undefined,
  });
  const conversions: fc.Arbitrary<Conversion> = fc.oneof(
    rates.map(takerConversion),
    fc.tuple(sizes, sizes).map(([num, den]) => atRate(ratio(num, den))),
    fc.tuple(fc.integer({ min: 6, max: 12 }), fc.integer({ min: 6, max: 12 })).map(([from, to]) => rescaling(from, to)),
    fc
      .tuple(rates, rates, fc.bigInt({ min: 0n, max: 10n ** 6n }))
      .map(([one, two, flat]) => feeConversion([term(one, 0n), term(two, 0n), term(undefined, flat)], 0, USDC.id)),
  );
  fc.assert(fc.property(conversions, sizes, fc.bigInt({ min: 0n, max: 1_000n }), keepsItsPromise));
});

test('nobody gets more than the middle price, and more in never gives less out', () =>
  fc.assert(
    fc.property(books, sides, sizes, sizes, (book, side, input, above) => {
      const conversion = tradeConversion(book, side);
      const out = conversion.forward(input);
      if (out === undefined) return;
      const mid = midPrice(book) ?? assert.fail('a book without a middle');
      if (side === 'buy') assert.ok(out * mid.num <= input * mid.den);
      else assert.ok(out * mid.den <= input * mid.num);
      const more = conversion.forward(input + above);
      assert.ok(more === undefined || more >= out);
    }),
  ));

test('the whole visible depth can be walked, and not an atom more', () =>
  fc.assert(
    fc.property(books, sides, (book, side) => {
      const depth = visibleDepth(book, side);
      assert.notEqual(tradeConversion(book, side).forward(depth), undefined);
      assert.equal(tradeConversion(book, side).forward(depth + 1n), undefined);
    }),
  ));

test('an exact output is reached by its quoted input, with next to nothing over', async () => {
  const fees = fc.constantFrom(undefined, integrator(0.1), integrator(0.37), integrator(5));
  const outputs = fc.bigInt({ min: 1n, max: 10n ** 14n });
  await fc.assert(
    fc.asyncProperty(books, sides, outputs, fees, async (book, side, output, fee) => {
      // However thin: whether anybody is quoted from such a book is another story.
      const quotes = room({ book, settings: { ...SETTINGS, leastDepthUsd: 0, widestSpread: ratio(100n, 1n) } });
      const request = side === 'buy' ? buy : sell;
      const asked = await quotes.quote(request(output, { mode: 'exact_out', integrator: fee }));
      if ('refusal' in asked) return assert.equal(asked.refusal, 'amount_above_maximum');
      assert.equal(asked.toAmount.atoms, output);
      const given = await quotes.quote(request(asked.fromAmount.atoms, { integrator: fee }));
      if ('refusal' in given) return assert.fail(`${given.refusal}: ${given.message}`);
      assert.ok(given.toAmount.atoms >= output);
      // One atom of the coarser side of the trade, at prices under 1,000: 1e-6 dollars buy less than 1e-7 coins.
      const over = given.toAmount.atoms - output;
      const bound = side === 'buy' ? 10n ** 5n : 20n;
      assert.ok(over <= bound, `${over} over`);
    }),
  );
});

test('a larger deposit never pays out less while the same fees are taken', async () => {
  const quotes = room();
  const deposits = fc.bigInt({ min: 10n ** 6n, max: 10n ** 10n });
  await fc.assert(
    fc.asyncProperty(deposits, fc.bigInt({ min: 1n, max: 10n ** 9n }), async (deposit, above) => {
      const [less, more] = await Promise.all([quotes.quote(buy(deposit)), quotes.quote(buy(deposit + above))]);
      if ('refusal' in less || 'refusal' in more) return assert.fail('refused');
      assert.ok(more.toAmount.atoms >= less.toAmount.atoms);
      assert.equal(more.toAmount.asset, XMR.id);
    }),
  );
});

const dollars = fc.bigInt({ min: 50n * 10n ** 6n, max: 50_000n * 10n ** 6n });
const pairs = fc.constantFrom(
  ...([
    [USDC, XMR],
    [XMR, USDC],
    [BTC, XMR],
    [ETH, XMR],
    [SOL_USDT, XMR],
    [XMR, SOL],
    [XMR, ETH],
    [BTC, SOL_USDT],
    [USDC, BTC],
    [SOL, ETH],
  ] as const),
);
/** Those of a sensible market: a spread, something flat, and a price that falls with the size. */
const manners = fc.record({
  spread: fc.integer({ min: 0, max: 100 }).map((bps) => ratio(BigInt(bps), 10_000n)),
  flat: fc.bigInt({ min: 0n, max: 10n ** 6n }),
  depth: fc.bigInt({ min: 10n ** 12n, max: 10n ** 15n }),
});
const fees = fc.constantFrom(undefined, integrator(0.1), integrator(1.37), integrator(5));
const shareOf = (worth: bigint, { symbol, decimals }: Asset): bigint => {
  const price = { XMR: 300n, BTC: 100_000n, ETH: 3_000n, SOL: 200n }[symbol] ?? 1n;
  return (worth * 10n ** BigInt(decimals)) / (price * 10n ** 6n);
};
const swaps = fc.record({ pair: pairs, worth: dollars, how: manners, fee: fees });

test('on every kind of route an exact output is reached, with at most a thousandth over', () =>
  fc.assert(
    fc.asyncProperty(swaps, async ({ pair: [from, to], worth, how, fee }) => {
      const deep = { ...BOOK, bids: [level(['300', 5_000n])], asks: [level(['301', 5_000n])] };
      const fresh = () => room({ providers: [fakeProvider(how)], book: deep });
      const request = swap(from, to, shareOf(worth, to), { mode: 'exact_out', integrator: fee });
      const asked = await quoted(fresh(), request);
      assert.deepEqual(asked.toAmount, request.amount);
      const given = await quoted(fresh(), swap(from, to, asked.fromAmount.atoms, { integrator: fee }));
      const over = given.toAmount.atoms - asked.toAmount.atoms;
      assert.ok(over >= 0n && over * 1_000n <= asked.toAmount.atoms + 1_000n, `${over} over`);
    }),
  ));

test('on every kind of route more in never gives less out', () =>
  fc.assert(
    fc.asyncProperty(swaps, dollars, async ({ pair: [from, to], worth, how }, more) => {
      const quotes = room({ providers: [fakeProvider(how)] });
      const deposit = shareOf(worth, from);
      const less = await quoted(quotes, swap(from, to, deposit));
      const larger = await quoted(quotes, swap(from, to, deposit + shareOf(more, from)));
      assert.ok(larger.toAmount.atoms >= less.toAmount.atoms);
    }),
  ));

test('on every kind of route what is shown adds up: legs meet, fees are what the terms take, nothing is from nowhere', () =>
  fc.assert(
    fc.asyncProperty(swaps, async ({ pair: [from, to], worth, how, fee }) => {
      const provider = fakeProvider(how);
      const request = swap(from, to, shareOf(worth, from), { integrator: fee });
      const { route, fees: shown, ...quote } = await quoted(room({ providers: [provider] }), request);
      const ends = route.legs.flatMap(({ input, output }) => [input.asset, output.asset]);
      assert.deepEqual([ends[0], ends.at(-1)], [from.id, to.id]);
      if (route.legs.length === 2) assert.equal(ends[1], ends[2]);
      for (const { at, asset } of route.fees) assert.equal(asset, at === 0 ? from.id : (ends[2 * at - 1] ?? to.id));

      const asked = provider.asked.at(-1);
      const place = route.legs.findIndex(({ leg }) => leg === 'provider');
      if (asked && place === 0) {
        const taken = feesOn(route.fees, 0, quote.fromAmount);
        assert.equal(asked.input.atoms, quote.fromAmount.atoms - taken.atoms);
        const first = shown.filter((one) => one.amount.asset === from.id && from !== to);
        const sum = first.reduce((total, one) => total + one.amount.atoms, 0n);
        assert.equal(sum, taken.atoms);
      }
      assert.equal(shown.length, route.fees.length);
      assert.ok(quote.minReceived.atoms <= quote.toAmount.atoms && quote.toUsd <= quote.fromUsd);
      assert.ok(Number.isSafeInteger(quote.estimatedSeconds) && quote.estimatedSeconds > 0);
      const least = Math.max(from === BTC ? 40 : 20, from === XMR || to === XMR ? 25 : 0);
      assert.equal(quote.minDepositUsd, least);
      assert.ok(quote.minFrom.atoms > 0n && quote.minFrom.atoms < quote.maxFrom.atoms);
    }),
  ));
