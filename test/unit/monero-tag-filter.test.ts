import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ED25519_TORSION_SUBGROUP, ed25519 } from '@noble/curves/ed25519.js';
import fc from 'fast-check';
import { ascii, hashToScalar, publicKey, scalarHex } from '../../src/world/chains/monero/codec.ts';
import { sharedSecret, viewTag } from '../../src/world/chains/monero/output-codec.ts';
import { tagFilter } from '../../src/world/chains/monero/tag-filter.ts';
import type { TxOutput } from '../../src/world/chains/monero/tx-codec.ts';

const { Point } = ed25519;
const ORDER = Point.Fn.ORDER;
/** Of usual size: very small ones are reckoned exactly. */
const VIEW = hashToScalar(ascii('a view key'));
const scalars = fc.bigInt(1n, ORDER - 1n);
const torsion = fc.constantFrom(...ED25519_TORSION_SUBGROUP.map((hex) => Point.fromHex(hex)));
/** Points with and without a part of small order, as anybody may write them into a transaction. */
const points = fc.tuple(scalars, torsion).map(([one, small]) => Point.BASE.multiply(one).add(small).toBytes());
const NOTHING = new Uint8Array();
const outputAt = (tag: number | undefined): TxOutput => ({
  viewTag: tag,
  key: NOTHING,
  clearAtoms: 0n,
  hiddenAtoms: NOTHING,
  commitment: NOTHING,
});

/** Whether an output whose tag is the right one for this key is let through, as it always must be. */
function letsThrough(view: bigint, key: Uint8Array, index = 0): boolean {
  const shared = sharedSecret(scalarHex(view), key);
  return shared === undefined || tagFilter(scalarHex(view))([key])(key, index, outputAt(viewTag(shared, index)));
}

test('no output with the right tag is held back, whatever the view key, the point and the place', () => {
  fc.assert(
    fc.property(scalars, points, fc.nat(300), (view, key, index) => assert.ok(letsThrough(view, key, index))),
    { numRuns: 60 },
  );
});

test('nor where it stands among many others, some of them no points or of small order', () => {
  const odd = ED25519_TORSION_SUBGROUP.map((hex) => Point.fromHex(hex).toBytes());
  const keys = Array.from({ length: 80 }, (_, at) => odd[at % 11] ?? publicKey(BigInt(at) + 2n));
  keys.push(new Uint8Array(32).fill(0xff), new Uint8Array(32).fill(0x02));
  const mayShare = tagFilter(scalarHex(VIEW))(keys);
  for (const [index, key] of keys.entries()) {
    const shared = sharedSecret(scalarHex(VIEW), key);
    if (shared) assert.ok(mayShare(key, index, outputAt(viewTag(shared, index))), `${index}`);
  }
});

test('nor where the view key is at an end of its range, or has no multiple that X25519 takes', () => {
  const around = [1n, 2n, 8n, 2n ** 124n, ORDER - 2n ** 252n, 2n ** 251n, 2n ** 252n, ORDER / 2n, ORDER - 1n];
  const views = around.flatMap((one) => [one - 1n, one, one + 1n]).filter((one) => one > 0n && one < ORDER);
  for (const view of views) assert.ok(letsThrough(view, publicKey(7n)), `${view}`);
});

test('nor where the point is of small order, or the neutral one', () => {
  for (const hex of ED25519_TORSION_SUBGROUP) assert.ok(letsThrough(VIEW, Point.fromHex(hex).toBytes()), hex);
});

test('bytes that are no point do no harm', () => {
  const filterFor = tagFilter(scalarHex(VIEW));
  const noise = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(noise, (key) => {
      assert.equal(typeof filterFor([key])(key, 0, outputAt(1)), 'boolean');
      assert.ok(letsThrough(VIEW, key));
    }),
    { numRuns: 60 },
  );
  // Zero, one, and around the prime.
  for (const last of [0, 1, 0xec, 0xed, 0xee, 0xff])
    for (const [rest, first] of [
      [0, 0],
      [0xff, 0x7f],
      [0xff, 0xff],
    ] as const)
      assert.ok(letsThrough(VIEW, Uint8Array.of(last, ...new Uint8Array(30).fill(rest), first)));
});

test('of the other tags two of 256 at most are let through, and an output without a tag always is', () => {
  const key = publicKey(99n);
  const mayShare = tagFilter(scalarHex(VIEW))([key]);
  const passed = Array.from({ length: 256 }, (_, tag) => mayShare(key, 3, outputAt(tag))).filter(Boolean);
  assert.ok(passed.length === 1 || passed.length === 2);
  assert.ok(mayShare(key, 3, outputAt(undefined)));
});
