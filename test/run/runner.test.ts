import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Batch, runBatch } from './batch.ts';
import { FairWatch } from './machine.ts';
import { LONGEST, ONE_SANDBOX, plan } from './plan.ts';
import { Tally } from './tally.ts';

const dir = mkdtempSync(join(tmpdir(), 'planted-'));
writeFileSync(join(dir, 'package.json'), '{ "type": "module" }');
after(() => rmSync(dir, { recursive: true, force: true }));

const besides = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
const HEAD = `import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, before, test } from 'node:test';
import { FairWatch } from ${besides('./machine.ts')};
import { patiently } from ${besides('./patience.ts')};
const forever = () => new Promise(() => setInterval(() => undefined, 1_000));
/** In a group of its own, so that only its mark leads to it. */
function leave(name) {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1_000)'], { detached: true, stdio: 'ignore' });
  writeFileSync(${JSON.stringify(dir)} + '/' + name + '.pid', String(child.pid));
  child.unref();
}
`;

function planted(files: Readonly<Record<string, string>>): string[] {
  return Object.entries(files).map(([name, text]) => {
    const path = join(dir, `${name}.test.ts`);
    writeFileSync(path, HEAD + text);
    return path;
  });
}

/** So much silence is a hang here: a process of its own starts and reads its file several times within it. */
const SILENCE_S = 2;
const BOUNDS = { silenceMs: SILENCE_S * 1_000, leaveMs: 1_000 };

/** What the runner prints about these files, with their names alone. */
async function told(
  batch: Omit<Batch, 'files'> & { readonly files: Readonly<Record<string, string>> },
  { bounds = BOUNDS, signal = new AbortController().signal } = {},
): Promise<string> {
  const lines: string[] = [];
  const tally = new Tally((line) => lines.push(line));
  await runBatch({ ...batch, files: planted(batch.files) }, { root: dir, bounds, tally, signal });
  tally.print();
  return lines.join('\n').replaceAll(`${dir}/`, '').replaceAll('.test.ts', '');
}

const pidOf = (name: string) => Number(readFileSync(join(dir, `${name}.pid`), 'utf8'));

/** One that has ended and that nobody has asked for yet is no process any more. */
function assertGone(name: string): void {
  const listed = execFileSync('ps', ['-eo', 'pid=,stat='], { encoding: 'utf8' });
  assert.doesNotMatch(listed, new RegExp(`^ *${pidOf(name)} +[^Z ]`, 'm'), `${name} lives`);
}

/** The process of a test that is read from TypeScript has a translator, which goes with it. */
const WITH = '(?: \\(it was ended with the \\d+ processes that it had started\\))?';
const says = (text: string) => new RegExp(`^${text}${WITH}$`, 'm');
const SILENT = `nothing happened for ${SILENCE_S} s`;

const GOOD = `test('is good', () => undefined);`;

test('a file that hangs costs itself only, is named with what it kept from running, and takes along what it started', async () => {
  const text = await told({
    files: {
      first: GOOD,
      hanging: `
        test('passes before', () => undefined);
        test('never ends', async () => { leave('of-hanging'); await forever(); });
        test('comes too late', () => undefined);`,
      behind: GOOD,
    },
  });
  assert.match(text, /^first: 1 passed \(/m);
  assert.match(text, /^hanging: 1 passed, 2 FAILED \(cut short\)$/m);
  assert.match(text, /^behind: 1 passed \(/m);
  assert.match(
    text,
    new RegExp(`^FAILED hanging: never ends\\n {4}${SILENT} \\(it was ended with the [12] processes`, 'm'),
  );
  assert.match(text, says(`FAILED hanging: comes too late\n    was not run: ${SILENT}`));
  assert.match(text, /\n3 passed, 2 failed$/);
  assertGone('of-hanging');
});

test('many tests that begin together are no leak of the runner', async () => {
  const together = `
    const warnings = [];
    process.on('warning', ({ name }) => warnings.push(name));
    test('all of them', { concurrency: 24 }, async (t) => {
      await Promise.all(Array.from({ length: 24 }, (_, at) => t.test(String(at), () => undefined)));
    });
    test('nobody was warned', () => assert.deepEqual(warnings, []));`;
  assert.match(await told({ files: { together } }), /\n26 passed, 0 failed$/);
});

test('a file that never yields is ended like one that waits', async () => {
  const files = { busy: `test('is busy', () => { for (;;); });`, behind: GOOD };
  const text = await told({ files });
  assert.match(text, says(`FAILED busy: is busy\n    ${SILENT}`));
  assert.match(text, /\n1 passed, 1 failed$/);
});

test('a file that ends its process, while it is loaded or later, costs itself only', async () => {
  const text = await told({
    files: {
      loading: `process.exit(0);`,
      running: `
        test('was over', () => undefined);
        test('kills', () => process.kill(process.pid, 'SIGKILL'));
        test('does not come', () => undefined);`,
      behind: GOOD,
    },
  });
  assert.match(text, says('FAILED loading\n    none of its tests was run: the test process ended with 0'));
  assert.match(text, says('FAILED running: kills\n    the test process ended with SIGKILL'));
  assert.match(text, says('FAILED running: does not come\n    was not run: the test process ended with SIGKILL'));
  assert.match(text, /\n2 passed, 3 failed$/);
});

test('a file that hangs before its first test is named, and so is one that hangs while it is loaded', async () => {
  const files = { preparing: `before(forever); ${GOOD}`, loading: `await forever(); ${GOOD}`, behind: GOOD };
  const text = await told({ files });
  for (const name of ['preparing', 'loading'])
    assert.match(text, says(`FAILED ${name}\n    none of its tests was run: ${SILENT}`));
  assert.match(text, /\n1 passed, 2 failed$/);
});

test('what ran side by side and was over when another hung is counted, not lost', async () => {
  const files = {
    many: `
      test('together', { concurrency: 3 }, (t) => Promise.all([
        t.test('hangs', forever),
        t.test('is done', () => undefined),
        t.test('fails', () => assert.fail('as it should')),
      ]));`,
  };
  const text = await told({ files });
  assert.match(text, says(`FAILED many: hangs\n    ${SILENT}`));
  assert.match(text, /^FAILED many: fails\n.*as it should/m);
  assert.match(text, /^FAILED many: together\n {4}was not finished: /m);
  assert.match(text, /\n1 passed, 3 failed$/);
});

test('a process that a file leaves behind is a failure of that file, and is ended', async () => {
  const text = await told({ files: { clean: GOOD, leaking: `test('leaks', () => leave('of-leaking'));`, last: GOOD } });
  assert.match(
    text,
    new RegExp(`^FAILED leaking\\n {4}left a process behind, which was ended: ${pidOf('of-leaking')} `, 'm'),
  );
  assert.match(text, /\n3 passed, 1 failed$/);
  assertGone('of-leaking');
});

test('an error after the end of its test is told, and what a file left open holds nobody up', async () => {
  const late = `test('is too quick', () => { setTimeout(() => { throw new Error('late'); }, 20); });`;
  const open = `test('takes time', () => new Promise((done) => setTimeout(done, 100))); setInterval(() => undefined, 1_000);`;
  const text = await told({ files: { late, open } });
  assert.match(text, /^FAILED a test that had ended\n(?:.*\n)*.*late/m);
  assert.match(text, /\n2 passed, 1 failed$/);
});

test('who says what he waits for is waited for, though not forever', async () => {
  // By the same watch, so that it is longer than the silence on any machine.
  const long = `const watch = new FairWatch(); while (watch.read() < ${1.5 * BOUNDS.silenceMs}) await new Promise((done) => setTimeout(done, 50));`;
  const patient = `test('waits', () => patiently('a sandbox', 60_000, async () => { ${long} }));`;
  assert.match(await told({ files: { patient } }), /\n1 passed, 0 failed$/);
  const silent = `test('waits', async () => { ${long} });`;
  assert.match(await told({ files: { silent } }), /\n0 passed, 1 failed$/);
  const inVain = `test('waits', () => patiently('a sandbox', 500, ({ signal }) => new Promise((_, fail) => {
    signal.addEventListener('abort', () => fail(signal.reason));
  })));`;
  assert.match(await told({ files: { inVain } }), /^FAILED inVain: waits\n.*a sandbox took more than 0.5 s/m);
});

test('when the whole run is stopped, everything that was not run is failed and named', async () => {
  const stop = new AbortController();
  const files = {
    long: `test('is long', () => { leave('of-long'); return forever(); }); test('is next', () => undefined);`,
    never: GOOD,
  };
  const running = told({ files }, { bounds: { ...BOUNDS, silenceMs: 60_000 }, signal: stop.signal });
  while (!existsSync(join(dir, 'of-long.pid'))) await pause(50);
  stop.abort('somebody stopped it');
  const text = await running;
  assert.match(text, says('FAILED long: is next\n    was not run: somebody stopped it'));
  assert.match(text, /^FAILED never\n {4}was not run: somebody stopped it$/m);
  assert.match(text, /\n0 passed, 3 failed$/);
  assertGone('of-long');
});

test('where files share a sandbox, those after one that failed get a process of their own', async () => {
  const tells = (name: string) =>
    `test('tells', () => writeFileSync(${JSON.stringify(dir)} + '/${name}.pid', String(process.pid)));`;
  const files = {
    one: tells('one'),
    two: `${tells('two')} test('fails', () => assert.fail());`,
    three: tells('three'),
  };
  await told({ files, isFreshAfterFailure: true });
  assert.equal(pidOf('one'), pidOf('two'));
  assert.notEqual(pidOf('two'), pidOf('three'));
});

test('what tests write to the folder for temporary things goes with their process', async () => {
  const files = { writes: `test('writes', () => writeFileSync(${JSON.stringify(dir)} + '/folder.txt', tmpdir()));` };
  await told({ files });
  const folder = readFileSync(join(dir, 'folder.txt'), 'utf8');
  assert.notEqual(folder, tmpdir());
  assert.throws(() => readdirSync(folder), { code: 'ENOENT' });
});

test('a watch goes slower where processes wait for their turn', async () => {
  const [idle, busy] = [new FairWatch(() => 1), new FairWatch(() => 4)];
  await pause(50);
  const [whole, quarter] = [idle.read(), busy.read()];
  assert.ok(whole >= 45 && quarter < whole / 2, `${whole} and ${quarter}`);
});

test('every story that is said to share a sandbox is there, and so is the longest', () => {
  for (const path of [...ONE_SANDBOX.flat(), LONGEST])
    assert.ok(existsSync(new URL(`../../${path}`, import.meta.url)), path);
});

test('every path is in one batch, and those that share a sandbox stay in their order', () => {
  const paths = [
    'test/browser/b.test.ts',
    'test/e2e/recovery.test.ts',
    'test/e2e/sandbox.test.ts',
    'test/e2e/x.test.ts',
    LONGEST,
  ];
  const batches = plan([...paths, 'test/tidy.test.ts', 'test/unit/a.test.ts', 'test/unit/b.test.ts']);
  assert.deepEqual(
    batches.map(({ files }) => files),
    [
      [LONGEST],
      ['test/e2e/sandbox.test.ts', 'test/e2e/recovery.test.ts'],
      ['test/browser/b.test.ts'],
      ['test/e2e/x.test.ts'],
      ['test/tidy.test.ts'],
      ['test/unit/a.test.ts', 'test/unit/b.test.ts'],
    ],
  );
});
