import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import { OutScript, p2wpkh, Address as ScureAddress, Transaction } from '@scure/btc-signer';
import fc from 'fast-check';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import type { Address } from '../../src/kernel/ids.ts';
import {
  addressOfScript,
  bitcoinDepositAddresses,
  dustLimit,
  parseBitcoinAddress,
  scriptOfAddress,
  xpubOn,
} from '../../src/world/chains/bitcoin/address-codec.ts';
import { type Coin, MAX_COINS, parseSpending, spendingFields } from '../../src/world/chains/bitcoin/codec.ts';
import { BITCOIN, BITCOIN_REGTEST, LITECOIN, LITECOIN_REGTEST } from '../../src/world/chains/bitcoin/networks.ts';
import { BITCOIN_DEFAULTS, bitcoinRules } from '../../src/world/chains/bitcoin/rules.ts';
import { chooseCoins } from '../../src/world/chains/bitcoin/selection.ts';
import {
  encodeTransaction,
  parseBlock,
  parseTransaction,
  signerOf,
  virtualBytes,
  witnessOf,
} from '../../src/world/chains/bitcoin/tx-codec.ts';

const parse = (text: string) => parseBitcoinAddress(BITCOIN, text);

test('addresses of the standards are read to their scripts and back', () => {
  const known = [
    ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', '0014751e76e8199196d454941c45d1b3a323f1433bd6'],
    [
      'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3',
      '00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262',
    ],
    [
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
      '512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
    ],
    ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', '76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac'],
    ['3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', 'a914b472a266d0bd89c13706a4132ccfb16f7c3b9fcb87'],
  ] as const;
  for (const [text, script] of known) {
    const address = present(parse(text), text);
    assert.equal(address, text);
    assert.equal(scriptOfAddress(BITCOIN, address), script);
    assert.equal(addressOfScript(BITCOIN, script), address);
  }
  assert.equal(parse('BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4'), 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4');
});

test('what BIP-173 and BIP-350 call invalid is no address', () => {
  const invalid = [
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5',
    'bc1qW508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    'tc1qw508d6qejxtdg4y5r3zarvary0c5xw7kg3g4ty',
    'bc13w508d6qejxtdg4y5r3zarvary0c5xw7kn40wf2',
    'bc1rw5uspcuh',
    'bc10w508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kw5rljs90',
    'BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P',
    'bc1zw508d6qejxtdg4y5r3zarvaryvqyzf3du',
    'bc1gmk9yu',
    // Taproot under the checksum of version 0, version 0 under that of taproot, and later versions of witness.
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd',
    'bc1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq54t9wg',
    'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y',
    'BC1SW50QGDZ25J',
    'bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs',
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb',
    'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn',
  ];
  for (const text of invalid) assert.equal(parse(text), undefined, text);
});

test('a taproot key that is no point of the curve cannot be paid', () => {
  const nobody = present(addressOfScript(BITCOIN, `5120${'ff'.repeat(32)}`), 'an address');
  assert.equal(parse(nobody), undefined);
});

test('addresses agree with another implementation on every network', () => {
  const types = { pkh: 20, sh: 20, wpkh: 20, wsh: 32 } as const;
  const byte = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(byte, fc.constantFrom(...(['pkh', 'sh', 'wpkh', 'wsh'] as const)), (bytes, type) => {
      for (const network of [BITCOIN, BITCOIN_REGTEST, LITECOIN, LITECOIN_REGTEST]) {
        const { hrp: bech32, pubKeyHash, scriptHash } = network;
        const text = ScureAddress({ bech32, pubKeyHash, scriptHash, wif: 0 }).encode({
          type,
          hash: bytes.slice(0, types[type]),
        });
        const script = OutScript.encode({ type, hash: bytes.slice(0, types[type]) });
        assert.equal(
          scriptOfAddress(network, present(parseBitcoinAddress(network, text), text)),
          Buffer.from(script).toString('hex'),
        );
      }
    }),
    { numRuns: 100 },
  );
});

test('deposit addresses are those of BIP-84', () => {
  const seed = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
  const account = HDKey.fromMasterSeed(seed).derive("m/84'/0'/0'/0");
  const address = bitcoinDepositAddresses(BITCOIN, account.publicExtendedKey);
  assert.equal(address(0), 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu');
  assert.equal(address(1), 'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g');
  assert.match(xpubOn(BITCOIN_REGTEST, account.publicExtendedKey), /^tpub/);
  assert.equal(xpubOn(BITCOIN, account.publicExtendedKey), account.publicExtendedKey);
  assert.throws(() => bitcoinDepositAddresses(BITCOIN, account.privateExtendedKey));
});

test('limits of dust are those of the node', () => {
  const limits = [
    `${'76a914'.padEnd(46, '0')}88ac`,
    `${'a914'.padEnd(44, '0')}87`,
    '0014'.padEnd(44, '0'),
    '0020'.padEnd(68, '0'),
    '5120'.padEnd(68, '0'),
  ];
  assert.deepEqual(
    limits.map((script) => dustLimit(BITCOIN, script)),
    [546n, 540n, 294n, 330n, 330n],
  );
});

test('the first block is read to its hash and its one transaction', () => {
  const header =
    '0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c';
  const coinbase =
    '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000';
  const { hash, transactions } = parseBlock(`${header}01${coinbase}`);
  assert.equal(hash, BITCOIN.genesis);
  assert.deepEqual(
    transactions.map(({ txid }) => txid),
    ['4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b'],
  );
  assert.equal(transactions[0]?.outputs[0]?.atoms, 5_000_000_000n);
  for (const bytes of [
    '',
    `${header}02${coinbase}`,
    `${header}01${coinbase.slice(0, -2)}`,
    `${header}ffffffffffffffffff`,
  ]) {
    assert.throws(() => parseBlock(bytes));
  }
  assert.throws(() => parseTransaction(`${coinbase}00`));
});

const KEY = new Uint8Array(32).fill(7);
const payment = p2wpkh(secp256k1.getPublicKey(KEY));

test('signatures are byte for byte those of another implementation', () => {
  const script = Buffer.from(payment.script);
  const prevout = { atoms: 123_456n, script: script.toString('hex') };
  const txid = 'ab'.repeat(32);
  const unsigned = {
    version: 2,
    inputs: [{ txid, vout: 3, script: '', sequence: 0xffff_fffd, witness: [] }],
    outputs: [{ atoms: 100_000n, script: `76a914${'11'.repeat(20)}88ac` }],
    lockTime: 0,
  };
  const witness = witnessOf(unsigned, 0, prevout, KEY);
  const signed = { ...unsigned, inputs: unsigned.inputs.map((input) => ({ ...input, witness })) };

  const theirs = new Transaction();
  theirs.addInput({ txid, index: 3, sequence: 0xffff_fffd, witnessUtxo: { script, amount: 123_456n } });
  theirs.addOutput({ script: Buffer.from(`76a914${'11'.repeat(20)}88ac`, 'hex'), amount: 100_000n });
  theirs.sign(KEY);
  theirs.finalize();
  assert.equal(encodeTransaction(signed), theirs.hex);
  assert.equal(parseTransaction(theirs.hex).txid, theirs.id);
  assert.deepEqual(parseTransaction(theirs.hex).outputs, unsigned.outputs);
  assert.ok(
    theirs.vsize <=
      virtualBytes(
        1,
        unsigned.outputs.map((output) => output.script),
      ),
  );

  assert.ok(signerOf(signed, 0, prevout));
  assert.equal(signerOf(signed, 0, { ...prevout, atoms: 123_457n }), undefined, 'another amount');
  assert.equal(signerOf({ ...signed, outputs: [] }, 0, prevout), undefined, 'other outputs');
});

const coin = (value: bigint, vout: number): Coin => ({
  txid: 'cd'.repeat(32),
  vout,
  atoms: value,
  account: { deposit: vout },
});
const HOT = present(addressOfScript(BITCOIN, `0014${'01'.repeat(20)}`), 'hot');
const PAYER = { network: BITCOIN, hot: HOT, addressOf: () => HOT };

test('inputs travel as fields, and only exactly such fields are read back', () => {
  const spending = { coins: [coin(5n, 0), { ...coin(7n, 1), account: 'hot' as const }], fee: 3n };
  const fields = spendingFields(spending);
  assert.deepEqual(parseSpending(fields), spending);
  for (const value of Object.values(fields)) assert.match(value, /^[\x20-\x7e]{1,128}$/);
  const { in0 = '', in1 = '', fee = '' } = fields;
  const wrong: Record<string, string>[] = [
    {},
    { fee },
    { fee, in1 },
    { fee, in0, in2: in1 },
    { fee, in0, in1: in0 },
    { in0, in1 },
    { fee: '-1', in0 },
    { fee, in0: `${in0} ` },
    { fee, in0: in0.replace(':5:', ':05:') },
    { fee, in0, other: '1' },
    spendingFields({ coins: Array.from({ length: MAX_COINS + 1 }, (_, at) => coin(5n, at)), fee: 3n }),
  ];
  for (const bad of wrong) assert.equal(parseSpending(bad), undefined, JSON.stringify(bad).slice(0, 200));
});

test('chosen outputs always pay the amount, a fee at the rate and no dust', () => {
  const values = fc.array(fc.bigInt({ min: 1n, max: 10n ** 9n }), { maxLength: 80 });
  const rates = fc.bigInt({ min: 1_000n, max: 300_000n });
  fc.assert(
    fc.property(values, fc.bigInt({ min: 294n, max: 10n ** 9n }), rates, (each, wanted, rate) => {
      const coins = each.map(coin);
      const chosen = chooseCoins(PAYER, { to: HOT, atoms: atoms(wanted) }, rate, coins);
      if (!chosen) return;
      const change = chosen.coins.reduce((sum, one) => sum + one.atoms, 0n) - wanted - chosen.fee;
      assert.ok(change === 0n || change >= 294n);
      const scripts = Array.from({ length: change === 0n ? 1 : 2 }, () => scriptOfAddress(BITCOIN, HOT));
      const needed = virtualBytes(chosen.coins.length, scripts) * rate;
      assert.ok(chosen.fee * 1_000n >= needed && chosen.coins.length <= MAX_COINS);
      assert.ok(
        chosen.fee * 1_000n <= needed + 1_000n * (295n + 31n * rate),
        'no more is left to the miner than change is worth',
      );
      assert.equal(new Set(chosen.coins).size, chosen.coins.length);
    }),
  );
});

test('facts, link and tokens', () => {
  const { facts, depositUri, parseToken, refusesDestination } = bitcoinRules({ ...BITCOIN_DEFAULTS, network: BITCOIN });
  assert.deepEqual(
    [facts.id, facts.minSwapUsd, facts.requiredConfirmations, facts.deposits],
    [20000000000001, 40, 2, 'top_up'],
  );
  const address = facts.addressExample as Address;
  assert.equal(depositUri(address, BITCOIN.coin.asset, atoms(150_000n)), `bitcoin:${address}?amount=0.0015`);
  assert.equal(depositUri(address, BITCOIN.coin.asset, undefined), `bitcoin:${address}`);
  assert.deepEqual(['BTC', 'native', 'btc', 'XBT'].map(parseToken), ['BTC', 'BTC', undefined, undefined]);
  assert.equal(refusesDestination(address), undefined);
  assert.ok(refusesDestination(present(parse('1111111111111111111114oLvT2'), 'an address')));
});
