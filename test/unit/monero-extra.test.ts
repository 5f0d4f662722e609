import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { bytesToHex } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { moneroKeysFromSeed, subaddress } from '../../src/world/chains/monero/codec.ts';
import { readExtra } from '../../src/world/chains/monero/extra-codec.ts';
import { openingOnce } from '../../src/world/chains/monero/open-outputs.ts';
import { parseTransaction, transactionId } from '../../src/world/chains/monero/tx-codec.ts';
import { EXTRA_STORIES, minedWith } from '../sim/monero-extras.ts';

const KEYS = moneroKeysFromSeed(new Uint8Array(32).fill(7));
const ADDRESS = subaddress(KEYS, 0, 5);
const REWARD = 600_000_000_000n;

describe('by the rules of the wallet that would have to spend it', () => {
  for (const story of EXTRA_STORIES)
    it(`${story.name}: what it pays is ${story.comes}`, async () => {
      const tx = parseTransaction(minedWith(story, ADDRESS, 7, REWARD));
      const { paid, unread } = await openingOnce(KEYS).of({
        hash: transactionId(tx),
        tx,
        height: 7,
        doubleSpendSeen: false,
      });
      const ours = (outputs: typeof paid) =>
        outputs.filter(({ address }) => address === ADDRESS).map(({ atoms }) => atoms);
      assert.deepEqual(ours(paid), story.comes === 'seen' ? [REWARD - 1n] : []);
      assert.deepEqual(ours(unread), story.comes === 'told' ? [REWARD - 1n] : []);
    });
});

test('whatever is written there, no more keys are taken than a node lets through, and nothing is thrown', () => {
  const noise = fc.array(fc.oneof(fc.constantFrom(0, 1, 2, 3, 4, 5, 0xde, 0x80), fc.integer({ min: 0, max: 255 })));
  fc.assert(
    fc.property(noise, (values) => {
      const { publicKeys, additionalKeys, unreadKeys } = readExtra(Uint8Array.from(values));
      const all = [...publicKeys, ...additionalKeys, ...unreadKeys];
      assert.ok(all.every((key) => key.length === 32) && all.length * 32 <= values.length);
    }),
  );
  const crowd = Uint8Array.from(Array.from({ length: 100 }, () => [1, ...new Uint8Array(32).fill(9)]).flat());
  assert.equal(readExtra(crowd).publicKeys.length, 32);
  assert.equal(bytesToHex(readExtra(crowd).publicKeys[0] ?? new Uint8Array()), '09'.repeat(32));
});
