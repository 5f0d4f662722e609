import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moneroDaemon } from '../../src/world/chains/monero/daemon.ts';
import { zcashNode } from '../../src/world/chains/zcash/node.ts';
import type { Outbound } from '../../src/world/outbound/http.ts';

const HASH = 'ab'.repeat(32);

/** A node that answers this to whatever it is asked. */
const answering =
  (result: object): Outbound =>
  async (call) => ({
    status: 200,
    body: JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(call.body ?? '{}').id, result }),
  });

test('a node of another network is refused for good: its coins are worth nothing', async () => {
  const monero = (nettype: string) =>
    moneroDaemon('http://node', answering({ nettype, synchronized: true, height: 8, top_block_hash: HASH })).tip();
  assert.deepEqual(await monero('mainnet'), { height: 7, hash: HASH });
  for (const name of ['stagenet', 'testnet'])
    await assert.rejects(monero(name), { kind: 'permanent', message: new RegExp(name) });

  const zcash = (chain: string) =>
    zcashNode(
      { nodeUrl: 'http://node' },
      answering({ chain, blocks: 7, estimatedheight: 7, bestblockhash: HASH }),
    ).tip();
  assert.deepEqual(await zcash('main'), { height: 7, hash: HASH });
  for (const name of ['test', 'regtest'])
    await assert.rejects(zcash(name), { kind: 'permanent', message: new RegExp(name) });
});
