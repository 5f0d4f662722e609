import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { mnemonicToSeedSync } from '@scure/bip39';
import { Secret } from '../../src/kernel/secret.ts';
import { openKeyTree } from '../../src/signer/keys.ts';
import { bitcoinKeys, bitcoinRail } from '../../src/signer/rails/bitcoin.ts';
import { evmKeys } from '../../src/signer/rails/evm.ts';
import { hyperliquidKeys } from '../../src/signer/rails/hyperliquid.ts';
import { moneroKeys } from '../../src/signer/rails/monero.ts';
import { solanaKeys, solanaRail } from '../../src/signer/rails/solana.ts';
import { tronKeys, tronRail } from '../../src/signer/rails/tron.ts';
import { createSeedFile, type Entropy, openSeedFile } from '../../src/signer/seed.ts';
import { BITCOIN, type BitcoinNetwork, LITECOIN } from '../../src/world/chains/bitcoin/networks.ts';
import { evmAddressOfKey, evmDepositAddresses } from '../../src/world/chains/evm/codec.ts';
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
    assert.equal(evmDepositAddresses(evm.xpub)(index), ours);
  }
  assert.notEqual(evmAddressOfKey(evm.key('hot').reveal()), first);
  const venueDeposit = venueDepositAddresses(venue.xpub);
  for (const index of [0, 1, 77]) {
    assert.equal(venueDeposit(index), evmAddressOfKey(venue.key({ deposit: index }).reveal()));
    assert.notEqual(venueDeposit(index), evmDepositAddresses(evm.xpub)(index));
  }
  assert.deepEqual(venue.key('hot').reveal(), evm.key('hot').reveal());
  assert.ok(!inspect([tree, evm], { depth: 9 }).includes(Buffer.from(tree.journal.reveal()).toString('hex')));
  assert.deepEqual(JSON.parse(JSON.stringify(tree)).journal, '[secret]');
});

test('the accounts of a known seed are what they always were: what was received under them is still ours', () => {
  const tree = openKeyTree(new Secret(mnemonicToSeedSync(WORDS.reveal())));
  const bitcoinHot = (network: BitcoinNetwork) =>
    bitcoinRail(network, bitcoinKeys(tree, network.coin)).addressOf('hot');
  assert.deepEqual(
    {
      evm: evmAddressOfKey(evmKeys(tree).key('hot').reveal()),
      monero: moneroKeys(tree).address,
      solana: solanaRail(solanaKeys(tree)).addressOf('hot'),
      tron: tronRail(tronKeys(tree)).addressOf('hot'),
      bitcoin: bitcoinHot(BITCOIN),
    },
    {
      evm: '0x94142B4f665316D3304C3a595ec83aC9C8046598',
      monero: '46o2c9dVPeYE1i3hufjdJ8PaSZF3RHmDbGG9wyKTvLu1axzE3w11C2t2UX6e8oGfFtUKBjnNVRCX6aaBUij8sT693Y7JM6y',
      solana: '8QACUTFJiHuQeUTHXps3hZdUXQw5Hgw3an4pzHk2SzC8',
      tron: 'TUeQNhjUcQwjB2epWHip6E6UJ7uhUJLUWV',
      bitcoin: 'bc1qkyp08ag55tl2tf52vy0xqe6tj95mm9jkctzhds',
    },
  );
  assert.match(bitcoinHot(LITECOIN) ?? '', /^ltc1q/);
});
