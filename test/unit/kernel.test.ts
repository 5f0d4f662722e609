import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import {
  add,
  amount,
  atLeast,
  atoms,
  equal,
  formatUnits,
  isZero,
  parseAtoms,
  parseUnits,
  rescale,
  scale,
  smaller,
  subtract,
  zero,
} from '../../src/kernel/amount.ts';
import { Bug, present } from '../../src/kernel/assert.ts';
import { instant, isoTime, later } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import {
  assetId,
  chainId,
  chainOf,
  intentId,
  type OrderId,
  parseOrderId,
  parseSessionId,
  type TokenId,
  tokenOf,
} from '../../src/kernel/ids.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import { keyedHash, rememberProof, Secret, sameText } from '../../src/kernel/secret.ts';
import { showUsd, usd, usdPrice, usdValue } from '../../src/kernel/usd.ts';

const XMR = assetId(chainId(0), 'XMR' as TokenId);
const USDC = assetId(chainId(42161), '0xaf88' as TokenId);

const anyAtoms = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const anyDecimals = fc.integer({ min: 0, max: 30 });
const anyRatio = fc.record({
  num: fc.bigInt({ min: 0n, max: 10n ** 30n }),
  den: fc.bigInt({ min: 1n, max: 10n ** 30n }),
});

test('atoms are read from canonical digits and from nothing else', () => {
  fc.assert(fc.property(anyAtoms, (value) => parseAtoms(value.toString()) === value));
  for (const text of ['', '0x1f', '01', '-1', '+1', '1.0', '1e3', ' 1', '1 ', '1n', '١', '1_000', '9'.repeat(79)]) {
    assert.equal(parseAtoms(text), undefined, JSON.stringify(text));
  }
  for (const value of [1, 1n, null, undefined, ['1'], { toString: () => '1' }])
    assert.equal(parseAtoms(value), undefined);
  assert.equal(parseAtoms('9'.repeat(78)), 10n ** 78n - 1n);
});

test('text that is read as atoms is written back as the same text', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'0123456789 -+.xe'), maxLength: 82 }), (text) => {
      const value = parseAtoms(text);
      return value === undefined || value.toString() === text;
    }),
  );
});

test('units survive being written and read again', () => {
  fc.assert(
    fc.property(
      anyAtoms,
      fc.integer({ min: 18, max: 30 }),
      (value, decimals) => parseUnits(formatUnits(value, decimals), decimals) === value,
    ),
  );
  assert.equal(formatUnits(1_234_567n, 6), '1.234567');
  assert.equal(formatUnits(1_500_000n, 6), '1.5');
  assert.equal(formatUnits(-5n, 2), '-0.05');
  assert.equal(formatUnits(7n, 0), '7');
});

test('digits beyond an asset are refused, not rounded', () => {
  assert.equal(parseUnits('1.0000001', 6), undefined);
  assert.equal(parseUnits('1.0000000', 6), 1_000_000n);
  for (const text of ['', '.', '1.', '.5', '-1', '1e6', '0x1', '1,5', 'NaN'])
    assert.equal(parseUnits(text, 6), undefined, text);
});

test('rescaling to more decimals is exact, and back again gives the same', () => {
  fc.assert(
    fc.property(anyAtoms, anyDecimals, anyDecimals, (value, a, b) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      return rescale(rescale(value, from, to, 'down'), to, from, 'up') === value;
    }),
  );
  assert.equal(rescale(19n, 1, 0, 'down'), 1n);
  assert.equal(rescale(11n, 1, 0, 'up'), 2n);
});

test('amounts add and subtract like the numbers they are', () => {
  fc.assert(
    fc.property(anyAtoms, anyAtoms, (a, b) => {
      const sum = add(amount(XMR, a), amount(XMR, b));
      assert.equal(sum.atoms, a + b);
      assert.ok(equal(subtract(sum, amount(XMR, b)), amount(XMR, a)));
      assert.ok(atLeast(sum, amount(XMR, a)));
      assert.ok(atLeast(amount(XMR, a), smaller(amount(XMR, a), amount(XMR, b))));
      assert.ok(atLeast(amount(XMR, b), smaller(amount(XMR, a), amount(XMR, b))));
    }),
  );
  assert.ok(isZero(zero(XMR)));
});

test('amounts of two assets never meet', () => {
  const [a, b] = [amount(XMR, 1n), amount(USDC, 1n)];
  for (const meet of [add, subtract, atLeast, equal, smaller]) assert.throws(() => meet(a, b), Bug);
});

test('money is never negative', () => {
  assert.throws(() => atoms(-1n), Bug);
  assert.throws(() => amount(XMR, -1n), Bug);
  assert.throws(() => subtract(amount(XMR, 1n), amount(XMR, 2n)), Bug);
});

test('scaling up and down differ by less than one atom around the exact value', () => {
  fc.assert(
    fc.property(anyAtoms, anyRatio, (value, by) => {
      const down = scale(amount(XMR, value), by, 'down').atoms;
      const up = scale(amount(XMR, value), by, 'up').atoms;
      assert.ok(down * by.den <= value * by.num && value * by.num <= up * by.den);
      assert.equal(up - down, (value * by.num) % by.den === 0n ? 0n : 1n);
    }),
  );
});

test('a value split by a share and the rest loses nothing', () => {
  fc.assert(
    fc.property(anyAtoms, fc.bigInt({ min: 0n, max: 10_000n }), (value, points) => {
      const whole = amount(XMR, value);
      const share = scale(whole, ratio(points, 10_000n), 'down');
      assert.ok(equal(add(share, subtract(whole, share)), whole));
    }),
  );
});

test('dollars are shown in cents, rounded down', () => {
  const price = usdPrice(ratio(15_055n, 100n), 12);
  assert.equal(showUsd(usdValue(amount(XMR, 10n ** 12n), price)), '150.55');
  assert.equal(showUsd(usdValue(amount(XMR, 1n), price)), '0.00');
  assert.equal(showUsd(usd(9.999)), '9.99');
  assert.equal(showUsd(usd(12)), '12.00');
});

test('an asset knows its chain and its token', () => {
  fc.assert(
    fc.property(fc.nat(), fc.string({ minLength: 1 }), (chain, token) => {
      const id = assetId(chainId(chain), token as TokenId);
      return chainOf(id) === chain && tokenOf(id) === token;
    }),
  );
  for (const value of [-1, 1.5, Number.NaN, 2 ** 53]) assert.throws(() => chainId(value), Bug);
});

test('ids are taken in their one spelling', () => {
  const id = `sw_${'a'.repeat(26)}`;
  assert.equal(parseOrderId(id), id);
  for (const bad of [
    id.toUpperCase(),
    `${id}\n`,
    'sw_short',
    `xx_${'a'.repeat(26)}`,
    `sw_${'1'.repeat(26)}`,
    5,
    null,
  ]) {
    assert.equal(parseOrderId(bad), undefined);
  }
  const session = '9B2E7E7A-6F0B-4C3D-8E5F-0123456789AB';
  assert.equal(parseSessionId(session), session.toLowerCase());
  assert.equal(parseSessionId(session.replace('-4C', '-1C')), undefined);
  assert.equal(intentId(id as OrderId, 'payout', 0), `${id}:payout:0`);
});

test('a secret shows itself nowhere', () => {
  const secret = new Secret('hunter2');
  for (const shown of [
    String(secret),
    `${secret}`,
    JSON.stringify({ secret }),
    inspect(secret),
    inspect({ secret }, { showHidden: true }),
  ]) {
    assert.doesNotMatch(shown, /hunter2/);
  }
  assert.equal(secret.reveal(), 'hunter2');
});

test('a keyed hash depends on the key, the purpose and where its parts end', () => {
  const key = new Secret(new Uint8Array([1]));
  const hashes = [
    keyedHash(key, 'a', 'bc', 'd'),
    keyedHash(key, 'a', 'b', 'cd'),
    keyedHash(key, 'ab', 'c', 'd'),
    keyedHash(key, 'a', 'bcd'),
    keyedHash(new Secret(new Uint8Array([2])), 'a', 'bc', 'd'),
  ];
  assert.equal(new Set(hashes).size, hashes.length);
  assert.equal(keyedHash(key, 'a', 'bc', 'd'), hashes[0]);
  assert.ok(sameText('abc', 'abc') && !sameText('abc', 'abd') && !sameText('abc', 'ab'));
});

test('a thing remembers the text that proved it, and no other text is taken for it', () => {
  const asked: string[] = [];
  const isProven = rememberProof((text, { word }: { readonly word: string }) => {
    asked.push(text);
    return text === word;
  });
  const [one, two] = [{ word: 'open' }, { word: 'sesame' }];
  assert.deepEqual([isProven('open', one), isProven('open', one), isProven('open', two)], [true, true, false]);
  assert.deepEqual(asked.splice(0), ['open', 'open']);
  assert.deepEqual([isProven('sesame', one), isProven('open', one), isProven('sesame', two)], [false, true, true]);
  assert.deepEqual(asked, ['sesame', 'sesame']);
  assert.equal(isProven('open', { ...one }), true);
  assert.equal(asked.length, 3);
});

test('time, faults and bugs say what they are', () => {
  assert.equal(isoTime(later(instant(0), 1_500)), '1970-01-01T00:00:01.500Z');
  const cause = new Error('refused');
  const fault = new Fault('transient', 'chain:1', 'no answer', cause);
  assert.deepEqual([fault.kind, fault.at, fault.cause], ['transient', 'chain:1', cause]);
  assert.throws(() => present(undefined, 'the order'), /missing: the order/);
  assert.equal(present(0, 'zero'), 0);
});
