import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Bug } from '../../src/kernel/assert.ts';
import {
  compare,
  inverse,
  lessThanOneBy,
  ONE,
  oneMoreThan,
  percent,
  ratio,
  ratioFromDecimal,
  scaleInt,
  times,
} from '../../src/kernel/ratio.ts';

const whole = fc.bigInt({ min: 0n, max: 10n ** 40n });
const positive = fc.bigInt({ min: 1n, max: 10n ** 40n });
const ratios = fc.tuple(whole, positive).map(([num, den]) => ratio(num, den));
const nonZero = fc.tuple(positive, positive).map(([num, den]) => ratio(num, den));

test('a decimal is read exactly', () => {
  fc.assert(
    fc.property(
      whole,
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: -40, max: 40 }),
      (digits, places, exponent) => {
        const text = digits.toString().padStart(places + 1, '0');
        const decimal = `${text.slice(0, -places)}.${text.slice(-places)}e${exponent}`;
        const shift = exponent - places;
        const expected = shift >= 0 ? ratio(digits * 10n ** BigInt(shift), 1n) : ratio(digits, 10n ** BigInt(-shift));
        return compare(ratioFromDecimal(decimal), expected) === 0;
      },
    ),
  );
  assert.deepEqual(ratioFromDecimal('0.003'), { num: 3n, den: 1000n });
  assert.deepEqual(ratioFromDecimal('1.5e-7'), { num: 15n, den: 10n ** 8n });
  assert.deepEqual(percent('0.3'), { num: 3n, den: 1000n });
});

test('what is no decimal is a bug, not a zero', () => {
  for (const text of ['', '.', '-1', '1.', '.5', '1e', '1e1000', 'NaN', 'Infinity', '0x1', ' 1', '1,5']) {
    assert.throws(() => ratioFromDecimal(text), Bug, JSON.stringify(text));
  }
  assert.throws(() => ratio(1n, 0n), Bug);
  assert.throws(() => ratio(-1n, 1n), Bug);
  assert.throws(() => inverse(ratio(0n, 1n)), Bug);
  assert.throws(() => lessThanOneBy(ratio(2n, 1n)), Bug);
});

test('a ratio times its inverse is one', () => {
  fc.assert(fc.property(nonZero, (a) => compare(times(a, inverse(a)), ONE) === 0));
});

test('ratios are ordered, whatever their spelling', () => {
  fc.assert(
    fc.property(ratios, ratios, positive, (a, b, k) => {
      assert.equal(compare(a, b), -compare(b, a) + 0);
      assert.equal(compare(a, { num: a.num * k, den: a.den * k }), 0);
      assert.equal(compare(oneMoreThan(a), a), 1);
    }),
  );
});

test('what is taken off and what is left make one', () => {
  fc.assert(
    fc.property(whole, positive, (part, more) => {
      const taken = ratio(part, part + more);
      const left = lessThanOneBy(taken);
      assert.equal(taken.num * left.den + left.num * taken.den, taken.den * left.den);
    }),
  );
});

test('scaling never invents value: down and back up again is at most what it was', () => {
  fc.assert(
    fc.property(whole, nonZero, (value, by) => {
      const there = scaleInt(value, by, 'down');
      assert.ok(scaleInt(there, inverse(by), 'down') <= value);
      assert.ok(scaleInt(scaleInt(value, by, 'up'), inverse(by), 'up') >= value);
    }),
  );
  assert.throws(() => scaleInt(-1n, ONE, 'down'), Bug);
});
