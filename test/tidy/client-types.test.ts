import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** They live in browsers, whose words the rest of the code must not know: so they are checked by themselves. */
test('types: the scripts of the pages hold in a browser', async () => {
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
  const said = await new Promise<string>((resolve) => {
    execFile(tsc, ['--noEmit', '--pretty', 'false', '-p', 'web/client'], { cwd: ROOT }, (_, stdout) => resolve(stdout));
  });
  assert.equal(said, '');
});
