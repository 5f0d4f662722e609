import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { beginJournal, expectBegun, openJournal } from '../../src/signer/journal.ts';
import type { Entry } from '../../src/signer/request.ts';
import { intent, ORDER, openBench, payout, TREE, temporaryFolder } from './signer-bench.ts';

const leg = (n: number) => payout({ intent: intent(`${ORDER}:payout:${n}`), nonce: n, atoms: atoms(1n) });

async function journalOfThree(t: TestContext): Promise<string> {
  const file = join(temporaryFolder(t), 'journal');
  const { core, journal } = openBench(file);
  for (const n of [1, 2, 3]) await core.transfer(leg(n));
  journal.close();
  return file;
}

test('each line is JSON with its number and the hash of all before it, and only we may read it', async (t) => {
  const file = await journalOfThree(t);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).seq),
    [1, 2, 3],
  );
  assert.equal(new Set(lines.map((line) => JSON.parse(line).hash)).size, 3);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('a line torn by a crash is cut off, and its intent can be signed afresh', async (t) => {
  const file = await journalOfThree(t);
  const whole = readFileSync(file);
  const last = whole.lastIndexOf('\n', whole.length - 2) + 1;
  for (const cut of [whole.length - 1, last + 70, last + 1]) {
    writeFileSync(file, whole.subarray(0, cut));
    const { core, journal } = openBench(file);
    assert.equal(statSync(file).size, last);
    const again = await core.transfer(leg(3));
    assert.ok('raw' in again);
    journal.close();
    assert.equal(openBench(file).journal.close(), undefined);
  }
});

test('a journal that was changed in any byte, cut in the middle, reordered or forged refuses to open', async (t) => {
  const file = await journalOfThree(t);
  const text = readFileSync(file, 'utf8');
  const [one = '', two = '', three = ''] = text.split('\n');
  const refuses = (content: string) => {
    writeFileSync(file, content);
    assert.throws(() => openBench(file), { name: 'Fault', kind: 'permanent', message: /cannot be trusted/ });
  };
  refuses(text.replace('"atoms":"1"', '"atoms":"2"'));
  refuses(`${one}\n${three}\n`);
  refuses(`${one}\n${three}\n${two}\n`);
  refuses(`${two}\n${three}\n`);
  refuses(`${text}${three}\n`);
  refuses(`${text}\n`);
  for (let at = 0; at < text.length; at += 97) {
    refuses(text.slice(0, at) + (text[at] === '0' ? '1' : '0') + text.slice(at + 1));
  }
  writeFileSync(file, text);
  const stranger = new Secret(new Uint8Array(32));
  assert.throws(() => openJournal(file, stranger, () => {}), /chain of hashes is broken/);
  openJournal(file, TREE.journal, () => {}).close();
});

test('a second writer is noticed before anything more is signed', async (t) => {
  const file = join(temporaryFolder(t), 'journal');
  const { core, journal } = openBench(file);
  await core.transfer(leg(1));
  appendFileSync(file, 'x');
  await assert.rejects(core.transfer(leg(2)), { name: 'Bug', message: /somebody else writes/ });
  journal.close();
});

test('entries longer than one read are replayed whole', async (t) => {
  const file = join(temporaryFolder(t), 'journal');
  const journal = openJournal(file, TREE.journal, () => {});
  const raw = 'ab'.repeat(1_500_000);
  const { intent: name, chainId } = leg(1);
  const answer = { intent: name, chainId, txHash: '11'.repeat(32), raw, consumes: [], cost: atoms(0n) } as const;
  journal.append({ signed: 'transfer', request: leg(1), answer: answer as never }, instant(1));
  journal.append({ signed: 'transfer', request: leg(2), answer: answer as never }, instant(2));
  journal.close();
  const seen: number[] = [];
  openJournal(file, TREE.journal, (_, at) => seen.push(at)).close();
  assert.deepEqual(seen, [1, 2]);
});

test('a journal that a person began has a first line of its own, which only our seed can write and no other line follows', async (t) => {
  const [file, other] = [join(temporaryFolder(t), 'journal'), await journalOfThree(t)];
  beginJournal(file, TREE.journal, instant(7));
  const { core, journal } = openBench(file);
  await core.transfer(leg(1));
  journal.close();
  const [first = '', second = ''] = readFileSync(file, 'utf8').split('\n');
  assert.deepEqual([JSON.parse(first).begun, JSON.parse(second).seq], [7, 1]);
  openBench(file).journal.close();
  assert.throws(() => beginJournal(file, TREE.journal, instant(8)), { code: 'EEXIST' }, 'nothing is written over');

  const refuses = (content: string, why: RegExp) => {
    writeFileSync(file, content);
    assert.throws(() => openBench(file), { name: 'Fault', kind: 'permanent', message: why });
  };
  refuses(first.replace('"begun":7', '"begun":8').concat('\n'), /begun by somebody else/);
  refuses(`${first}\n${readFileSync(other, 'utf8')}`, /chain of hashes is broken/);
  refuses(`${second}\n`, /chain of hashes is broken/);
  refuses(`${first}\n${first}\n`, /not a journal line/);
});

test('a journal that is missing or was emptied is not taken for a new one', (t) => {
  const file = join(temporaryFolder(t), 'journal');
  const refused = { name: 'Fault', kind: 'permanent', message: /is missing or empty: .*wherry journal new/ };
  assert.throws(() => expectBegun(file), refused);
  writeFileSync(file, '');
  assert.throws(() => expectBegun(file), refused);
  writeFileSync(file, 'x');
  assert.doesNotThrow(() => expectBegun(file));
});

const PRLIMIT = 'prlimit';

function canLimit(): boolean {
  try {
    return execFileSync(PRLIMIT, ['--version']).length > 0;
  } catch {
    return false;
  }
}

/** No file may grow beyond so many bytes while this runs; it must not wait for anything, for others run in this process, too. */
function withFilesOf<T>(bytes: number, work: () => T): T {
  const limit = (most: string) => execFileSync(PRLIMIT, ['--pid', `${process.pid}`, `--fsize=${most}:unlimited`]);
  limit(`${bytes}`);
  try {
    return work();
  } finally {
    limit('unlimited');
  }
}

test('what the disk takes only in part is nowhere, and the next line is whole again once there is room', {
  skip: canLimit() ? false : 'prlimit is not installed: no disk can be made full here',
}, (t) => {
  const file = join(temporaryFolder(t), 'journal');
  beginJournal(file, TREE.journal, instant(1));
  const seen: number[] = [];
  const journal = openJournal(file, TREE.journal, (_, at) => seen.push(at));
  t.after(() => journal.close());
  const { intent: name, chainId } = leg(1);
  const answer = {
    intent: name,
    chainId,
    txHash: '11'.repeat(32),
    raw: 'ab'.repeat(5_000),
    consumes: [],
    cost: atoms(0n),
  };
  const entry = { signed: 'transfer', request: leg(1), answer } as unknown as Entry;
  journal.append(entry, instant(1));
  const { size } = statSync(file);

  withFilesOf(size + 4_000, () => {
    assert.throws(() => journal.append(entry, instant(2)), {
      ...{ name: 'Fault', kind: 'transient', at: 'signer:journal', message: /takes no line/ },
    });
    assert.equal(statSync(file).size, size, 'the part that it took is gone');
    assert.match(journal.unwritable() ?? '', /takes no line/);
    const page = journal.since({
      seq: 1,
      hash: journal.read({ offset: lineOne(file), bytes: size - lineOne(file) }).hash,
    });
    assert.match(page.unwritable ?? '', /takes no line/, 'whoever follows the journal is told');
  });
  assert.deepEqual(seen, [1], 'and policy knows nothing of what was not kept');

  assert.equal(journal.unwritable(), undefined, 'by itself');
  journal.append(entry, instant(3));
  const replayed: number[] = [];
  openJournal(file, TREE.journal, (_, at) => replayed.push(at)).close();
  assert.deepEqual(replayed, [1, 3]);
});

/** Where the first signature begins. */
const lineOne = (file: string): number => readFileSync(file).indexOf('\n') + 1;
