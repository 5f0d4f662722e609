import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { txHash } from '../../src/kernel/ids.ts';
import { SCAN_POOL_PER_PAGE, SCAN_TRANSACTIONS_PER_PAGE, SCAN_TRIES_PER_PAGE } from '../../src/kernel/limits.ts';
import type { ScanCursor } from '../../src/world/chains/chain.ts';
import { moneroKeysFromSeed } from '../../src/world/chains/monero/codec.ts';
import type { Daemon, FoundTx } from '../../src/world/chains/monero/daemon.ts';
import { XMR_ASSET } from '../../src/world/chains/monero/rules.ts';
import { scanPage } from '../../src/world/chains/monero/scan.ts';

const { address } = moneroKeysFromSeed(new Uint8Array(32).fill(3));
const TIP = 20;
const FROM = 10;

/** Where a transaction is, and what it pays us under the one-time key that all of these share; of nothing it pays nobody. */
interface Paid {
  readonly hash: string;
  readonly height: number | undefined;
  readonly value: bigint;
  /** By a key that the signer's wallet does not read. */
  readonly isUnread?: boolean;
  /** In a form of before 2019, which nobody remembers. */
  readonly isOutdated?: boolean;
  /** How many keys its sender has us try. */
  readonly tries?: number;
}

interface Story {
  /** What blocks and pool list. */
  readonly listed: readonly Paid[];
  /** What the daemon shows when it is asked for those. */
  readonly shown?: readonly Paid[];
  /** More transactions in every block, which pay nobody. */
  readonly crowd?: number;
  /** The parent that this block names is another one. */
  readonly brokenAt?: number;
}

/** A daemon of ten blocks above the cursor, and pages of a scan that goes on with it. */
function scanning({ listed, shown = listed, crowd = 0, brokenAt }: Story) {
  const asked: string[] = [];
  const opened = new Set<string>();
  const crowdAt = (height: number) => Array.from({ length: crowd }, (_, at) => `nobody’s ${at} in ${height}`);
  const hashesAt = (height: number) => [
    ...listed.filter((one) => one.height === height).map(({ hash }) => hash),
    ...crowdAt(height),
  ];
  const find = (hash: string): Paid | undefined => {
    const height = Number(/(?<=in )\d+$|(?<=^coinbase )\d+$/.exec(hash)?.[0]);
    return height ? { hash, height, value: 0n } : shown.find((one) => one.hash === hash);
  };
  const blockAt = (height: number) => ({ height, hash: `block ${height}` });
  const header = (height: number) => ({
    ...blockAt(height),
    parentHash: height === brokenAt ? 'another block' : `block ${height - 1}`,
    coinbase: `coinbase ${height}`,
    payments: hashesAt(height).length,
  });
  const daemon = {
    at: 'chain:0',
    tip: async () => blockAt(TIP),
    hashAt: async (height: number) => blockAt(height).hash,
    blocks: async (first: number, last: number) =>
      Array.from({ length: last - first + 1 }, (_, at) => header(first + at)),
    paymentsIn: async ({ height }: { height: number }) => hashesAt(height),
    pool: async () => listed.filter(({ height }) => height === undefined).map(({ hash }) => hash),
    async transactions(hashes: readonly string[]) {
      asked.push(...hashes);
      const txOf = ({ isOutdated = false, tries = 1 }: Paid) => {
        const keys = { publicKeys: Array(tries), additionalKeys: [], unreadKeys: [] };
        return { unlockTime: 0n, isOutdated, outputs: [{}], ...keys };
      };
      return hashes.flatMap(find).flatMap((one) => (one ? { ...one, tx: txOf(one), doubleSpendSeen: false } : []));
    },
  } as unknown as Daemon;
  const open = {
    async of({ hash, tx }: FoundTx) {
      if (!tx.isOutdated) opened.add(hash);
      const { value = 0n, isUnread = false } = find(hash) ?? {};
      if (value === 0n) return { paid: [], unread: [] };
      const about = { key: 'one-time key', address, asset: XMR_ASSET.id, atoms: atoms(value) };
      const outputs = [{ ...about, txHash: txHash(hash), sender: undefined }];
      return isUnread ? { paid: [], unread: outputs } : { paid: outputs, unread: [] };
    },
    isOpened: (hash: string) => opened.has(hash),
    keep: () => undefined,
    paysNobody: (hash: string) => opened.has(hash) && (find(hash)?.value ?? 0n) === 0n,
  };
  const heads = () => ({ tip: TIP, safe: TIP, finalized: TIP });
  const cursor = { height: FROM, recent: [blockAt(FROM)] };
  return {
    asked,
    opened,
    page: (at: ScanCursor = cursor) => scanPage({ daemon, open, heads }, at, async (all) => new Set(all)),
  };
}

const isTransient = (error: unknown) => error instanceof Fault && error.kind === 'transient';

test('a transaction that a block lists and the daemon does not show there stops the page, which is read again', async () => {
  const [first, second] = [
    { hash: 'first', height: 11, value: 5n },
    { hash: 'second', height: 12, value: 7n },
  ];
  const listed = [first, second];
  await assert.rejects(scanning({ listed, shown: [second] }).page(), isTransient);
  for (const height of [undefined, 12])
    await assert.rejects(scanning({ listed, shown: [{ ...first, height }, second] }).page(), isTransient, `${height}`);
  assert.equal((await scanning({ listed: [first] }).page()).sightings.length, 1);
});

test('blocks that do not follow each other are of two chains, and no page', async () => {
  const listed = [{ hash: 'first', height: 11, value: 5n }];
  for (const brokenAt of [FROM + 1, 15, TIP])
    await assert.rejects(scanning({ listed, brokenAt }).page(), isTransient, `${brokenAt}`);
});

test('one that is in the pool no more is no reason to stop', async () => {
  const waiting = { hash: 'waiting', height: undefined, value: 5n };
  assert.deepEqual((await scanning({ listed: [waiting], shown: [] }).page()).sightings, []);
});

test('one that is mined while the page is read waits as before, until a page has its block', async () => {
  const waiting = { hash: 'waiting', height: undefined, value: 5n };
  const after = async (height: number) => {
    const { sightings, pool } = await scanning({ listed: [waiting], shown: [{ ...waiting, height }] }).page();
    return [sightings.map(({ block }) => block), pool];
  };
  assert.deepEqual(await after(TIP + 1), [[undefined], ['one-time key']]);
  assert.deepEqual(await after(TIP), [[], []], 'in a block that was read and does not list it: the chain moves');
});

test('of several outputs under one key the first that was mined is the deposit, whatever the order of the answers', async () => {
  const all = [
    { hash: 'in the pool', height: undefined, value: 9n },
    { hash: 'later', height: 15, value: 1n },
    { hash: 'first', height: 12, value: 5n },
  ];
  for (const listed of [all, all.toReversed()]) {
    const { sightings } = await scanning({ listed, shown: listed.toReversed() }).page();
    assert.deepEqual(
      sightings.map((one) => [one.txHash, one.atoms, one.block?.height]),
      [['first', 5n, 12]],
    );
  }
});

test('what the signer’s wallet does not see is no deposit: a person is told once it is mined, if it is worth that', async () => {
  const value = 10n ** 12n;
  const unread = { hash: 'by hand', height: 12, value, isUnread: true };
  const told = async (...listed: Paid[]) => {
    const { sightings, pool, outOfReach = [] } = await scanning({ listed }).page();
    return [sightings.map((one) => one.txHash), pool, outOfReach.map((one) => [one.txHash, one.atoms])];
  };
  assert.deepEqual(await told(unread), [[], [], [['by hand', value]]]);
  assert.deepEqual(await told({ ...unread, height: undefined }), [[], [], []]);
  assert.deepEqual(await told({ ...unread, value: 1_000n }), [[], [], []], 'nobody is called for dust');
  const usual = { hash: 'usual', height: 13, value };
  assert.deepEqual(await told(unread, usual), [['usual'], [], [['by hand', value]]], 'the same key hides no deposit');
});

test('what pays nobody is asked for once, and what pays us at every look', async () => {
  const ours = { hash: 'ours', height: undefined, value: 5n };
  const strangers = { hash: 'a stranger’s', height: undefined, value: 0n };
  const { asked, page } = scanning({ listed: [ours, strangers] });
  const { cursor } = await page();
  assert.equal(asked.length, 12);
  await page(cursor);
  assert.deepEqual(asked.slice(12), ['ours']);
});

test('a flooded pool is looked at in pieces: what pays us stays in sight, and nothing vanishes before all of it was looked at', async () => {
  const ours = { hash: 'ours', height: undefined, value: 5n };
  const strangers = (name: string, count: number, isOutdated = false) =>
    Array.from({ length: count }, (_, at) => ({ hash: `${name} ${at}`, height: undefined, value: 0n, isOutdated }));
  const listed: Paid[] = [ours];
  const { asked, opened, page } = scanning({ listed });
  let { cursor } = await page();
  listed.unshift(...strangers('old', SCAN_POOL_PER_PAGE, true), ...strangers('flood', 2 * SCAN_POOL_PER_PAGE + 1));
  const looks: unknown[] = [];
  for (let n = 0; n < 4; n += 1) {
    const [before, known] = [asked.length, opened.size];
    const { pool, sightings, cursor: next } = await page(cursor);
    looks.push([sightings.map((one) => one.txHash), pool, opened.size - known]);
    assert.ok(asked.length - before <= 2 * SCAN_POOL_PER_PAGE + 101, 'what nobody remembers is asked for again');
    cursor = next;
  }
  assert.deepEqual(looks, [
    [['ours'], undefined, SCAN_POOL_PER_PAGE],
    [['ours'], undefined, SCAN_POOL_PER_PAGE],
    [['ours'], ['one-time key'], 1],
    [['ours'], ['one-time key'], 0],
  ]);
});

test('a page ends with the block that takes much work, and goes on in the pool another time', async () => {
  const tries = SCAN_TRIES_PER_PAGE;
  const dear = (hash: string, height?: number) => ({ hash, height, value: 0n, tries });
  const listed = [dear('first', 13), dear('second', 13), dear('third', 16), dear('waits'), dear('waits too')];
  const { page, opened } = scanning({ listed });
  const ends: unknown[] = [];
  let at: ScanCursor | undefined;
  for (let n = 0; n < 5; n += 1) {
    const { cursor, more, pool } = await page(at);
    ends.push([cursor.height, more, pool, opened.has('waits'), opened.has('waits too')]);
    at = cursor;
  }
  assert.deepEqual(ends, [
    [13, true, undefined, false, false],
    [16, true, undefined, false, false],
    [TIP, false, undefined, true, false],
    [TIP, false, [], true, true],
    [TIP, false, [], true, true],
  ]);
});

test('full blocks make short pages: a block is read whole, and the next page goes on behind it', async () => {
  const crowd = SCAN_TRANSACTIONS_PER_PAGE / 2;
  const last = { hash: 'last', height: TIP, value: 5n };
  const waiting = { hash: 'waiting', height: undefined, value: 5n };
  const { asked, page } = scanning({ listed: [last, waiting], crowd });
  const { cursor, more, sightings, pool } = await page();
  assert.deepEqual([cursor.height, more, sightings, pool], [FROM + 2, true, [], undefined]);
  assert.ok(!asked.includes('waiting'), 'the pool has time');
  let at = cursor;
  for (let height = FROM + 4; height <= TIP; height += 2) {
    const next = await page(at);
    assert.equal(next.cursor.height, height);
    at = next.cursor;
    if (height === TIP) assert.equal(next.sightings[0]?.txHash, 'last');
  }
});
