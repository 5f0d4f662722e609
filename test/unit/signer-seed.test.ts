import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { mnemonicToSeedSync } from '@scure/bip39';
import { Secret } from '../../src/kernel/secret.ts';
import { deriveKeys } from '../../src/signer/keys.ts';
import { createSeedFile, type Entropy, openSeedFile } from '../../src/signer/seed.ts';
import { evmAddressOfKey, evmDepositAddress } from '../../src/world/chains/evm/codec.ts';
import { venueDepositAddresses } from '../../src/world/venues/hyperliquid/transfer-codec.ts';
import { temporaryFolder } from './signer-bench.ts';

const PASSPHRASE = new Secret('correct horse battery staple');
/** The words of which every wallet's documentation knows the addresses. */
const WORDS = new Secret(`${'abandon '.repeat(23)}art`);

function countingEntropy(): Entropy {
  let next = 0;
  return (bytes) => Uint8Array.from({ length: bytes }, () => next++ % 256);
}

test('a seed is created once, is sealed, and opens with its passphrase only', async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'seed');
  const words = await createSeedFile(file, PASSPHRASE, countingEntropy());
  assert.equal(words.reveal().split(' ').length, 24);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder), ['seed']);
  const text = readFileSync(file, 'utf8');
  assert.equal(JSON.parse(text).version, 1);
  const entropyHex = Buffer.from(countingEntropy()(32)).toString('hex');
  assert.ok(!text.includes(entropyHex) && !text.includes(words.reveal().slice(0, 20)));

  const seed = await openSeedFile(file, PASSPHRASE);
  assert.deepEqual(seed.reveal(), mnemonicToSeedSync(words.reveal()));
  const wrong = { name: 'Fault', kind: 'permanent', message: /wrong passphrase/ };
  await assert.rejects(openSeedFile(file, new Secret('correct horse')), wrong);
  await assert.rejects(createSeedFile(file, PASSPHRASE, countingEntropy()), /cannot create the seed file/);
  assert.equal(readFileSync(file, 'utf8'), text);
});

test('a seed file that others may read, that was changed or that is not one is refused', async (t) => {
  const file = join(temporaryFolder(t), 'seed');
  await assert.rejects(openSeedFile(file, PASSPHRASE), /cannot read the seed file/);
  await createSeedFile(file, PASSPHRASE, countingEntropy(), WORDS);
  chmodSync(file, 0o644);
  await assert.rejects(openSeedFile(file, PASSPHRASE), /chmod 600/);
  chmodSync(file, 0o600);
  const stored = JSON.parse(readFileSync(file, 'utf8'));
  const changed = stored.sealed.replace(/^./, (digit: string) => (digit === '0' ? '1' : '0'));
  writeFileSync(file, JSON.stringify({ ...stored, sealed: changed }));
  await assert.rejects(openSeedFile(file, PASSPHRASE), /wrong passphrase, or the seed file was changed/);
  writeFileSync(file, JSON.stringify({ ...stored, logCost: 40 }));
  await assert.rejects(openSeedFile(file, PASSPHRASE), /damaged/);
  for (const content of ['', 'null', '[]', '{"version":2}', '{"version":1}']) {
    writeFileSync(file, content);
    await assert.rejects(openSeedFile(file, PASSPHRASE), { name: 'Fault', kind: 'permanent' });
  }
});

test('only 24 right words make a seed', async (t) => {
  const file = join(temporaryFolder(t), 'seed');
  const twelve = new Secret(`${'abandon '.repeat(11)}about`);
  await assert.rejects(createSeedFile(file, PASSPHRASE, countingEntropy(), twelve), /24 words/);
  const typo = new Secret(`${'abandon '.repeat(23)}abandon`);
  await assert.rejects(createSeedFile(file, PASSPHRASE, countingEntropy(), typo), /not BIP-39 words/);
});

test('keys follow the standard paths, and deposits follow from the public key alone', () => {
  const keys = deriveKeys(new Secret(mnemonicToSeedSync(WORDS.reveal())));
  const first = evmAddressOfKey(keys.evm({ deposit: 0 }).reveal());
  assert.equal(first, '0xF278cF59F82eDcf871d630F28EcC8056f25C1cdb');
  for (const index of [0, 1, 77, 2 ** 31 - 1]) {
    const ours = evmAddressOfKey(keys.evm({ deposit: index }).reveal());
    assert.equal(evmDepositAddress(keys.evmXpub, index), ours);
  }
  assert.notEqual(evmAddressOfKey(keys.evm('hot').reveal()), first);
  const venueDeposit = venueDepositAddresses(keys.venueXpub);
  for (const index of [0, 1, 77]) {
    assert.equal(venueDeposit(index), evmAddressOfKey(keys.venue({ deposit: index }).reveal()));
    assert.notEqual(venueDeposit(index), evmDepositAddress(keys.evmXpub, index));
  }
  assert.deepEqual(keys.venue('hot').reveal(), keys.evm('hot').reveal());
  assert.ok(!inspect(keys, { depth: 9 }).includes(Buffer.from(keys.moneroSeed.reveal()).toString('hex')));
  assert.deepEqual(JSON.parse(JSON.stringify(keys)).moneroSeed, '[secret]');
});
