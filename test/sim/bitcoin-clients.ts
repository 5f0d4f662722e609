import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BitcoinWorld } from '../../sandbox/nodes/bitcoin-world.ts';
import { present } from '../../src/kernel/assert.ts';
import { BTC } from './bitcoin-bench.ts';

type Json = Record<string, unknown>;

interface Told {
  readonly id: unknown;
  readonly result: unknown;
  readonly error: { readonly code: number } | null;
}

interface Tx {
  readonly txid: string;
  readonly vin: readonly Json[];
  readonly vout: readonly { readonly value: number; readonly n: number; readonly scriptPubKey: Json }[];
  readonly confirmations: number;
}

/** What the clients of others ask about a payment. */
export function bitcoinClientStories(name: string, start: () => Promise<BitcoinWorld>): void {
  describe(`A stranger’s client at ${name}`, () => {
    let world: BitcoinWorld;
    before(async () => {
      world = await start();
    });
    after(() => world?.close());

    async function post(body: unknown): Promise<{ status: number; told: unknown }> {
      const { rpcUrl, rpcLogin } = world.node;
      const login = rpcLogin ? Buffer.from(rpcLogin.reveal()).toString('base64') : '';
      const reply = await fetch(rpcUrl, {
        ...{ method: 'POST', body: JSON.stringify(body) },
        headers: { 'content-type': 'application/json', ...(login ? { authorization: `Basic ${login}` } : {}) },
      });
      return { status: reply.status, told: await reply.json() };
    }

    async function ask<T>(method: string, params: unknown): Promise<T> {
      const { told } = await post({ jsonrpc: '1.0', id: 'client', method, params });
      const { result, error } = told as Told;
      assert.equal(error, null, JSON.stringify(error));
      return result as T;
    }

    async function paid(): Promise<{ to: string; txid: string }> {
      const to = await world.freshDestination();
      const txid = await world.payAll({ to, atoms: BTC / 8n });
      await world.mine(1);
      return { to, txid };
    }

    it('finds out how much an address holds', async () => {
      const { to, txid } = await paid();
      const scan = await ask<{ total_amount: number; unspents: Json[]; bestblock: string }>('scantxoutset', {
        ...{ action: 'start', scanobjects: [`addr(${to})`] },
      });
      assert.deepEqual([scan.total_amount, scan.unspents.length], [0.125, 1]);
      assert.deepEqual([scan.unspents[0]?.txid, scan.unspents[0]?.amount], [txid, 0.125]);
      assert.equal(scan.bestblock, await ask('getbestblockhash', []));
    });

    it('reads a payment from the chain and from its bytes alike', async () => {
      const { to, txid } = await paid();
      const tx = await ask<Tx & { hex: string; blockhash: string; time: number }>('getrawtransaction', {
        ...{ txid, verbose: true },
      });
      assert.equal(tx.confirmations, 1);
      const output = present(
        tx.vout.find(({ value }) => value === 0.125),
        'what was paid',
      );
      const { address, addresses, type } = output.scriptPubKey;
      assert.deepEqual([address ?? (addresses as string[])[0], type], [to, 'witness_v0_keyhash']);
      assert.ok(Array.isArray(tx.vin[0]?.txinwitness));
      const { hex, blockhash, confirmations: _, time: __, ...rest } = tx;
      const decoded = await ask<Json>('decoderawtransaction', [hex]);
      for (const [field, value] of Object.entries(decoded)) assert.deepEqual(rest[field as keyof typeof rest], value);
      assert.equal(await ask('getrawtransaction', [txid]), hex);
      assert.equal((await ask<Tx>('getrawtransaction', [txid, true, blockhash])).txid, txid);
      assert.equal((await ask<Json>('gettxout', [txid, output.n])).value, 0.125);
    });

    it('reads a block in as much detail as it wants', async () => {
      const { txid } = await paid();
      const hash = await ask<string>('getbestblockhash', []);
      for (const verbosity of [true, 1]) {
        const { tx } = await ask<{ tx: unknown[] }>('getblock', [hash, verbosity]);
        assert.ok(tx.includes(txid), `${verbosity}`);
      }
      assert.equal(typeof (await ask('getblock', [hash, false])), 'string');
      const block = await ask<Json & { tx: Tx[] }>('getblock', [hash, 2]);
      assert.ok(block.tx.some((tx) => tx.txid === txid && tx.vout.length > 0));
      const header = await ask<Json>('getblockheader', [block.previousblockhash]);
      assert.deepEqual([header.nextblockhash, header.height], [hash, Number(block.height) - 1]);
      for (const field of ['merkleroot', 'time', 'nonce', 'bits', 'version', 'nTx']) {
        assert.equal(typeof header[field], typeof block[field], field);
      }
      assert.equal(String(await ask('getblockheader', [hash, false])).length, 160);
    });

    it('asks whether an address is one, and what it talks to', async () => {
      const to = await world.freshDestination();
      const told = await ask<Json>('validateaddress', [to]);
      assert.deepEqual([told.isvalid, told.address, told.iswitness, told.witness_version], [true, to, true, 0]);
      assert.equal(`0014${told.witness_program}`, told.scriptPubKey);
      assert.equal((await ask<Json>('validateaddress', [`${to}q`])).isvalid, false);
      const { version, subversion, relayfee } = await ask<Json>('getnetworkinfo', []);
      assert.deepEqual([typeof version, typeof subversion, typeof relayfee], ['number', 'string', 'number']);
    });

    it('asks many things at once, and is told what nobody knows', async () => {
      const calls = ['getblockcount', 'getnothing', 'toString'].map((method, id) => ({ id, method, params: [] }));
      const { status, told } = await post(calls);
      assert.equal(status, 200);
      assert.deepEqual(
        (told as Told[]).map(({ id, error }) => [id, error?.code]),
        [
          [0, undefined],
          [1, -32601],
          [2, -32601],
        ],
      );
      const single = await post({ id: 1, method: 'getnothing', params: [] });
      assert.deepEqual([single.status, (single.told as Told).error?.code], [404, -32601]);
      const named = await post({ id: 1, method: 'getblockhash', params: { depth: 1 } });
      assert.equal((named.told as Told).error?.code, -8);
    });
  });
}
