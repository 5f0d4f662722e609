import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ED25519_TORSION_SUBGROUP, ed25519 } from '@noble/curves/ed25519.js';
import fc from 'fast-check';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { Fault } from '../../src/kernel/fault.ts';
import {
  decodeAddress,
  encodeAddress,
  moneroKeysFromSeed,
  moneroUri,
  parseMoneroAddress,
  subaddress,
} from '../../src/world/chains/monero/codec.ts';
import { paidOutputs, receivedOutputs } from '../../src/world/chains/monero/output-codec.ts';
import { isKey, jacobi } from '../../src/world/chains/monero/point-codec.ts';
import { big, exactIntegers } from '../../src/world/chains/monero/reply.ts';
import { MONERO_DEFAULTS, moneroRules } from '../../src/world/chains/monero/rules.ts';
import { parseTransactionHex, transactionId } from '../../src/world/chains/monero/tx-codec.ts';

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));

/** A wallet that monero-wallet-rpc 0.18 made. */
const WALLET = {
  spendKey: 'ebeaa23afa383b225c783e901c50c213fe01b67074e9efe39035602bd82fbb04',
  viewKey: '50ee4f4dc1ca2b7017643d81239043d69d870549f344370c70600cd8e0c6b102',
  address: '46HE8DUVRHmJ1dEDn3qgt6Eks64oNFRak5xL51f8ep5a6CRqjxdcNMGD9nHK17HTnXMenCZdetkppWAkKoKgFqxTPLpZXZR',
  firstSubaddress: '83wYdw4xRHYYsLcxuf3i2AEA6APEVSFL2ZKcQ2pqKzdreuZgz1T6vBuBe9qayFg2nvEJvJ9K1iei44SL3Ux8cwuuHUyxKrb',
};
const STANDARD = '44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A';
const SUBADDRESS = '888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H';
const INTEGRATED =
  '4LL9oSLmtpccfufTMvppY6JwXNouMBzSkbLYfpAV5Usx3skxNgYeYTRj5UzqtReoS44qo9mtmXCqY45DJ852K5Jv2bYXZKKQePHES9khPK';
const TESTNET = '9wviCeWe2D8XS82k2ovp5EUYLzBt9pYNW2LXUFsZiv8S3Mt21FZ5qQaAroko1enzw3eGr9qC7X1D7Geoo2RrAotYPwq9Gm8';

describe('Monero addresses', () => {
  it('knows the three kinds and spells them as they were', () => {
    const kinds = { standard: STANDARD, subaddress: SUBADDRESS, integrated: INTEGRATED };
    for (const [kind, text] of Object.entries(kinds)) {
      const decoded = present(decodeAddress(text), kind);
      assert.equal(decoded.kind, kind);
      assert.equal(encodeAddress(decoded), text);
    }
    assert.equal(Buffer.from(decodeAddress(INTEGRATED)?.paymentId ?? []).toString('hex'), '8a125052fe6f3877');
  });

  it('refuses other networks, wrong checksums and wrong kinds of letters', () => {
    const bent = [
      TESTNET,
      `${STANDARD.slice(0, -1)}B`,
      STANDARD.replace('F', '0'),
      STANDARD.toLowerCase(),
      `4${SUBADDRESS.slice(1)}`,
    ];
    for (const text of bent) assert.equal(parseMoneroAddress(text), undefined);
  });

  it('takes for a key what the library takes for a point, unless it is of small order', () => {
    const byTheLibrary = (key: Uint8Array): boolean => {
      try {
        return !ed25519.Point.fromBytes(key).isSmallOrder();
      } catch {
        return false;
      }
    };
    const same = (key: Uint8Array) => assert.equal(isKey(key), byTheLibrary(key), Buffer.from(key).toString('hex'));
    for (const point of ED25519_TORSION_SUBGROUP) assert.equal(isKey(bytes(point)), false);
    // Around zero, the prime and the largest number, with both signs.
    for (let last = 0; last < 256; last += 1) {
      for (const [rest, first] of [
        [0, 0],
        [0, 0x80],
        [0xff, 0x7f],
        [0xff, 0xff],
      ] as const) {
        same(Uint8Array.of(last, ...new Uint8Array(30).fill(rest), first));
      }
    }
    fc.assert(fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), same), { numRuns: 300 });
    for (const length of [0, 31, 33]) assert.equal(isKey(new Uint8Array(length).fill(3)), false);
  });

  it('reckons Jacobi symbols that multiply and repeat as they must', () => {
    const odd = fc.bigInt(1n, 2n ** 130n).map((half) => 2n * half + 1n);
    fc.assert(
      fc.property(odd, fc.bigInt(0n, 2n ** 256n), fc.bigInt(0n, 2n ** 256n), (n, a, b) => {
        assert.equal(jacobi((a * b) % n, n), jacobi(a % n, n) * jacobi(b % n, n) || 0);
        assert.equal(jacobi((a * 2n ** 90n) % n, n), jacobi(a % n, n));
      }),
    );
  });

  it('refuses any one letter changed', () => {
    const letters = fc.constantFrom(...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz');
    fc.assert(
      fc.property(fc.nat(STANDARD.length - 1), letters, (at, letter) => {
        const text = STANDARD.slice(0, at) + letter + STANDARD.slice(at + 1);
        assert.equal(parseMoneroAddress(text), text === STANDARD ? STANDARD : undefined);
      }),
    );
  });

  it('refuses a megabyte at once', () => {
    const hostile = ['4', STANDARD, '💸'].map((part) => part.repeat(1_000_000 / part.length));
    const start = performance.now();
    for (const text of hostile) assert.equal(parseMoneroAddress(text), undefined);
    assert.ok(performance.now() - start < 5);
  });

  it('writes a link with the amount in whole coins', () => {
    const address = present(parseMoneroAddress(STANDARD), 'an address');
    assert.equal(moneroUri(address, atoms(1_500_000_000_000n)), `monero:${STANDARD}?tx_amount=1.5`);
    assert.equal(moneroUri(address, undefined), `monero:${STANDARD}`);
  });

  it('takes XMR and native for the coin, and no other spelling', () => {
    const { parseToken } = moneroRules(MONERO_DEFAULTS);
    assert.deepEqual(['XMR', 'native', 'xmr', ' XMR', ''].map(parseToken), [
      'XMR',
      'XMR',
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('Monero keys', () => {
  it('derives what the real wallet derives', () => {
    const keys = moneroKeysFromSeed(bytes(WALLET.spendKey));
    assert.equal(keys.spendKey.reveal(), WALLET.spendKey);
    assert.deepEqual([keys.viewKey, keys.address], [WALLET.viewKey, WALLET.address]);
    assert.deepEqual([subaddress(keys, 0, 0), subaddress(keys, 0, 1)], [WALLET.address, WALLET.firstSubaddress]);
  });

  it('never shows the spend key', () => {
    const keys = moneroKeysFromSeed(bytes(WALLET.spendKey));
    assert.ok(!JSON.stringify(keys).includes(WALLET.spendKey));
  });
});

/** Of the wallet above: three payments out of two inputs, cut before its ring signatures. */
const PAYMENT = {
  hash: 'f7c754b83449a7e878f06edd5c71da1134f800f49beda70033031d83666beebd',
  txKey: 'b93aa15e14b6d65296604df4794ab9ed994883ca60d5881f176c1fb66feafe06',
  proofsHash: 'f8d4ead7906ccf9aa7b92249c3f19fe538dc5ad6982c662c1597cd83ce318ba5',
  payee: '8338NGZyGtN6pcu9kAQJUagRJfzXCC8ScfNHqMTbneQoauxN3eLagi6BFYxRhobSnuGWwEaqHUfApS4Si1MgHc42GJAaJ8e',
  hex: [
    '020002020010000d100301020103030d030205070304eb2fe49aaf4c5a01928ed637181c4c4c0fcdd665dc069d137627c9c2f82361ed0200100a',
    '0102050508061003020106020a0301a163a6a60d581eba321358de8153c780dd32a4201a99cf915a3dcab7039333000300031c317449637a09d5',
    'c5bd0744e1e76c0633cbca5e653326f06a90979d1fe2771d340003f9676d7691837323f1f11643eacdd1b8443bb80c7ca67042eedaf808f455a0',
    '09b200032d9164b3fc504083a9450c47cc838858f9015a5ca5a814fede593b8aaa3c23f5232101008e8d7bc13365da4fedc934c1cabe11739b01',
    'f9222ab9d4ecb2d1a41ca0352e0680eaa5b30cf3cca64068b2c86a324dee9034c77bd227a7e5e18a5de305c2a88052d9af538f5f5cfbb4100ede',
    '2ae4ec5ff012657ab401602360f5b2fc35bb498daaf31309efa85be8777e34d95f076559bb89409477ef967848f99c18eb1a1fe6359ddc3913e9',
    'b617a32bcaca2c1c5c8522cd443b119c6b4b89d5fca31c',
  ].join(''),
};

describe('Monero transactions', () => {
  const tx = parseTransactionHex(PAYMENT.hex);

  it('reads key images, fee and id', () => {
    assert.equal(transactionId(tx, bytes(PAYMENT.proofsHash)), PAYMENT.hash);
    assert.equal(tx.fee, 3_328_800_000n);
    assert.deepEqual(tx.keyImages, [
      'eb2fe49aaf4c5a01928ed637181c4c4c0fcdd665dc069d137627c9c2f82361ed',
      'a163a6a60d581eba321358de8153c780dd32a4201a99cf915a3dcab703933300',
    ]);
  });

  it('opens what the payer paid and what came back, and nothing with other keys', () => {
    const payee = present(decodeAddress(PAYMENT.payee), 'the payee');
    const paid = paidOutputs(tx, PAYMENT.txKey, payee);
    assert.deepEqual(
      paid.map((output) => output.atoms),
      [2_000_000_000_000n, 1_000_000_000_000n],
    );
    const { viewKey, publicSpend } = moneroKeysFromSeed(bytes(WALLET.spendKey));
    const [change] = receivedOutputs(tx, viewKey, new Map([[publicSpend, 'change']]));
    assert.equal(change?.atoms, 67_359_912_870_698n);
    assert.deepEqual(paidOutputs(tx, WALLET.viewKey, payee), []);
    assert.deepEqual(receivedOutputs(tx, viewKey, new Map([[WALLET.spendKey, 'other']])), []);
  });

  it('reads outputs without a view tag, as they were made before 2022', () => {
    const hex = tx.outputs.reduce((text, { key }) => {
      const name = Buffer.from(key).toString('hex');
      return text.replace(new RegExp(`0003${name}..`), `0002${name}`);
    }, PAYMENT.hex);
    const untagged = parseTransactionHex(hex);
    assert.deepEqual(
      untagged.outputs.map(({ viewTag }) => viewTag),
      [undefined, undefined, undefined],
    );
    const payee = present(decodeAddress(PAYMENT.payee), 'the payee');
    assert.deepEqual(
      paidOutputs(untagged, PAYMENT.txKey, payee).map((output) => output.atoms),
      [2_000_000_000_000n, 1_000_000_000_000n],
    );
  });

  it('does not believe an amount that its commitment does not hold', () => {
    const [output] = tx.outputs;
    assert.ok(output);
    const lie = { ...tx, outputs: [{ ...output, hiddenAtoms: output.hiddenAtoms.map((byte) => byte ^ 1) }] };
    assert.deepEqual(paidOutputs(lie, PAYMENT.txKey, present(decodeAddress(PAYMENT.payee), 'the payee')), []);
  });

  it('refuses every truncation, and random bytes, without harm', () => {
    for (let end = 0; end < PAYMENT.hex.length; end += 2) {
      assert.throws(() => parseTransactionHex(PAYMENT.hex.slice(0, end)), Fault);
    }
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), (noise) => {
        try {
          parseTransactionHex(Buffer.from([2, ...noise]).toString('hex'));
        } catch (error) {
          assert.ok(error instanceof Fault);
        }
      }),
    );
  });
});

describe('Monero replies', () => {
  it('keep amounts that a JSON number would round', async () => {
    const body = '{"balance": 18446744073709551615, "note": "say \\"12345678901234567890\\", twice"}';
    const outbound = exactIntegers(async () => ({ status: 200, body }));
    const reply = await outbound({ at: 'chain:0', label: 'test', url: '', method: 'POST' });
    const parsed = JSON.parse(reply.body);
    assert.equal(big(parsed, 'balance'), 18_446_744_073_709_551_615n);
    assert.equal(parsed.note, 'say "12345678901234567890", twice');
  });
});
