import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { mnemonicToSeedSync } from '@scure/bip39';
import { Secret } from '../../src/kernel/secret.ts';
import { openKeyTree } from '../../src/signer/keys.ts';
import { evmKeys } from '../../src/signer/rails/evm.ts';
import { hyperliquidKeys } from '../../src/signer/rails/hyperliquid.ts';
import { moneroKeys } from '../../src/signer/rails/monero.ts';
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
  const tree = openKeyTree(new Secret(mnemonicToSeedSync(WORDS.reveal())));
  const [evm, venue] = [evmKeys(tree), hyperliquidKeys(tree)];
  const first = evmAddressOfKey(evm.key({ deposit: 0 }).reveal());
  assert.equal(first, '0xF278cF59F82eDcf871d630F28EcC8056f25C1cdb');
  for (const index of [0, 1, 77, 2 ** 31 - 1]) {
    const ours = evmAddressOfKey(evm.key({ deposit: index }).reveal());
    assert.equal(evmDepositAddress(evm.xpub, index), ours);
  }
  assert.notEqual(evmAddressOfKey(evm.key('hot').reveal()), first);
  const venueDeposit = venueDepositAddresses(venue.xpub);
  for (const index of [0, 1, 77]) {
    assert.equal(venueDeposit(index), evmAddressOfKey(venue.key({ deposit: index }).reveal()));
    assert.notEqual(venueDeposit(index), evmDepositAddress(evm.xpub, index));
  }
  assert.deepEqual(venue.key('hot').reveal(), evm.key('hot').reveal());
  assert.ok(!inspect([tree, evm], { depth: 9 }).includes(Buffer.from(tree.journal.reveal()).toString('hex')));
  assert.deepEqual(JSON.parse(JSON.stringify(tree)).journal, '[secret]');
  // A wallet of this seed: what was received under it must still be ours.
  assert.match(moneroKeys(tree).address, /^4/);
});
