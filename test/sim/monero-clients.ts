import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { MoneroWorld } from '../../sandbox/nodes/monero-world.ts';
import { XMR } from './monero-bench.ts';

type Json = Record<string, unknown>;

interface Told<T> {
  readonly result?: T;
  readonly error?: { readonly code: number };
}

/** What the clients of others ask the daemon. Amounts are hidden from it, but not that there was a payment, and where. */
export function moneroClientStories(name: string, start: () => Promise<MoneroWorld>): void {
  describe(`A stranger’s client at ${name}`, () => {
    let world: MoneroWorld;
    before(async () => {
      world = await start();
    });
    after(() => world?.close());

    async function post<T>(path: string, body: unknown): Promise<T> {
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(`${world.daemonUrl}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await reply.json()) as T;
    }
    const call = <T>(method: string, params: unknown) =>
      post<Told<T>>('json_rpc', { jsonrpc: '2.0', id: '0', method, params });
    async function ask<T = Json>(method: string, params: unknown = {}): Promise<T> {
      const { result, error } = await call<T>(method, params);
      assert.equal(error, undefined, JSON.stringify(error));
      return result as T;
    }

    const pay = async () => world.pay({ to: await world.freshDestination(), atoms: XMR });

    it('sees a payment in the pool, and no longer once it is mined', async () => {
      const hash = await pay();
      const pool = await post<{ transactions: Json[]; spent_key_images: Json[] }>('get_transaction_pool', {});
      const entry = pool.transactions.find(({ id_hash }) => id_hash === hash);
      assert.ok(entry && Number(entry.fee) > 0 && Number(entry.blob_size) > 100);
      assert.equal(entry.double_spend_seen, false);
      const decoded = JSON.parse(String(entry.tx_json)) as { vout: Json[] };
      assert.equal(decoded.vout.length, 2);
      assert.ok(pool.spent_key_images.length > 0);
      assert.deepEqual((await post<Json>('get_transaction_pool_hashes', {})).tx_hashes, [hash]);
      await world.mine(1);
      const empty = await post<Json>('get_transaction_pool', {});
      assert.deepEqual([empty.status, empty.transactions], ['OK', undefined]);
    });

    it('reads a payment in JSON', async () => {
      const hash = await pay();
      await world.mine(1);
      const { txs } = await post<{ txs: Json[] }>('get_transactions', { txs_hashes: [hash], decode_as_json: true });
      const [tx] = txs;
      assert.ok(tx);
      assert.deepEqual([tx.tx_hash, tx.in_pool], [hash, false]);
      assert.equal((tx.output_indices as number[]).length, 2);
      assert.ok(Number(tx.block_timestamp) > 0);
      const json = JSON.parse(String(tx.as_json)) as {
        version: number;
        vin: { key: { k_image: string; key_offsets: number[] } }[];
        vout: { amount: number; target: { tagged_key: { key: string; view_tag: string } } }[];
        extra: number[];
        rct_signatures: { type: number; txnFee: number; ecdhInfo: Json[]; outPk: string[] };
      };
      assert.deepEqual([json.version, json.rct_signatures.type, json.extra[0]], [2, 6, 1]);
      assert.ok(json.rct_signatures.txnFee > 0);
      assert.deepEqual([json.rct_signatures.ecdhInfo.length, json.rct_signatures.outPk.length], [2, 2]);
      for (const { amount, target } of json.vout) {
        assert.deepEqual([amount, target.tagged_key.key.length, target.tagged_key.view_tag.length], [0, 64, 2]);
      }
      const images = json.vin.map(({ key }) => key.k_image);
      const { spent_status } = await post<{ spent_status: number[] }>('is_key_image_spent', { key_images: images });
      assert.ok(spent_status.every((status) => status === 1));
      const plain = await post<{ txs: Json[] }>('get_transactions', { txs_hashes: [hash] });
      assert.equal(plain.txs[0]?.as_json, '');
      assert.deepEqual((await post<Json>('gettransactions', { txs_hashes: ['0'.repeat(64)] })).missed_tx, [
        '0'.repeat(64),
      ]);
    });

    it('reads a block by its height and by its hash alike', async () => {
      const payment = await pay();
      await world.mine(1);
      const { count } = await ask<{ count: number }>('get_block_count');
      const height = count - 1;
      const block = await ask<{ block_header: Json; json: string; tx_hashes: string[] }>('get_block', { height });
      const { hash } = block.block_header;
      assert.deepEqual(block.tx_hashes, [payment]);
      assert.deepEqual(await ask('getblock', { hash }), block);
      assert.equal(await ask('on_get_block_hash', [height]), hash);
      const byHash = await ask<{ block_header: Json }>('get_block_header_by_hash', { hash });
      assert.deepEqual(byHash.block_header, block.block_header);
      const { miner_tx, tx_hashes, prev_id } = JSON.parse(block.json) as {
        miner_tx: { vin: { gen: { height: number } }[]; vout: { amount: number }[] };
        tx_hashes: string[];
        prev_id: string;
      };
      assert.deepEqual([miner_tx.vin[0]?.gen.height, tx_hashes], [height, [payment]]);
      assert.equal(prev_id, block.block_header.prev_hash);
      assert.equal(miner_tx.vout[0]?.amount, block.block_header.reward);
    });

    it('is told what nobody knows', async () => {
      const codes = await Promise.all([
        call('get_block', { hash: 'ab'.repeat(32) }),
        call('get_block', { hash: 'ab' }),
        call('get_block', { height: 1_000_000 }),
        call('get_nothing', {}),
        call('toString', {}),
      ]);
      assert.deepEqual(
        codes.map(({ error }) => error?.code),
        [-5, -1, -2, -32601, -32601],
      );
      const reply = await fetch(`${world.daemonUrl}/get_nothing`, { method: 'POST', body: '{}' });
      assert.equal(reply.status, 404);
    });
  });
}
