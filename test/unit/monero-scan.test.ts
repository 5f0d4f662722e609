import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { txHash } from '../../src/kernel/ids.ts';
import { moneroKeysFromSeed } from '../../src/world/chains/monero/codec.ts';
import type { Daemon, FoundTx } from '../../src/world/chains/monero/daemon.ts';
import { XMR_ASSET } from '../../src/world/chains/monero/rules.ts';
import { scanPage } from '../../src/world/chains/monero/scan.ts';

const { address } = moneroKeysFromSeed(new Uint8Array(32).fill(3));
const TIP = 20;
const FROM = 10;
const blockAt = (height: number) => ({ height, hash: `block ${height}` });
/** Where a transaction is mined, and what it pays under the one-time key that all of these share. */
interface Paid {
  readonly hash: string;
  readonly height: number | undefined;
  readonly value: bigint;
}

/** One page over ten blocks, of which the wallet saw all of these and the daemon shows some. */
function page(seen: readonly Paid[], shown: readonly Paid[] = seen) {
  const daemon = {
    at: 'chain:0',
    tip: async () => blockAt(TIP),
    hashAt: async (height: number) => blockAt(height).hash,
    blocks: async (first: number, last: number) =>
      Array.from({ length: last - first + 1 }, (_, at) => blockAt(first + at)),
    transactions: async () =>
      shown.map(({ hash, height }) => ({ hash, height, tx: { unlockTime: 0n }, doubleSpendSeen: false })),
  } as unknown as Daemon;
  const rows = (isMined: boolean) =>
    seen.filter(({ height }) => (height !== undefined) === isMined).map(({ hash }) => ({ txid: hash, address }));
  const wallet = async (method: string) =>
    method === 'get_height' ? { height: TIP + 1 } : { in: rows(true), pool: rows(false) };
  const open = ({ hash }: FoundTx) =>
    shown
      .filter((one) => one.hash === hash)
      .map(({ value }) => ({
        ...{ key: 'one-time key', address, asset: XMR_ASSET.id, atoms: atoms(value) },
        ...{ txHash: txHash(hash), sender: undefined },
      }));
  const heads = () => ({ tip: TIP, safe: TIP, finalized: TIP });
  const cursor = { height: FROM, recent: [blockAt(FROM)] };
  return scanPage({ daemon, wallet, open, heads }, cursor, async (all) => new Set(all));
}

const isTransient = (error: unknown) => error instanceof Fault && error.kind === 'transient';

test('a transaction that the wallet saw in a block and the daemon does not show stops the page, which is read again', async () => {
  const [first, second] = [
    { hash: 'first', height: 11, value: 5n },
    { hash: 'second', height: 12, value: 7n },
  ];
  await assert.rejects(page([first, second], [second]), isTransient);
  await assert.rejects(page([first], [{ ...first, height: undefined }]), isTransient, 'nor one that is in the pool');
  assert.equal((await page([first])).sightings.length, 1);
});

test('one that is in the pool no more is no reason to stop', async () => {
  const waiting = { hash: 'waiting', height: undefined, value: 5n };
  assert.deepEqual((await page([waiting], [])).sightings, []);
});

test('of several outputs under one key the first that was mined is the deposit, whatever the order of the answers', async () => {
  const all = [
    { hash: 'in the pool', height: undefined, value: 9n },
    { hash: 'later', height: 15, value: 1n },
    { hash: 'first', height: 12, value: 5n },
  ];
  for (const seen of [all, all.toReversed()]) {
    const { sightings } = await page(seen);
    assert.deepEqual(
      sightings.map((one) => [one.txHash, one.atoms, one.block?.height]),
      [['first', 5n, 12]],
    );
  }
});
