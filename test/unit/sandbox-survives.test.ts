import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openClock as openBoxClock } from '../../sandbox/clock.ts';
import { commandLine, commandLines } from '../../sandbox/command-lines.ts';
import { places } from '../../sandbox/files.ts';
import { untilLeftoversEnd } from '../../sandbox/instance.ts';
import { keepProcess, onChildNews } from '../../sandbox/kept-process.ts';
import { EvmBlocks } from '../../sandbox/nodes/evm-blocks.ts';
import { rpcAnswer } from '../../sandbox/probe.ts';
import { freePort, onPath, type RunningProcess, startProcess } from '../../sandbox/process.ts';
import { openClock } from '../../src/app/clock.ts';

const dir = mkdtempSync(join(tmpdir(), 'wherry-survives-'));
after(() => rmSync(dir, { recursive: true, force: true }));

test('9.21: a child that is killed is started again and that is said; one that is stopped stays away', async () => {
  const news: string[] = [];
  onChildNews((line) => news.push(line));
  const lives: RunningProcess[] = [];
  const start = async () => {
    const program = 'console.log("ready"); setInterval(() => {}, 1000)';
    const one = await startProcess({
      ...{ name: 'child', command: process.execPath, args: ['-e', program] },
      ...{ ready: /ready/, readyWithinMs: 60_000 },
    });
    lives.push(one);
    return one;
  };
  const kept = await keepProcess('child', start, async () => undefined);
  process.kill(lives[0]?.pid ?? 0, 'SIGKILL');
  while (lives.length < 2) await pause(20);
  assert.match(news.join(), /child ended \(by a signal\) and is started again/);
  await kept.stop();
  await lives[1]?.exited;
  await pause(300);
  assert.equal(lives.length, 2);
});

test('a child that hangs is started again and that is said; one that says no, or pauses, is left alone', async () => {
  const news: string[] = [];
  onChildNews((line) => news.push(line));
  const lives: RunningProcess[] = [];
  const port = await freePort();
  const program = `require('http').createServer((_, reply) => reply.writeHead(500).end()).listen(${port}, '127.0.0.1', () => console.log('ready'))`;
  const start = async () => {
    const one = await startProcess({
      ...{ name: 'child', command: process.execPath, args: ['-e', program] },
      ...{ ready: /ready/, readyWithinMs: 60_000 },
    });
    lives.push(one);
    return one;
  };
  let asked = 0;
  const answers = () => {
    asked += 1;
    return rpcAnswer({ port, method: 'are_you_well' });
  };
  const kept = await keepProcess('child', start, answers, { everyMs: 200, ticks: 25 });
  const first = lives[0]?.pid ?? 0;
  while (asked < 3) await pause(20);
  process.kill(first, 'SIGSTOP');
  await pause(1_500);
  process.kill(first, 'SIGCONT');
  const before = asked;
  while (asked < before + 20) await pause(20);
  assert.deepEqual(news, []);

  process.kill(first, 'SIGSTOP');
  while (lives.length < 2) await pause(20);
  assert.deepEqual(news, ['child hangs (no answer for 5 s) and is started again.']);
  await rpcAnswer({ port, method: 'are_you_well' });
  await kept.stop();
  await assert.rejects(rpcAnswer({ port, method: 'are_you_well' }), /no answer/);
});

test('9.21: one slow block is only late: the rhythm goes on, and nothing is left unhandled', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  let asked = 0;
  const blocks = new EvmBlocks(async () => {
    asked += 1;
    if (asked === 1) throw new Error('anvil_mine: no answer in time');
    return null;
  }, []);
  blocks.setRhythm(5);
  while (asked < 3) await pause(5);
  blocks.setRhythm(0);
  await pause(20);
  process.off('unhandledRejection', note);
  assert.deepEqual(unhandled, []);
});

test('a start waits for what the last sandbox left behind; where neither /proc nor ps tells of it, it goes on', async () => {
  const at = places(dir);
  const begin = async (argv0: string, program: string): Promise<number> => {
    const one = spawn(process.execPath, ['-e', program, at.chains], { argv0, stdio: 'ignore', detached: true });
    await once(one, 'spawn');
    return one.pid ?? 0;
  };
  const left = await begin('monerod', 'setTimeout(() => process.exit(), 700)');
  await untilLeftoversEnd(at);
  assert.equal(await commandLine(left), '');

  const hanging = await begin('monero-wallet-rpc', 'setInterval(() => {}, 1000)');
  const pager = await begin('less', 'setInterval(() => {}, 1000)');
  await untilLeftoversEnd(at, 300);
  while ((await commandLine(hanging)) !== '') await pause(20);
  assert.match(await commandLine(pager), /less/, 'who only looks is left alone');
  process.kill(pager, 'SIGKILL');

  const neither = { proc: dir, ps: join(dir, 'no-such-program') };
  assert.equal((await commandLines(neither)).size, 0);
  assert.equal(await commandLine(process.pid, neither), '');
  if (onPath('ps')) assert.match((await commandLines({ proc: dir, ps: 'ps' })).get(process.pid) ?? '', /node/);
  assert.match((await commandLines()).get(process.pid) ?? '', /node/);
});

test('9.22: the clock is moved once every process has seen it, and who has not is named', async () => {
  const file = join(dir, 'clock-offset');
  const box = openBoxClock(file);
  const clock = openClock(file);
  const before = clock.now();
  box.advance(60_000);
  assert.deepEqual(await box.untilSeenBy(() => new Map([['api', process.pid]])), []);
  assert.ok(clock.now() - before >= 60_000);
});
