import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { openSigner, unixOutbound } from '../../src/signer/client.ts';
import { EMPTY_JOURNAL } from '../../src/signer/request.ts';
import type { SignerServer } from '../../src/signer/server.ts';
import { startSigner } from '../../src/signer/start-signer.ts';
import { ARBITRUM, handClock, intent, OTHER_ORDER, payout, temporaryFolder } from '../unit/signer-bench.ts';
import { listLog, seedFile, showJournal, signerConfig, socketsOf } from './signer-process.ts';

/** A signer of its own that can be ended and started again on whatever became of its journal. */
async function desk(t: TestContext) {
  const folder = temporaryFolder(t);
  await seedFile(folder);
  const config = signerConfig(folder);
  let server: SignerServer | undefined;
  const stop = async () => {
    await server?.close();
    server = undefined;
  };
  t.after(stop);
  const outbound = () => Promise.reject(new Error('this signer has nobody to call'));
  return {
    folder,
    file: config.journalFile,
    signer: openSigner(unixOutbound(socketsOf(folder).engine)),
    stop,
    async start() {
      await stop();
      server = await startSigner(config, { outbound, clock: handClock(), log: listLog() });
    },
  };
}

const FIRST = payout();
/** Another order's payment with the nonce that the first one has: both could never be paid, and one would be lost. */
const RIVAL = payout({ owner: OTHER_ORDER, atoms: atoms(1n) });
const held = (why: RegExp) => ({ name: 'Fault', kind: 'transient', at: 'signer:journal', message: why });

test('a signer signs nothing before it has seen how far the database knows its journal', async (t) => {
  const { folder, start, signer } = await desk(t);
  await start();
  await assert.rejects(signer.signTransfer(FIRST), held(/was not compared with the database yet/));
  assert.equal((await showJournal(folder)).isKnown, true);
  const signed = await signer.signTransfer(FIRST);
  await start();
  await assert.rejects(signer.signTransfer(FIRST), held(/was not compared/), 'nor gives out again what it has');
  await showJournal(folder);
  assert.deepEqual(await signer.signTransfer(FIRST), signed);
});

test('a journal without its last line is refused by the signer itself: the database shows what it has of it', async (t) => {
  const { folder, file, start, stop, signer } = await desk(t);
  await start();
  await showJournal(folder);
  const before = readFileSync(file).length;
  const { txHash } = await signer.signTransfer(FIRST);
  await assert.rejects(signer.signTransfer(RIVAL), { refused: 'nonce_taken' });
  const { head } = await showJournal(folder);
  const saved = [{ chainId: ARBITRUM, txHash }];
  await stop();
  truncateSync(file, before);

  await start();
  for (const known of [head, { ...EMPTY_JOURNAL, saved }]) {
    assert.equal((await showJournal(folder, known)).isKnown, false);
    await assert.rejects(signer.signTransfer(RIVAL), held(/it was shortened, or is another one/));
  }
  // Whoever shows less than was missing releases nothing: an empty mark is known to every journal.
  assert.equal((await showJournal(folder)).isKnown, true);
  await assert.rejects(signer.signTransfer(RIVAL), held(/it was shortened, or is another one/));
  // Where a person starts it again and nobody shows what the database has, the nonce that is spent is given to another payment.
  await start();
  await showJournal(folder);
  assert.notEqual((await signer.signTransfer(RIVAL)).txHash, txHash);
});

test('a mark that was missing holds signing until one that goes as far is found', async (t) => {
  const { folder, start, signer } = await desk(t);
  await start();
  const never = { seq: 1, hash: 'ab'.repeat(32) };
  await showJournal(folder);
  const signed = await signer.signTransfer(FIRST);
  const { head } = await showJournal(folder);
  assert.equal((await showJournal(folder, never)).isKnown, false);
  await showJournal(folder);
  await assert.rejects(signer.signTransfer(FIRST), held(/does not have line 1/));
  await showJournal(folder, head);
  assert.deepEqual(await signer.signTransfer(FIRST), signed);
});

test('a journal that was emptied, or is gone, does not start a signer; the newest copy does', async (t) => {
  const { folder, file, start, stop, signer } = await desk(t);
  await start();
  await showJournal(folder);
  const signed = await signer.signTransfer(FIRST);
  const { head } = await showJournal(folder);
  await stop();
  const copy = readFileSync(file);
  for (const harm of [() => truncateSync(file), () => rmSync(file)]) {
    harm();
    await assert.rejects(start(), { name: 'Fault', kind: 'permanent', message: /missing or empty/ });
  }
  writeFileSync(file, copy, { mode: 0o600 });
  await start();
  assert.equal((await showJournal(folder, head)).isKnown, true);
  assert.deepEqual(await signer.signTransfer(FIRST), signed);
});

/** A disk of 24 MB; undefined where this user may not have one. */
function smallDisk(t: TestContext): string | undefined {
  const place = mkdtempSync(join(tmpdir(), 'wherry-disk-'));
  const mount = (...args: readonly string[]) => execFileSync('mount', args, { stdio: 'ignore' });
  try {
    mount('-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', place);
  } catch {
    rmSync(place, { recursive: true });
    return undefined;
  }
  t.after(() => {
    execFileSync('umount', ['-l', place]);
    rmSync(place, { recursive: true });
  });
  return place;
}

test('on a full disk nothing is signed, whoever follows the journal is told, and with room it goes on by itself', async (t) => {
  const { folder, file, start, stop, signer } = await desk(t);
  const disk = smallDisk(t);
  if (disk === undefined) return t.skip('only who may mount can have a disk of 24 MB');
  const moved = join(disk, 'journal');
  writeFileSync(moved, readFileSync(file), { mode: 0o600 });
  rmSync(file);
  symlinkSync(moved, file);
  await start();
  await showJournal(folder);
  const signed = await signer.signTransfer(FIRST);
  const filler = join(disk, 'filler');
  writeFileSync(filler, Buffer.alloc(12 << 20));
  assert.match((await showJournal(folder)).unwritable ?? '', /the disk of the journal has \d+ bytes left/);
  const next = payout({ intent: intent(`${FIRST.owner}:payout:1`), nonce: 99 });
  const size = readFileSync(moved).length;
  await assert.rejects(signer.signTransfer(next), held(/bytes left/));
  assert.equal(readFileSync(moved).length, size);
  assert.deepEqual(await signer.signTransfer(FIRST), signed, 'what was signed is still given out');
  rmSync(filler);
  assert.equal((await showJournal(folder)).unwritable, undefined);
  assert.ok((await signer.signTransfer(next)).raw);
  await stop();
});
