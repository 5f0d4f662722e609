import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import fc from 'fast-check';
import { TronWeb, utils } from 'tronweb';
import { atoms } from '../../src/kernel/amount.ts';
import { type Address, type AssetId, type IntentId, intentId } from '../../src/kernel/ids.ts';
import {
  parseTronAddress,
  TRON_ID,
  tronAddressOfHex,
  tronAddressOfKey,
  tronDepositAddresses,
  tronHex,
} from '../../src/world/chains/tron/codec.ts';
import { decodeFields, encodeFields } from '../../src/world/chains/tron/protobuf.ts';
import { TRX_ASSET, USDT_ASSET } from '../../src/world/chains/tron/rules.ts';
import {
  decodeTron,
  signTron,
  type TronPayment,
  tronCost,
  tronObjection,
  tronSize,
  tronUnsigned,
} from '../../src/world/chains/tron/tx-codec.ts';

const KEY = new Uint8Array(32).fill(1);
const FROM = tronAddressOfKey(KEY);
const TO = tronAddressOfKey(new Uint8Array(32).fill(2));
const USDT = USDT_ASSET.token;
const offline = new TronWeb({ fullHost: 'http://127.0.0.1:9' });

const FEE = {
  ref_block_bytes: '0a12',
  ref_block_hash: '0011223344556677',
  expiration: '1700043200000',
  timestamp: '1700000000000',
  fee_limit: '0',
  overhead: '345000',
};

function payment(asset: AssetId, value: bigint, change: Partial<TronPayment> = {}): TronPayment {
  const fee = asset === USDT_ASSET.id ? { ...FEE, fee_limit: '16285700' } : FEE;
  return {
    intent: intentId('treasury', 'gas', 1),
    chainId: TRON_ID,
    asset,
    to: TO,
    atoms: atoms(value),
    fee,
    ...change,
  };
}

/** The same transfer as another implementation builds it. */
async function theirs(value: bigint, asset: AssetId, timestamp: bigint) {
  const blockHeader = {
    ref_block_bytes: FEE.ref_block_bytes,
    ref_block_hash: FEE.ref_block_hash,
    expiration: Number(FEE.expiration),
    timestamp: Number(timestamp),
  };
  const { transactionBuilder } = offline;
  if (asset === TRX_ASSET.id) return transactionBuilder.sendTrx(TO, Number(value), FROM, { blockHeader });
  const parameters = [
    { type: 'address', value: TO },
    { type: 'uint256', value: value.toString() },
  ];
  const options = { txLocal: true, feeLimit: 16_285_700, blockHeader };
  const call = 'transfer(address,uint256)';
  return (await transactionBuilder.triggerSmartContract(USDT, call, options, parameters, FROM)).transaction;
}

test('an address is what TronWeb makes of the same key, in every spelling', () => {
  for (let round = 0; round < 20; round += 1) {
    const key = randomBytes(32);
    const address = tronAddressOfKey(key);
    assert.equal(address, offline.address.fromPrivateKey(key.toString('hex')));
    assert.equal(tronHex(address), offline.address.toHex(address).toLowerCase());
    assert.equal(tronAddressOfHex(tronHex(address)), address);
    assert.equal(tronAddressOfHex(tronHex(address).slice(2)), address);
    assert.equal(parseTronAddress(address), address);
  }
});

test('deposit addresses follow from the public key alone and are those of the private one', () => {
  const phrase = 'test test test test test test test test test test test junk';
  const seeded = TronWeb.fromMnemonic(phrase, "m/44'/195'/0'/0/5");
  const parent = HDKey.fromMasterSeed(mnemonicToSeedSync(phrase)).derive("m/44'/195'/0'/0");
  assert.equal(tronDepositAddresses(parent.publicExtendedKey)(5), seeded.address);
  assert.throws(() => tronDepositAddresses(parent.privateExtendedKey), { name: 'Bug' });
});

test('an address with one wrong letter, another prefix or without a checksum is none', () => {
  const good = FROM as string;
  for (let at = 1; at < good.length; at += 1) {
    const other = good[at] === 'x' ? 'y' : 'x';
    assert.equal(parseTronAddress(good.slice(0, at) + other + good.slice(at + 1)), undefined);
  }
  const testnet = utils.crypto.getBase58CheckAddress([0xa0, ...Buffer.from(tronHex(FROM).slice(2), 'hex')]);
  for (const text of [testnet, tronHex(FROM), `0x${tronHex(FROM).slice(2)}`, tronHex(FROM).slice(2)]) {
    assert.equal(parseTronAddress(text), undefined);
  }
});

for (const [asset, amounts] of [
  [TRX_ASSET.id, [1n, 127n, 128n, 1_000_000n, 2n ** 52n]],
  [USDT_ASSET.id, [0n, 1n, 999_999_999_999n, 2n ** 255n]],
] as const) {
  test(`a transfer of ${asset} has the bytes, the id and the signature that TronWeb gives it`, async () => {
    for (const value of amounts) {
      const unsigned = tronUnsigned(payment(asset, value), FROM);
      const { raw, txHash } = signTron(unsigned, KEY);
      const built = await theirs(value, asset, unsigned.timestamp);
      assert.equal(txHash, built.txID);
      assert.ok(raw.includes(built.raw_data_hex));
      const signed = utils.crypto.signTransaction(Buffer.from(KEY).toString('hex'), built);
      assert.ok(raw.endsWith(String(signed.signature[0]).toLowerCase()));
      assert.ok(utils.transaction.txCheck(signed));
      assert.equal(tronSize(unsigned), raw.length / 2);
    }
  });
}

for (const act of ['lend', 'reclaim'] as const) {
  test(`energy that is ${act === 'lend' ? 'lent' : 'taken back'} has the bytes and the id that TronWeb gives it, and is read back as that`, async () => {
    const staker = tronAddressOfKey(new Uint8Array(32).fill(3));
    for (const value of [1_000_000n, 6_856_007_616n, 2n ** 52n]) {
      const loan = { act, permission: 2n };
      const unsigned = tronUnsigned(payment(TRX_ASSET.id, value, { loan }), staker);
      const { raw, txHash } = signTron(unsigned, KEY);
      const { ref_block_bytes, ref_block_hash, expiration } = FEE;
      const block = { ref_block_bytes, ref_block_hash, expiration: Number(expiration) };
      const options = { permissionId: 2, blockHeader: { ...block, timestamp: Number(unsigned.timestamp) } };
      const { transactionBuilder: builder } = offline;
      const built = await (act === 'lend'
        ? builder.delegateResource(Number(value), TO, 'ENERGY', staker, false, 0, options)
        : builder.undelegateResource(Number(value), TO, 'ENERGY', staker, options));
      assert.equal(txHash, built.txID);
      assert.ok(raw.includes(built.raw_data_hex));
      assert.deepEqual(decodeTron(raw), { ...unsigned, txHash, signedBy: FROM });
      const bent = Buffer.from(raw, 'hex');
      for (let at = 0; at < bent.length && value === 1_000_000n; at += 1) {
        const other = Buffer.from(bent);
        other[at] = (other[at] ?? 0) ^ 1;
        const told = readOrNothing(other.toString('hex'));
        assert.ok(told === undefined || told !== `${staker} ${TO} ${value} ${act} 2 ${FROM}`, `byte ${at} may be bent`);
      }
    }
  });
}

/** Somebody else's signature is one, too: what was bent must then tell of somebody else, or of something else. */
function readOrNothing(raw: string): string | undefined {
  try {
    const { from, to, atoms: value, loan, signedBy } = decodeTron(raw);
    return `${from} ${to} ${value} ${loan?.act} ${loan?.permission} ${signedBy}`;
  } catch {
    return undefined;
  }
}

test('signed bytes are read back as what was signed, and only in the form in which they were written', () => {
  for (const asset of [TRX_ASSET.id, USDT_ASSET.id]) {
    const unsigned = tronUnsigned(payment(asset, 5_000_000n), FROM);
    const { raw, txHash } = signTron(unsigned, KEY);
    assert.deepEqual(decodeTron(raw), { ...unsigned, txHash, signedBy: FROM });
    const bent = Buffer.from(raw, 'hex');
    for (let at = 0; at < bent.length; at += 1) {
      const other = Buffer.from(bent);
      other[at] = (other[at] ?? 0) ^ 1;
      assert.throws(() => decodeTron(other.toString('hex')), `byte ${at} may be bent`);
    }
    const [body, signature] = decodeFields(bent).map(([, value]) => value);
    assert.ok(body instanceof Uint8Array && signature instanceof Uint8Array);
    // A memo, a second signature, a permission: all that a node would take and nobody asked for.
    const memo = Buffer.concat([body, encodeFields([[10, Buffer.from('memo')]])]);
    assert.throws(
      () =>
        decodeTron(
          hexOf(
            encodeFields([
              [1, memo],
              [2, signature],
            ]),
          ),
        ),
      { name: 'Bug' },
    );
    assert.throws(
      () =>
        decodeTron(
          hexOf(
            encodeFields([
              [1, body],
              [2, signature],
              [2, signature],
            ]),
          ),
        ),
      { name: 'Bug' },
    );
  }
});

test('a key signs for its own account only', () => {
  const unsigned = tronUnsigned(payment(TRX_ASSET.id, 1n), TO);
  assert.throws(() => signTron(unsigned, KEY), { name: 'Bug' });
});

test('two intents never share a transaction, though they pay the same to the same under the same block', () => {
  const hashes = Array.from({ length: 200 }, (_, leg) => {
    const intent: IntentId = intentId('treasury', 'gas', leg);
    return signTron(tronUnsigned(payment(TRX_ASSET.id, 7n, { intent }), FROM), KEY).txHash;
  });
  assert.equal(new Set(hashes).size, hashes.length);
  const again = signTron(
    tronUnsigned(payment(TRX_ASSET.id, 7n, { intent: intentId('treasury', 'gas', 3) }), FROM),
    KEY,
  );
  assert.equal(again.txHash, hashes[3]);
});

test('what cannot be built is said beforehand', () => {
  const usdt = payment(USDT_ASSET.id, 1n);
  const wrong: readonly TronPayment[] = [
    payment(TRX_ASSET.id, 2n ** 63n),
    payment(USDT_ASSET.id, 2n ** 256n),
    { ...usdt, asset: `${TRON_ID}:USDT` as AssetId },
    // The same contract in hexadecimal: limits know it by its one spelling.
    { ...usdt, asset: `${TRON_ID}:${tronHex(USDT as string as Address)}` as AssetId },
    ...Object.keys(FEE).map((part) => ({ ...usdt, fee: { ...usdt.fee, [part]: '' } })),
    { ...usdt, fee: { ...usdt.fee, fee_limit: '0' } },
    payment(TRX_ASSET.id, 1n, { fee: { ...FEE, fee_limit: '1' } }),
    { ...usdt, fee: { ...usdt.fee, expiration: '1700086400001' } },
    { ...usdt, fee: { ...usdt.fee, expiration: '1700000000000' } },
  ];
  for (const one of wrong) assert.ok(tronObjection(one), JSON.stringify(one.fee));
  assert.equal(tronObjection(usdt), undefined);
  assert.equal(tronObjection(payment(TRX_ASSET.id, 1n)), undefined);
  assert.equal(tronCost(usdt.fee), 16_285_700n + 345_000n);
});

test('fields come back as they were written', () => {
  const field = fc.tuple(
    fc.integer({ min: 1, max: 1000 }),
    fc.oneof(fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }), fc.uint8Array({ minLength: 1, maxLength: 200 })),
  );
  fc.assert(
    fc.property(fc.array(field), (fields) => {
      const read = decodeFields(encodeFields(fields)).map(([number, value]) => [number, plain(value)]);
      assert.deepEqual(
        read,
        fields.map(([number, value]) => [number, plain(value)]),
      );
    }),
  );
  for (const hex of ['08', '0a', '0a05', '0a0501', '0d00000000', '08ffffffffffffffffffff01']) {
    assert.throws(() => decodeFields(Buffer.from(hex, 'hex')), { name: 'Bug' }, hex);
  }
});

const plain = (value: bigint | Uint8Array): bigint | string => (typeof value === 'bigint' ? value : hexOf(value));
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
