import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { ChainFaults } from '../../sandbox/control/faults.ts';
import { collect, type ProxyServer, startProxy } from '../../sandbox/control/proxy.ts';

const CHAIN = 42161;
const asked: string[] = [];
const faults = new ChainFaults();
let proxy: ProxyServer;

const node = createServer(async (request, reply) => {
  const { id, method } = JSON.parse((await collect(request)).toString());
  asked.push(method);
  reply.end(JSON.stringify({ jsonrpc: '2.0', id, result: `${method} done` }));
});

before(async () => {
  node.listen(0, '127.0.0.1');
  await once(node, 'listening');
  const wire = {
    sends: new Set(['eth_sendRawTransaction']),
    payoutTo: ({ calls }: { calls: readonly { method: string; params: unknown }[] }) =>
      calls.filter(({ method }) => method === 'eth_call').map(({ params }) => String((params as string[])[0])),
  };
  proxy = await startProxy(`http://127.0.0.1:${(node.address() as AddressInfo).port}`, (passing) =>
    faults.judge(CHAIN, wire, passing),
  );
});

after(async () => {
  await proxy.close();
  node.close();
  node.closeAllConnections();
});

async function ask(method: string, ...params: string[]): Promise<{ status: number; body: unknown }> {
  const reply = await fetch(proxy.url, { method: 'POST', body: JSON.stringify({ id: 7, method, params }) });
  const text = await reply.text();
  return { status: reply.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}

const answered = (method: string) => ({ status: 200, body: { jsonrpc: '2.0', id: 7, result: `${method} done` } });

test('without a fault the node answers', async () => {
  assert.deepEqual(await ask('eth_blockNumber'), answered('eth_blockNumber'));
});

test('a chain that is down answers nobody, as often as was asked for', async () => {
  asked.length = 0;
  faults.set(`chain:${CHAIN}`, 'down', 2);
  await assert.rejects(ask('eth_blockNumber'), TypeError);
  await assert.rejects(ask('eth_sendRawTransaction'), TypeError);
  assert.deepEqual(asked, []);
  assert.deepEqual(await ask('eth_blockNumber'), answered('eth_blockNumber'));
});

test('an error after the effect hits what has an effect, and the node has done it', async () => {
  asked.length = 0;
  faults.set(`chain:${CHAIN}`, 'error_after_effect', 1);
  assert.deepEqual(await ask('eth_blockNumber'), answered('eth_blockNumber'));
  assert.equal((await ask('eth_sendRawTransaction')).status, 502);
  assert.deepEqual(asked, ['eth_blockNumber', 'eth_sendRawTransaction']);
  assert.deepEqual(await ask('eth_sendRawTransaction'), answered('eth_sendRawTransaction'));
});

test('a rejected send never reaches the node, until the faults are cleared', async () => {
  asked.length = 0;
  faults.set(`payout:${CHAIN}`, 'reject', undefined);
  for (let again = 0; again < 3; again += 1) {
    const { body } = await ask('eth_sendRawTransaction');
    assert.match(JSON.stringify(body), /"error":\{"code":-32000/);
  }
  assert.deepEqual(asked, []);
  faults.clear();
  assert.deepEqual(await ask('eth_sendRawTransaction'), answered('eth_sendRawTransaction'));
});

test('a refused destination stays refused while others are paid', async () => {
  faults.set(`payout:${CHAIN}`, 'refuse_destination', 1);
  const refused = /execution reverted/;
  assert.match(JSON.stringify(await ask('eth_call', '0xAA')), refused);
  assert.match(JSON.stringify(await ask('eth_call', '0xaa')), refused);
  assert.deepEqual(await ask('eth_call', '0xbb'), answered('eth_call'));
  faults.clear();
  assert.deepEqual(await ask('eth_call', '0xAA'), answered('eth_call'));
});
