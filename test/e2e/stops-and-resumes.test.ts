import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Box, launch, newDir, removeDir, startBox, threeFreePorts } from './box.ts';
import { assertPaidOnce, ending, pay, placeV2 } from './customer.ts';

const dir = newDir();
let box: Box | undefined;
after(async () => {
  await box?.end('SIGTERM');
  removeDir(dir);
});

interface Listed {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

function everyProcess(): Listed[] {
  const lines = execFileSync('ps', ['-eww', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).trim().split('\n');
  return lines.flatMap((line) => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return command === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
}

/** All that descends from a process, itself included. */
function familyOf(pid: number): Listed[] {
  const all = everyProcess();
  const family = all.filter((one) => one.pid === pid);
  for (const member of family) family.push(...all.filter(({ parent }) => parent === member.pid));
  return family;
}

/** Those of them that still run. */
const left = (family: readonly Listed[]): Listed[] =>
  everyProcess().filter(({ pid, command }) => family.some((one) => one.pid === pid && one.command === command));

test('an order that was under way when the sandbox stopped is finished by the next one', async () => {
  box = await startBox(dir);
  const first = box;
  const placed = await placeV2(first, 'usdc_to_xmr');
  await first.control('POST', '/sandbox/clock', { advanceMs: 60_000 });
  await pay(first, placed);

  const second = launch('--simulated', '--dir', dir, '--port-base', `${await threeFreePorts()}`);
  assert.equal(await second.ended, 1);
  assert.match(second.output(), /A sandbox runs in .* already/);

  const family = familyOf(first.info.pid);
  assert.ok(family.length > 8, 'three roles, three nodes, a database with its helpers');
  assert.equal(await first.end('SIGINT'), 0);
  assert.match(first.output(), /Stopped\./);
  assert.ok(!existsSync(join(dir, 'sandbox.json')));
  assert.deepEqual(left(family), []);

  box = await startBox(dir);
  assert.deepEqual(box.info.demo, first.info.demo);
  assert.equal(box.info.operatorToken, first.info.operatorToken);
  const { body } = await box.control('GET', '/sandbox/info');
  assert.ok(Date.parse(String(body.now)) - Date.now() > 50_000, 'the clock does not go back');
  const order = await ending(box, placed, 60_000);
  assert.equal(order.status, 'completed');
  await assertPaidOnce(box, placed, order.actualOutput);
});

test('a sandbox that was killed leaves nobody behind, and the next one starts afresh', async () => {
  assert.ok(box);
  const family = familyOf(box.info.pid);
  await box.end('SIGKILL');
  for (let tries = 0; left(family).length > 0 && tries < 200; tries += 1) await sleep(50);
  assert.deepEqual(left(family), []);

  const killed = box;
  box = await startBox(dir);
  assert.match(box.output(), /did not end cleanly: everything starts afresh/);
  assert.notEqual(box.info.operatorToken, killed.info.operatorToken);
});
