import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ed25519 } from '@noble/curves/ed25519.js';
import { present } from '../../src/kernel/assert.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { moneroKeysFromSeed, publicKey, subaddress } from '../../src/world/chains/monero/codec.ts';
import { openingOnce } from '../../src/world/chains/monero/open-outputs.ts';
import { parseTransactionHex } from '../../src/world/chains/monero/tx-codec.ts';
import { type Written, written } from './monero-outputs.ts';

const OURS = moneroKeysFromSeed(new Uint8Array(32).fill(7));
const THEIRS = moneroKeysFromSeed(new Uint8Array(32).fill(8));
const deposit = (index: number): Address => subaddress(OURS, 0, index + 1);
const stranger = (index: number): Address => subaddress(THEIRS, 0, index);

/** To whom of ours, and how much. */
const paid = async (tx: Written) =>
  (await openingOnce(OURS).of(written(tx))).paid.map(({ address, atoms }) => [address, atoms]);

test('an output shows to which of our addresses it pays, however many there are, and whatever form it has', async () => {
  for (const isTagged of [true, false]) {
    for (const address of [OURS.address, deposit(0), deposit(70_000)])
      assert.deepEqual(await paid({ to: [address], atoms: 5n, isTagged }), [[address, 5n]]);
    assert.deepEqual(await paid({ to: [stranger(0)], atoms: 5n, isTagged }), []);
  }
});

test('of a transaction to several each output has its own key, and ours are found among them', async () => {
  const to = [stranger(1), deposit(3), stranger(0), OURS.address, deposit(3)];
  for (const isTagged of [true, false])
    assert.deepEqual(await paid({ to, atoms: 9n, isAdditional: true, isTagged }), [
      [deposit(3), 9n],
      [OURS.address, 9n],
      [deposit(3), 9n],
    ]);
});

test('two outputs of one transaction to one address are two deposits', async () => {
  const { paid: outputs } = await openingOnce(OURS).of(written({ to: [deposit(1), deposit(1)], atoms: 4n }));
  assert.deepEqual([outputs.length, new Set(outputs.map(({ key }) => key)).size], [2, 2]);
});

test('a miner’s pay comes in clear, to the hot address as to a deposit address', async () => {
  for (const address of [OURS.address, deposit(2)])
    assert.deepEqual(await paid({ to: [address], atoms: 600_000_000_000n, isCoinbase: true }), [
      [address, 600_000_000_000n],
    ]);
});

test('whoever writes another spend key than that of an address pays another address, or nobody', async () => {
  const other = publicKey(123_456n);
  const [[address] = []] = await paid({ to: [deposit(0)], atoms: 5n, spend: other });
  assert.ok(address && address !== deposit(0));
  assert.deepEqual(await paid({ to: [deposit(0)], atoms: 5n, spend: ed25519.Point.ZERO.toBytes() }), []);
});

test('an output of nothing is no payment: the protocol allows it, and wallets pass it over', async () => {
  for (const isCoinbase of [true, false]) assert.deepEqual(await paid({ to: [deposit(0)], atoms: 0n, isCoinbase }), []);
  const found = written({ to: [deposit(0)], atoms: 0n });
  const [unreadKeys, publicKeys] = [found.tx.publicKeys, []];
  const open = openingOnce(OURS);
  assert.deepEqual((await open.of({ ...found, tx: { ...found.tx, publicKeys, unreadKeys } })).unread, []);
  assert.ok(open.paysNobody(found.hash));
});

test('an amount that its commitment does not hold is none', async () => {
  const found = written({ to: [deposit(0)], atoms: 5n });
  const [output] = found.tx.outputs;
  const lie = { ...present(output, 'an output'), commitment: publicKey(5n) };
  assert.deepEqual((await openingOnce(OURS).of({ ...found, tx: { ...found.tx, outputs: [lie] } })).paid, []);
});

test('a transaction is opened once, however often it is seen, and those that pay nobody are known by their hash', async () => {
  const open = openingOnce(OURS);
  const [ours, others] = [written({ to: [deposit(0)], atoms: 5n }), written({ to: [stranger(0)], atoms: 5n })];
  assert.ok(!open.paysNobody(others.hash), 'before anybody has looked');
  const first = await open.of(ours);
  const unopened = new Proxy(ours.tx, { get: () => assert.fail('it is opened again') });
  assert.deepEqual(await open.of({ ...ours, height: undefined, tx: unopened }), first);
  assert.deepEqual((await open.of(others)).paid, []);
  assert.deepEqual([open.paysNobody(ours.hash), open.paysNobody(others.hash)], [false, true]);
  await assert.rejects(open.of({ ...ours, hash: 'another', tx: unopened }), /opened again/);
});

test('what is listed is not forgotten, however much it is, and what is not gives way', async () => {
  const open = openingOnce(OURS);
  const one = written({ to: [stranger(0)], atoms: 5n });
  const emptyTx = { ...one.tx, outputs: [] };
  const names = (name: string) => Array.from({ length: 30_000 }, (_, at) => `${name} ${at}`);
  const look = async (hashes: readonly string[]) => {
    for (const hash of hashes) await open.of({ ...one, tx: emptyTx, hash });
  };
  const [waiting, mined] = [names('waiting'), names('mined')];
  open.keep(new Set(waiting));
  await look(waiting);
  await look(mined);
  assert.equal(waiting.filter(open.isOpened).length, 30_000);
  assert.ok(mined.filter(open.isOpened).length <= 20_000);
  open.keep(new Set());
  await look(names('later'));
  assert.deepEqual(waiting.filter(open.isOpened), []);
});

test('others have their turn while one that a stranger made as long as he can is opened', async () => {
  const { tx, ...about } = written({ to: Array.from({ length: 16 }, () => stranger(0)), atoms: 5n, isTagged: false });
  const publicKeys = Array.from({ length: 32 }, (_, at) => publicKey(BigInt(at) + 2n));
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await openingOnce(OURS).of({ ...about, tx: { ...tx, publicKeys, outputs: tx.outputs.slice(0, 2) } });
  isOver = true;
  assert.ok(turns >= 15, `${turns} turns in 64 tries`);
});

/** A miner’s pay in version 1, as before 2017; whose does not matter. */
const VERSION_1 = [
  '013d01ff0101e8a6a0d6ee3202bf5a3ff0d4cb1df3ac8d3bfa39d1d2a6e5b2cbd3b0ff5a0a3cbd4c1c8f6a2b7a2101',
  `${'7b'.repeat(32)}`,
].join('');

test('what is of before 2019 is passed over, and what is newer than this code stops the reading', async () => {
  const old = parseTransactionHex(VERSION_1);
  assert.deepEqual([old.isOutdated, old.coinbase, old.outputs], [true, true, []]);
  const found = { hash: 'old', tx: old, height: 1, doubleSpendSeen: false };
  assert.deepEqual((await openingOnce(OURS).of(found)).paid, []);
  const open = openingOnce(OURS);
  await open.of(found);
  assert.ok(!open.paysNobody('old'), 'nothing ties those bytes to their hash, so it is asked for again');
  const real = { ...written({ to: [deposit(0)], atoms: 5n }), hash: 'old' };
  assert.deepEqual(
    (await open.of(real)).paid.map(({ address }) => address),
    [deposit(0)],
    'and one lie hides no deposit',
  );
  assert.throws(() => parseTransactionHex(VERSION_1.replace('01', '03')), /version 3/);
});
