import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { addressOfScript, parseBitcoinAddress, scriptOfAddress } from '../../src/world/chains/bitcoin/address-codec.ts';
import { BITCOIN, LITECOIN, LITECOIN_REGTEST } from '../../src/world/chains/bitcoin/networks.ts';
import { BITCOIN_DEFAULTS, bitcoinRules } from '../../src/world/chains/bitcoin/rules.ts';
import { parseBlock, parseTransaction } from '../../src/world/chains/bitcoin/tx-codec.ts';

/** One of each kind. */
const OF_LITECOIN = {
  key: 'LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH9',
  script: 'MQMcJhpWHYVeQArcZR3sBgyPZxxRtnH441',
  segwit: 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9',
};

test('Litecoin has its own addresses, and none that could be of Bitcoin', () => {
  for (const address of Object.values(OF_LITECOIN)) {
    assert.equal(parseBitcoinAddress(LITECOIN, address), address);
    assert.equal(parseBitcoinAddress(BITCOIN, address), undefined);
    assert.equal(parseBitcoinAddress(LITECOIN_REGTEST, address), undefined);
  }
  assert.equal(parseBitcoinAddress(LITECOIN, OF_LITECOIN.segwit.toUpperCase()), OF_LITECOIN.segwit);
  // The old spelling of a script's address is the one that the same script has on Bitcoin.
  const script = scriptOfAddress(LITECOIN, OF_LITECOIN.script as Address);
  const old = present(addressOfScript(BITCOIN, script), 'an address');
  assert.match(old, /^3/);
  assert.equal(parseBitcoinAddress(LITECOIN, old), undefined);
  // Extension blocks have addresses that we cannot pay.
  assert.equal(parseBitcoinAddress(LITECOIN, `ltcmweb1${'q'.repeat(110)}`), undefined);
  const { facts, depositUri, parseToken } = bitcoinRules({ ...BITCOIN_DEFAULTS, network: LITECOIN });
  assert.equal(facts.addressExample, OF_LITECOIN.segwit);
  assert.equal(
    depositUri(OF_LITECOIN.key as Address, LITECOIN.coin.asset, atoms(150_000n)),
    `litecoin:${OF_LITECOIN.key}?amount=0.0015`,
  );
  assert.deepEqual(['LTC', 'native', 'BTC'].map(parseToken), ['LTC', 'LTC', undefined]);
});

test('the transaction that ties a block to its extension block is read like any other', () => {
  // Litecoin's main network, block 3115498: what left the extension is its second output, a plain payment.
  const tied =
    '02000000000801af76b95c6766ffd4db42bcb022e682a2ac3d422e6ca78ec98da312bc490bffd70000000000ffffffff024080c63afd200000225820' +
    '69fe96e528a9fed69c1e620d4305fc8a0f12f6aa355cfbb0dd160261eb94df1b035fc33900000000160014d40f690970c91a645ff3af4d8676ea1ef1b15d94' +
    '0000000000';
  const { txid, outputs } = parseTransaction(tied);
  assert.equal(txid, 'e64e56959c87e8689dca558bc1bf0d5b4757b7dc0ee29c64814240b406cade34');
  assert.deepEqual(outputs.at(-1), { atoms: 969_105_155n, script: '0014d40f690970c91a645ff3af4d8676ea1ef1b15d94' });
  const block = parseBlock(`${'00'.repeat(80)}01${tied}01${'ab'.repeat(40)}`);
  assert.deepEqual(
    block.transactions.map((tx) => tx.txid),
    [txid],
  );
  // In the pool, money that enters the extension carries its other half before the lock time.
  const entering = parseTransaction(`${tied.slice(0, -10)}01${'cd'.repeat(70)}00000000`);
  assert.equal(entering.txid, txid);
  assert.throws(() => parseBlock(`${'00'.repeat(80)}01${tied.slice(0, -10)}01${'cd'.repeat(70)}00000000`));
});
