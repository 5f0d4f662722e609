import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { TronWeb } from 'tronweb';
import { startTronSimulator, type TronWorld } from '../../sandbox/simulators/tron/simulator.ts';
import { present } from '../../src/kernel/assert.ts';
import { parseTronAddress, tronAddressOfKey, tronHex } from '../../src/world/chains/tron/codec.ts';
import { TRX_ASSET, USDT_ASSET } from '../../src/world/chains/tron/rules.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { freshAddress, UNIT } from './tron-bench.ts';

const KEY = new Uint8Array(32).fill(9);
const OWNER = tronAddressOfKey(KEY);
const USDT = USDT_ASSET.token;
const BALANCE_OF = {
  ...{ name: 'balanceOf', type: 'function', stateMutability: 'view' },
  inputs: [{ name: 'who', type: 'address' }],
  outputs: [{ name: '', type: 'uint256' }],
} as const;

describe('A stranger’s client at the simulated node of Tron', () => {
  let world: TronWorld;
  let client: TronWeb;
  before(async () => {
    world = await startTronSimulator();
    await world.fund(OWNER, TRX_ASSET.token, 1_000n * UNIT);
    await world.fund(OWNER, USDT, 30n * UNIT);
    client = new TronWeb({ fullHost: world.rpcUrl, privateKey: Buffer.from(KEY).toString('hex') });
  });
  after(() => world?.close());

  async function ask(path: string, body: unknown): Promise<Record<string, unknown>> {
    const url = `${world.rpcUrl}/${path}`;
    const reply = await httpOutbound({ at: 'test', label: path, url, method: 'POST', body: JSON.stringify(body) });
    return JSON.parse(reply.body) as Record<string, unknown>;
  }

  it('reads a balance of USDT with an interface of its own', async () => {
    const token = client.contract([BALANCE_OF], USDT);
    assert.equal(await token.balanceOf(OWNER).call(), 30n * UNIT);
    assert.equal(await token.balanceOf(freshAddress()).call(), 0n);
  });

  it('asks the chain for the interface, then pays by it and sees the payment', async () => {
    const token = await client.contract().at(USDT);
    assert.equal(await token.methods.symbol?.().call(), 'USDT');
    const to = freshAddress();
    const id: unknown = await token.methods.transfer?.(to, '7000000').send({ feeLimit: 100_000_000 });
    await world.mine(1);
    assert.equal(await token.methods.balanceOf?.(to).call(), 7n * UNIT);
    const [found] = (await world.received(USDT, to)).transfers;
    assert.equal(found?.txHash, id);
    assert.equal(await token.methods.totalSupply?.().call(), 2n * 10n ** 15n);
  });

  it('is told what a call would burn, and why a call would fail', async () => {
    const { transactionBuilder } = client;
    const payment = (amount: string) => [
      { type: 'address', value: freshAddress() },
      { type: 'uint256', value: amount },
    ];
    const method = 'transfer(address,uint256)';
    const estimate = await transactionBuilder.estimateEnergy(USDT, method, {}, payment('1'), OWNER);
    assert.equal(estimate.energy_required, 131_285);
    await assert.rejects(
      transactionBuilder.triggerConstantContract(USDT, method, {}, payment('900000000'), OWNER),
      /REVERT/,
    );
    await assert.rejects(transactionBuilder.triggerConstantContract(OWNER, 'name()', {}, [], OWNER), /not exist/);
  });

  it('learns that there is no contract where there is an account', async () => {
    await assert.rejects(client.contract().at(OWNER), /has not been deployed/);
  });

  it('finds a block by its id', async () => {
    const { id, height } = world.ledger.tip;
    const block = await client.trx.getBlockByHash(id);
    assert.equal(block.block_header.raw_data.number, height);
    assert.equal((await client.trx.getBlock(id)).blockID, id);
    await assert.rejects(client.trx.getBlockByHash('ab'.repeat(32)), /not found/);
  });

  it('writes addresses in base58 and reads them so', async () => {
    const account = await ask('wallet/getaccount', { address: OWNER, visible: true });
    assert.equal(account.address, OWNER);
    assert.ok(Number(account.balance) > 0);
    const hex = await ask('wallet/getaccount', { address: tronHex(OWNER) });
    assert.deepEqual(hex, { ...account, address: tronHex(OWNER) });
    const to = freshAddress();
    const { txHash } = await world.pay({ token: USDT, to, atoms: UNIT });
    await world.mine(1);
    const query = { value: txHash, visible: true };
    const info = await ask('wallet/gettransactioninfobyid', query);
    assert.equal(info.contract_address, USDT);
    assert.equal((info.log as { address: string }[])[0]?.address, USDT);
    const tx = JSON.stringify(await ask('wallet/gettransactionbyid', query));
    assert.ok(tx.includes(`"owner_address":"${world.customerAddress}"`), tx);
    assert.equal((await ask('wallet/getcontract', { value: USDT, visible: true })).contract_address, USDT);
    const held = await ask('wallet/triggerconstantcontract', {
      ...{ owner_address: to, contract_address: USDT, visible: true, function_selector: 'balanceOf(address)' },
      parameter: tronHex(to).slice(2).padStart(64, '0'),
    });
    assert.deepEqual(held.constant_result, [UNIT.toString(16).padStart(64, '0')]);
  });

  it('is told of a wrong spelling instead of an empty account', async () => {
    assert.match(String((await ask('wallet/getaccount', { address: OWNER })).Error), /INVALID hex String/);
    const mistyped = `${OWNER.slice(0, -1)}${OWNER.endsWith('a') ? 'b' : 'a'}`;
    assert.equal(parseTronAddress(mistyped), undefined);
    const reply = await ask('wallet/getaccount', { address: mistyped, visible: true });
    assert.match(String(reply.Error), /INVALID base58 String/);
    assert.deepEqual(await ask('wallet/getaccount', { address: freshAddress(), visible: true }), {});
  });

  it('gets an answer on every path', async () => {
    for (const path of ['//', '/wallet/nothing', '/%zz', '/', '/?']) {
      const { status } = await fetch(`${present(world.rpcUrl, 'an address')}${path}`);
      assert.equal(status, 404, path);
    }
  });
});
