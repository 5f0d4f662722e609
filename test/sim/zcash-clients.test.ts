import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { present } from '../../src/kernel/assert.ts';
import { addressForms } from '../../src/world/chains/zcash/codec.ts';
import { signPayment, startBench, type ZcashBench, ZEC } from './zcash-bench.ts';

type Json = Record<string, unknown>;

describe('A stranger’s client at the simulated node of Zcash', () => {
  let bench: ZcashBench;
  before(async () => {
    bench = await startBench();
  });
  after(() => bench?.world.close());

  const post = async (body: unknown) =>
    (await fetch(bench.world.rpcUrl, { method: 'POST', body: JSON.stringify(body) })).json();
  async function ask<T>(method: string, ...params: unknown[]): Promise<T> {
    const { result, error } = (await post({ jsonrpc: '1.0', id: 1, method, params })) as { result: T; error?: Json };
    assert.equal(error, undefined);
    return result;
  }

  it('sees a payout to a transparent address in all that the node tells', async () => {
    const { world, chain } = bench;
    const to = world.freshDestination(['p2pkh']);
    const signed = await signPayment(bench, to, ZEC / 4n);
    await chain.broadcast(signed);
    const { txHash } = signed;
    assert.deepEqual(await ask('getaddressbalance', { addresses: [to] }), { balance: 0, received: 0 });
    await world.mine(1);

    const tx = await ask<{ vout: Json[]; orchard: Json; height: number }>('getrawtransaction', txHash, 1);
    const output = present(tx.vout[0], 'an output');
    const script = output.scriptPubKey as Json;
    assert.equal(tx.vout.length, 1);
    assert.deepEqual([output.value, output.valueZat, output.n], [0.25, 25_000_000, 0]);
    assert.deepEqual(script.addresses, [to]);
    assert.ok(Number(tx.orchard.valueBalanceZat) > 25_000_000, 'the fee left the pool as well');

    assert.deepEqual(await ask('getaddressbalance', { addresses: [to] }), {
      balance: 25_000_000,
      received: 25_000_000,
    });
    const [utxo] = await ask<Json[]>('getaddressutxos', { addresses: [to] });
    const same = {
      address: to,
      txid: txHash,
      outputIndex: 0,
      script: script.hex,
      satoshis: 25_000_000,
      height: tx.height,
    };
    assert.deepEqual(utxo, same);
    assert.deepEqual(await ask('getaddresstxids', { addresses: [to], start: 1, end: tx.height }), [txHash]);
    assert.deepEqual(await ask('getaddresstxids', { addresses: [to], start: tx.height + 1, end: 10_000 }), []);
    assert.equal((await ask<Json>('gettxout', txHash, 0)).value, 0.25);
  });

  it('does not see the amount of a payout to a shielded address', async () => {
    const { world, chain } = bench;
    const to = world.freshDestination(['orchard']);
    const signed = await signPayment(bench, to, ZEC / 4n);
    await chain.broadcast(signed);
    const { txHash } = signed;
    await world.mine(1);
    const tx = await ask<{ vout: Json[]; orchard: { actions: Json[]; valueBalanceZat: number } }>(
      'getrawtransaction',
      txHash,
      1,
    );
    assert.deepEqual([tx.vout, tx.orchard.actions.length], [[], 2]);
    assert.ok(tx.orchard.valueBalanceZat < 1_000_000, 'no more than the fee is in the open');
    const told = (await post({ id: 2, method: 'getaddressbalance', params: [{ addresses: [to] }] })) as { error: Json };
    assert.equal(told.error.code, -5);
  });

  it('follows money that an address got and spent again', async () => {
    const { world } = bench;
    const address = present(addressForms(world.hotAddress), 'two spellings').transparent;
    await world.pay({ token: 'ZEC', to: address, atoms: ZEC });
    await world.mine(11);
    assert.equal((await ask<Json>('getaddressbalance', { addresses: [address] })).balance, Number(ZEC));
    const signed = await signPayment(bench, world.hotAddress, ZEC / 2n);
    await bench.chain.broadcast(signed);
    await world.mine(1);
    assert.deepEqual(await ask('getaddressbalance', address), { balance: 0, received: Number(ZEC) });
    const { vin } = await ask<{ vin: Json[] }>('getrawtransaction', signed.txHash, 1);
    assert.deepEqual([vin[0]?.address, vin[0]?.valueSat], [address, Number(ZEC)]);
    const deltas = await ask<Json[]>('getaddressdeltas', { addresses: [address] });
    assert.deepEqual(
      deltas.map(({ satoshis }) => satoshis),
      [Number(ZEC), -Number(ZEC)],
    );
  });

  it('reads blocks by height and by hash, from the first to the last', async () => {
    const { blocks, difficulty } = await ask<Json>('getinfo');
    assert.equal(difficulty, 1);
    const last = await ask<Json>('getblock', String(blocks));
    assert.equal(last.hash, await ask('getbestblockhash'));
    assert.equal(last.nextblockhash, undefined);
    const before = await ask<{ tx: Json[]; nextblockhash: string }>('getblock', last.previousblockhash, 2);
    assert.equal(before.nextblockhash, last.hash);
    assert.ok('vout' in present(before.tx[0], 'a coinbase'));
    assert.ok(Math.abs(Number(last.time) - Date.now() / 1_000) < 60);
    assert.equal(typeof (await ask('getblock', last.hash, 0)), 'string');
  });

  it('asks many things at once, and is told which of them nobody knows', async () => {
    const calls = ['getblockcount', 'toString', 'z_nothing'].map((method, id) => ({ jsonrpc: '2.0', id, method }));
    const told = (await post(calls)) as { id: number; result?: unknown; error?: { code: number } }[];
    assert.deepEqual(
      told.map(({ id, error }) => [id, error?.code]),
      [
        [0, undefined],
        [1, -32601],
        [2, -32601],
      ],
    );
    const broken = await fetch(bench.world.rpcUrl, { method: 'POST', body: '{' });
    assert.equal(((await broken.json()) as { error: { code: number } }).error.code, -32700);
  });
});
