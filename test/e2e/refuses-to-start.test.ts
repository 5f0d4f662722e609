import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readOptions } from '../../sandbox/options.ts';
import { launch, newDir, removeDir, threeFreePorts } from './box.ts';

const dir = newDir();
after(() => removeDir(dir));

test('options are read to the letter', () => {
  assert.deepEqual(readOptions([]), {
    nodes: undefined,
    reset: false,
    portBase: 8080,
    dir: '.wherry',
    evmStates: 128,
  });
  assert.deepEqual(readOptions(['--real', '--reset', '--port-base', '9000', '--dir', 'x', '--evm-states', '200']), {
    nodes: 'real',
    reset: true,
    portBase: 9000,
    dir: 'x',
    evmStates: 200,
  });
  assert.equal(readOptions(['--help', '--reset']), 'help');
  for (const wrong of [
    ['--fast'],
    ['now'],
    ['--real', '--simulated'],
    ['--port-base', '65534'],
    ['--port-base', 'x'],
    ['--evm-states', '127'],
    ['--evm-states', 'few'],
  ]) {
    assert.throws(() => readOptions(wrong), Error, wrong.join(' '));
  }
});

test('an unknown flag is an error with one sentence', async () => {
  const { output, ended } = launch('--fast');
  assert.equal(await ended, 1);
  assert.match(output(), /--fast/);
});

test('a port in use is named', async () => {
  const base = await threeFreePorts();
  const other = createServer().listen(base + 1, '127.0.0.1');
  await once(other, 'listening');
  const { output, ended } = launch('--simulated', '--dir', join(dir, 'box'), '--port-base', `${base}`);
  assert.equal(await ended, 1);
  assert.match(output(), new RegExp(`Port ${base + 1} is in use; --port-base`));
  other.close();
});

test('what a killed sandbox said of itself is gone before anything of the next one is up', async () => {
  const base = await threeFreePorts();
  const other = createServer().listen(base, '127.0.0.1');
  await once(other, 'listening');
  const old = newDir();
  writeFileSync(join(old, 'sandbox.pid'), JSON.stringify({ pid: process.pid, controlPort: base + 2 }));
  writeFileSync(join(old, 'sandbox.json'), JSON.stringify({ pid: process.pid }));
  const { output, ended } = launch('--simulated', '--dir', old, '--port-base', `${base}`);
  assert.equal(await ended, 1);
  assert.match(output(), new RegExp(`Port ${base} is in use`));
  assert.equal(existsSync(join(old, 'sandbox.json')), false);
  other.close();
  removeDir(old);
});

test('a directory of somebody else is left alone', async () => {
  writeFileSync(join(dir, 'config.json'), 'mine');
  const { output, ended } = launch('--simulated', '--reset', '--dir', dir, '--port-base', `${await threeFreePorts()}`);
  assert.equal(await ended, 1);
  assert.match(output(), /holds something else/);
  assert.ok(existsSync(join(dir, 'config.json')));
});
