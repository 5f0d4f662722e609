import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { serveText } from '../../sandbox/simulators/rpc-server.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';

test('a process that stood still asks its simulators over the connection that it has', async () => {
  const { url, stop } = await serveText(() => [200, '{}']);
  const ask = () => httpOutbound({ at: 'chain:1', label: 'getinfo', url, method: 'POST', body: '{}' });
  await ask();
  await turn();
  // Longer than a server keeps a connection by itself.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6_500);
  assert.equal((await ask()).status, 200);
  await stop();
});
