import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { intentId } from '../../src/kernel/ids.ts';
import { openSigner, unixOutbound } from '../../src/signer/client.ts';
import { payout, temporaryFolder, trade } from '../unit/signer-bench.ts';

const PROGRAM = resolve(import.meta.dirname, 'signer-process.ts');

async function startProcess(t: TestContext, folder: string, ...args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, folder, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

test('a signer killed after writing and before answering gives the bytes that it wrote', async (t) => {
  const folder = temporaryFolder(t);
  const signer = openSigner(unixOutbound(join(folder, 'socket')));
  const transient = { name: 'Fault', kind: 'transient', at: 'signer' };

  const first = await startProcess(t, folder, 'dies');
  const gone = once(first, 'exit');
  await assert.rejects(signer.signTransfer(payout()), transient);
  assert.deepEqual(await gone, [null, 'SIGKILL']);
  await assert.rejects(signer.signTransfer(payout()), transient);
  const [, ...written] = readFileSync(join(folder, 'journal'), 'utf8').trimEnd().split('\n');
  assert.equal(written.length, 1);

  await startProcess(t, folder);
  const { intent } = payout();
  assert.equal((await signer.signedTransfer(intent))?.bytes.raw, JSON.parse(written[0] ?? '').entry.answer.raw);
  assert.equal(
    await signer.signedTransfer(payout({ intent: intentId('treasury', 'rebalance', 77) }).intent),
    undefined,
  );
  const answer = await signer.signTransfer(payout());
  assert.equal(answer.raw, JSON.parse(written[0] ?? '').entry.answer.raw);
  await assert.rejects(signer.signTransfer(payout({ nonce: 8 })), { refused: 'nonce_changed', kind: 'permanent' });
  assert.equal((await signer.signTrade(trade())).nonce, trade().ticket.nonce);
});
