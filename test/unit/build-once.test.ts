import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { stop } from 'esbuild';
import { buildOnce } from '../../scripts/build-once.ts';

let dir: string;
before(() => {
  dir = mkdtempSync(join(tmpdir(), 'wherry-build-'));
  write('said.ts', `export const said = 'first';`);
  write('main.ts', `import { said } from './said.ts'; console.log(said);`);
});
after(async () => {
  await stop();
  rmSync(dir, { recursive: true, force: true });
});

let times = 0;
/** Long ago, each time a little later: what is edited while a build runs is another story. */
function write(name: string, text: string): void {
  times += 1;
  writeFileSync(join(dir, name), text);
  utimesSync(join(dir, name), 1_000_000 + times, 1_000_000 + times);
}

const OUT = 'out.js';
/** Whether anything was built. */
async function isBuilt(options: { readonly minify?: boolean } = {}): Promise<boolean> {
  let isPacked = false;
  const how = { entryPoints: [join(dir, 'main.ts')], outfile: join(dir, OUT), bundle: true, ...options };
  await buildOnce(join(dir, 'made-of.json'), how, (made) => {
    isPacked = true;
    return made;
  });
  return isPacked;
}

test('what was built of the same files in the same way is not built again', async () => {
  assert.deepEqual([await isBuilt(), await isBuilt()], [true, false]);
  assert.match(readFileSync(join(dir, OUT), 'utf8'), /first/);
});

test('another text in any file that it is made of makes another build', async () => {
  write('said.ts', `export const said = 'other';`);
  assert.deepEqual([await isBuilt(), await isBuilt()], [true, false]);
  assert.match(readFileSync(join(dir, OUT), 'utf8'), /other/);
});

test('so does another way of building, and a built file that is gone or was touched', async () => {
  assert.deepEqual([await isBuilt({ minify: true }), await isBuilt({ minify: true })], [true, false]);
  rmSync(join(dir, OUT));
  assert.equal(await isBuilt({ minify: true }), true);
  write(OUT, 'somebody wrote here');
  assert.equal(await isBuilt({ minify: true }), true);
});

test('parts that are named by their content are there before what names them, and gone when nothing does', async () => {
  const parts = () => readdirSync(join(dir, 'parts')).filter((name) => /^said-.*js$/.test(name));
  const build = () =>
    buildOnce(join(dir, 'parts-of.json'), {
      ...{ entryPoints: [join(dir, 'later.ts')], outdir: join(dir, 'parts'), bundle: true },
      ...{ splitting: true, format: 'esm' },
    });
  write('later.ts', `const { said } = await import('./said.ts'); console.log(said);`);
  await build();
  const first = parts();
  write('said.ts', `export const said = 'later';`);
  await build();
  const second = parts();
  assert.deepEqual([first.length, second.length], [1, 1]);
  assert.notDeepEqual(first, second);
  const { mtimeMs: part } = statSync(join(dir, 'parts', second[0] ?? ''));
  assert.ok(part <= statSync(join(dir, 'parts/later.js')).mtimeMs);
});

test('a file that is edited while it is built is looked at once more', async () => {
  const soon = new Date(Date.now() + 60_000);
  utimesSync(join(dir, 'said.ts'), soon, soon);
  assert.deepEqual([await isBuilt(), await isBuilt()], [true, true]);
});
