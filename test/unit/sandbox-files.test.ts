import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeFolders, places, wipe, writeJson } from '../../sandbox/files.ts';

/** Whoever removes is killed after so many removals. */
function killAfter(t: TestContext, removals: number): () => void {
  const remove = fs.rmSync;
  let done = 0;
  const { mock } = t.mock.method(fs, 'rmSync', (...of: Parameters<typeof remove>) => {
    if (done === removals) throw new Error('killed');
    done += 1;
    remove(...of);
  });
  syncBuiltinESMExports();
  return () => {
    mock.restore();
    syncBuiltinESMExports();
  };
}

test('a reset that is killed half way leaves nothing that looks whole', (t) => {
  const root = fs.mkdtempSync(join(tmpdir(), 'wherry-wiped-'));
  t.after(() => fs.rmSync(root, { recursive: true, force: true }));
  for (let removals = 0; removals < 30; removals += 1) {
    const at = places(join(root, `${removals}`));
    makeFolders(at);
    const files = [at.info, at.config, at.secrets, at.demo, at.saved, join(at.chains, 'chain'), at.signer.journal];
    for (const file of files) writeJson(file, {});
    const restore = killAfter(t, removals);
    const isDone = wiped(() => wipe(at));
    restore();
    const left = files.filter((file) => fs.existsSync(file));
    assert.ok(left.length === files.length || !left.includes(at.saved), `${removals}: ${left}`);
    if (isDone) return assert.deepEqual(left, []);
  }
  assert.fail('it never ended');
});

function wiped(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    assert.equal((error as Error).message, 'killed');
    return false;
  }
}
