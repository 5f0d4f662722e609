import { ed25519 } from '@noble/curves/ed25519.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { varint } from '../../sandbox/simulators/monero/transaction.ts';
import { present } from '../../src/kernel/assert.ts';
import type { Address } from '../../src/kernel/ids.ts';
import {
  decodeAddress,
  keccak,
  moneroKeysFromSeed,
  publicKey,
  scalar,
  scalarHex,
} from '../../src/world/chains/monero/codec.ts';
import { oneTimeKey, outputScalar, sharedSecret, viewTag } from '../../src/world/chains/monero/output-codec.ts';

/**
 * What a sender may write beside a transaction that pays us, and what becomes of it: `seen` by the wallet that could spend it, `told` to a
 * person because the key stands where no wallet reads it, or `lost`.
 */
export interface ExtraStory {
  readonly name: string;
  /** `key` opens our output, `other` nothing. */
  extra(key: Uint8Array, other: Uint8Array): Uint8Array;
  readonly comes: 'seen' | 'told' | 'lost';
  /** Which of the two outputs is ours. */
  readonly at?: 0 | 1;
}

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const many = (count: number, value = 7): Uint8Array => new Uint8Array(count).fill(value);
const main = (key: Uint8Array): Uint8Array => concatBytes(bytes(1), key);
const list = (...keys: Uint8Array[]): Uint8Array => concatBytes(bytes(4), varint(keys.length), ...keys);
const blob = (tag: number, body: Uint8Array): Uint8Array => concatBytes(bytes(tag), varint(body.length), body);
const mining = (...parts: Uint8Array[]): Uint8Array => blob(3, concatBytes(...parts));

const behind = (name: string, field: Uint8Array, comes: ExtraStory['comes']): ExtraStory => ({
  ...{ name: `a key behind ${name}`, comes },
  extra: (key) => concatBytes(field, main(key)),
});

export const EXTRA_STORIES: readonly ExtraStory[] = [
  { name: 'a key', comes: 'seen', extra: main },
  { name: 'a key before padding', comes: 'seen', extra: (key) => concatBytes(main(key), many(254, 0)) },
  { name: 'a key before a broken field', comes: 'seen', extra: (key) => concatBytes(main(key), bytes(2, 200, 1)) },
  { name: 'the second of two keys', comes: 'seen', extra: (key, other) => concatBytes(main(other), main(key)) },
  { name: 'a key twice', comes: 'seen', extra: (key) => concatBytes(main(key), main(key)) },
  {
    name: 'a key behind one that is no point',
    comes: 'seen',
    extra: (key) => concatBytes(main(many(32, 0xee)), main(key)),
  },
  { name: 'a key of the output', comes: 'seen', extra: (key, other) => concatBytes(main(other), list(key, other)) },
  {
    name: 'a key of the output, first of all',
    comes: 'seen',
    extra: (key, other) => concatBytes(list(key), main(other)),
  },
  {
    name: 'a key of the second output',
    comes: 'seen',
    at: 1,
    extra: (key, other) => concatBytes(main(other), list(other, key)),
  },
  { name: 'a key of another output', comes: 'lost', at: 1, extra: (key, other) => concatBytes(main(other), list(key)) },
  { name: 'a key of the output and none of the transaction', comes: 'told', extra: (key) => list(key) },
  {
    name: 'a second list of keys',
    comes: 'told',
    extra: (key, other) => concatBytes(main(other), list(other), list(key)),
  },
  {
    name: 'a list of keys behind an empty one',
    comes: 'told',
    extra: (key, other) => concatBytes(main(other), list(), list(key)),
  },
  {
    name: 'a list that claims more than there is',
    comes: 'lost',
    extra: (key, other) => concatBytes(main(other), bytes(4, 3), key),
  },
  behind('padding', bytes(0), 'told'),
  behind('a nonce of 255 bytes', blob(2, many(255)), 'seen'),
  behind('a nonce of 256 bytes', blob(2, many(256)), 'told'),
  behind('a nonce whose length could be shorter', concatBytes(bytes(2, 0x82, 0x00), many(2)), 'told'),
  behind('a mark of merge mining', mining(bytes(3), many(32)), 'seen'),
  behind('a mark of merge mining that is too short', mining(bytes(3), many(31)), 'told'),
  behind('a mark of merge mining that is too long', mining(bytes(3), many(33)), 'told'),
  behind('an empty mark of merge mining', mining(), 'told'),
  behind('a mark of merge mining whose depth could be shorter', mining(bytes(0x80, 0x00), many(32)), 'told'),
  behind('a mark of merge mining whose depth is too large', mining(many(9, 0xff), bytes(2), many(32)), 'told'),
  behind('300 bytes of a pool', blob(0xde, many(300)), 'seen'),
  behind('a field that nobody knows', bytes(5), 'lost'),
];

const STRANGER = moneroKeysFromSeed(new Uint8Array(32).fill(99)).address;

/** A miner's pay to this address and to a stranger: nobody but the miner chooses what is written beside it. */
export function minedWith(
  { extra, name, at = 0 }: ExtraStory,
  to: Address,
  height: number,
  reward: bigint,
): Uint8Array {
  const secret = scalar(keccak(new TextEncoder().encode(`${name} at ${height}`)));
  const payees = [to, STRANGER].map((address) => present(decodeAddress(address), address));
  const [ours, theirs] = [present(payees[0], 'ours'), present(payees[1], 'theirs')];
  const shared = present(sharedSecret(scalarHex(secret), ours.view), 'a point');
  const target = (spend: Uint8Array, index: number, atoms: bigint) =>
    concatBytes(varint(atoms), bytes(3), oneTimeKey(outputScalar(shared, index), spend), bytes(viewTag(shared, index)));
  const targets = [
    { spend: ours.spend, index: at, atoms: reward - 1n },
    { spend: theirs.spend, index: 1 - at, atoms: 1n },
  ].sort((a, b) => a.index - b.index);
  const written = extra(ed25519.Point.fromBytes(ours.spend).multiply(secret).toBytes(), publicKey(secret + 1n));
  return concatBytes(
    ...[bytes(2), varint(height + 60), bytes(1, 0xff), varint(height)],
    ...[bytes(2), ...targets.map(({ spend, index, atoms }) => target(spend, index, atoms))],
    ...[varint(written.length), written, bytes(0)],
  );
}
