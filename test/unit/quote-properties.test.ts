import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import { feeStage } from '../../src/life/quote/fee.ts';
import { midPrice, takerStage, tradeStage, visibleDepth } from '../../src/life/quote/price.ts';
import type { FeeTerm } from '../../src/life/quote/quote.ts';
import { rescaling, type Stage } from '../../src/life/quote/stage.ts';
import type { Book, Level, Side } from '../../src/world/venues/venue.ts';
import { buy, integrator, room, sell, USDC, XMR } from './quote-room.ts';

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

/** The promise of every stage: `back` is enough, so is everything above it, and one atom less is not. */
function keepsItsPromise(stage: Stage, output: bigint, above: bigint): void {
  const input = stage.back(output);
  if (input === undefined) return;
  assert.ok((stage.forward(input) ?? -1n) >= output, `${input} is not enough for ${output}`);
  const more = stage.forward(input + above);
  assert.ok(more === undefined || more >= output, `${input} + ${above} gives less`);
  if (input > 0n) assert.ok((stage.forward(input - 1n) ?? 0n) < output, `less than ${input} is enough for ${output}`);
}

test('a walk through the book and its inverse keep their promise', () =>
  fc.assert(
    fc.property(books, sides, sizes, sizes, (book, side, output, above) => {
      keepsItsPromise(tradeStage(book, side), output, above);
    }),
  ));

test('fees, the venue fee and other decimals keep it too', () => {
  const rates = fc.integer({ min: 0, max: 500 }).map((bps) => ratio(BigInt(bps), 10_000n));
  const term = (rate: FeeTerm['rate'], flat: bigint): FeeTerm => ({
    type: 'service',
    side: 'input',
    asset: USDC.id,
    rate,
    flat: flat > 0n ? amount(USDC.id, flat) : undefined,
  });
  const stages: fc.Arbitrary<Stage> = fc.oneof(
    rates.map(takerStage),
    fc.tuple(fc.integer({ min: 6, max: 12 }), fc.integer({ min: 6, max: 12 })).map(([from, to]) => rescaling(from, to)),
    fc
      .tuple(rates, rates, fc.bigInt({ min: 0n, max: 10n ** 6n }))
      .map(([one, two, flat]) => feeStage([term(one, 0n), term(two, 0n), term(undefined, flat)], 'input', USDC.id)),
  );
  fc.assert(fc.property(stages, sizes, fc.bigInt({ min: 0n, max: 1_000n }), keepsItsPromise));
});

test('nobody gets more than the middle price, and more in never gives less out', () =>
  fc.assert(
    fc.property(books, sides, sizes, sizes, (book, side, input, above) => {
      const stage = tradeStage(book, side);
      const out = stage.forward(input);
      if (out === undefined) return;
      const mid = midPrice(book) ?? assert.fail('a book without a middle');
      if (side === 'buy') assert.ok(out * mid.num <= input * mid.den);
      else assert.ok(out * mid.den <= input * mid.num);
      const more = stage.forward(input + above);
      assert.ok(more === undefined || more >= out);
    }),
  ));

test('the whole visible depth can be walked, and not an atom more', () =>
  fc.assert(
    fc.property(books, sides, (book, side) => {
      const depth = visibleDepth(book, side);
      assert.notEqual(tradeStage(book, side).forward(depth), undefined);
      assert.equal(tradeStage(book, side).forward(depth + 1n), undefined);
    }),
  ));

test('an exact output is reached by its quoted input, with next to nothing over', async () => {
  const fees = fc.constantFrom(undefined, integrator(0.1), integrator(0.37), integrator(5));
  const outputs = fc.bigInt({ min: 1n, max: 10n ** 14n });
  await fc.assert(
    fc.asyncProperty(books, sides, outputs, fees, async (book, side, output, fee) => {
      const quotes = room({ book });
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
