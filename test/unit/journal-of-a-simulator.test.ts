import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, existsSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { keptIn } from '../../sandbox/journal.ts';
import { Changes, type Keeping } from '../../sandbox/keeping.ts';

const dir = mkdtempSync(join(tmpdir(), 'wherry-journal-'));
after(() => rmSync(dir, { recursive: true, force: true }));

/** A purse: each payment is a change, and only the sum matters. */
const purse = async (snapshot: bigint | undefined, { changes = [], write }: Keeping<{ readonly paid: bigint }>) => {
  let sum = changes.reduce((total, { paid }) => total + paid, snapshot ?? 0n);
  const told = new Changes(write);
  return {
    pay(...sums: readonly bigint[]) {
      told.together(() => {
        for (const paid of sums) {
          told.add({ paid });
          sum += paid;
        }
      });
    },
    sum: () => sum,
    snapshot: () => sum,
    close: async () => undefined,
  };
};

const open = (name: string, resumes: boolean, forgets = false) =>
  keptIn({ path: join(dir, name), resumes, forgets }, purse);

/** Whoever is killed leaves his files as they are. */
async function killed(name: string): Promise<bigint> {
  copyFileSync(join(dir, name), join(dir, `${name}-left`));
  const next = await open(`${name}-left`, true);
  const sum = next.sum();
  await next.close();
  return sum;
}

test('what has changed is in the file as soon as it was done, whoever is killed next', async () => {
  const part = await open('purse', false);
  assert.equal(await killed('purse'), 0n);
  for (const paid of [1n, 2n, 3n]) part.pay(paid);
  assert.equal(await killed('purse'), 6n);
  await part.close();
  const next = await open('purse', true);
  next.pay(10n ** 30n);
  assert.equal(await killed('purse'), 10n ** 30n + 6n);
  await next.close();
  const fresh = await open('purse', false);
  assert.equal(fresh.sum(), 0n);
  await fresh.close();
});

test('a line that was not written to its end is nothing, and what belongs together is all there or not at all', async () => {
  const part = await open('torn', false);
  part.pay(1n, 2n);
  await part.close();
  appendFileSync(join(dir, 'torn'), '[{"paid":"5n"},{"pa');
  assert.equal(await killed('torn'), 3n);
  const next = await open('torn', true);
  next.pay(4n);
  assert.equal(await killed('torn'), 7n);
  await next.close();
});

test('of a part that forgets, the file is written anew when it has grown by much, and loses nothing', async () => {
  const part = await open('long', false, true);
  let largest = 0;
  for (let round = 0; round < 60; round += 1) {
    part.pay(...Array.from({ length: 20_000 }, () => 1n));
    await turn();
    largest = Math.max(largest, statSync(join(dir, 'long')).size);
  }
  assert.ok(largest > 8 << 20 && largest < 20 << 20, `${largest} bytes`);
  assert.equal(await killed('long'), 1_200_000n);
  await part.close();
});

/** Nothing can be written there, as on a disk without room. */
const FULL = '/dev/full';

test('a journal for whose new file the disk has no room goes on in its old one, keeps nothing half written, and tries again', async () => {
  const path = join(dir, 'crowded');
  const part = await open('crowded', false, true);
  const sizes: number[] = [];
  symlinkSync(FULL, `${path}.new`);
  for (let round = 0; round < 100; round += 1) {
    part.pay(...Array.from({ length: 20_000 }, () => 1n));
    await turn();
    sizes.push(statSync(path).size);
  }
  assert.equal(existsSync(`${path}.new`), false);
  const largest = Math.max(...sizes);
  assert.ok(largest > 20 << 20 && largest < 26 << 20, `${largest} bytes`);
  assert.equal(await killed('crowded'), 2_000_000n);
  await part.close();
});

test('a part for whose first snapshot the disk has no room does not start', async () => {
  const path = join(dir, 'no-room');
  symlinkSync(FULL, `${path}.new`);
  await assert.rejects(open('no-room', false), /the disk has no room/);
  assert.equal(existsSync(`${path}.new`), false);
  const part = await open('no-room', false);
  part.pay(1n);
  assert.equal(await killed('no-room'), 1n);
  await part.close();
});
