import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createPublicClient, erc20Abi, http } from 'viem';
import { type EvmWorld, startEvmWorld } from '../../sandbox/nodes/evm-world.ts';
import { present } from '../../src/kernel/assert.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { evmContractOf, NATIVE_TOKEN } from '../../src/world/chains/evm/codec.ts';
import { EVM_NETWORKS } from '../../src/world/chains/evm/networks.ts';
import { familyOf } from '../e2e/processes.ts';
import { ARBITRUM, assetOf, freshAddress } from './evm-bench.ts';

describe('An EVM network in the box', () => {
  let world: EvmWorld;
  before(async () => {
    world = await startEvmWorld({ chainId: ARBITRUM });
  });
  after(() => world?.close());

  it('has a token that any client can read', async () => {
    const usdc = assetOf(world, 'USDC');
    const client = createPublicClient({ transport: http(world.rpcUrl) });
    const address = present(evmContractOf(usdc.id), 'contract') as string as `0x${string}`;
    const customer = world.customerAddress as string as `0x${string}`;
    const call = { address, abi: erc20Abi } as const;
    const read = await Promise.all([
      client.readContract({ ...call, functionName: 'symbol' }),
      client.readContract({ ...call, functionName: 'name' }),
      client.readContract({ ...call, functionName: 'decimals' }),
      client.readContract({ ...call, functionName: 'totalSupply' }),
      client.readContract({ ...call, functionName: 'balanceOf', args: [customer] }),
      client.readContract({ ...call, functionName: 'allowance', args: [customer, address] }),
    ]);
    assert.deepEqual(
      read,
      ['USDC', 'USD Coin', 6, 3n * 10n ** 15n, 10n ** 15n, 0n],
      'three customers have as much each',
    );
    const tooMuch = { ...call, functionName: 'transfer', args: [customer, 10n ** 16n], account: customer } as const;
    await assert.rejects(client.simulateContract(tooMuch), /transfer amount exceeds balance/);
  });

  it('has a token that a third party spends within the allowance and no further', async () => {
    const usdc = assetOf(world, 'USDC');
    const client = createPublicClient({ transport: http(world.rpcUrl) });
    const address = present(evmContractOf(usdc.id), 'contract') as string as `0x${string}`;
    const [spender, owner, payee] = [...((await world.rpc('eth_accounts')) as `0x${string}`[])].slice(0, 3);
    assert.ok(spender && owner && payee);
    const data = `0x095ea7b3${spender.slice(2).padStart(64, '0')}${'5'.padStart(64, '0')}`;
    await world.rpc('eth_sendTransaction', [{ from: owner, to: address, data }]);
    await world.mine(1);
    const take = (value: bigint) =>
      client.simulateContract({
        ...{ address, abi: erc20Abi, account: spender },
        ...{ functionName: 'transferFrom', args: [owner, payee, value] },
      });
    assert.equal((await take(5n)).result, true);
    await assert.rejects(take(6n), /insufficient allowance/);
  });

  it('takes many payments of its customer at once', async () => {
    const to = freshAddress();
    const { token } = assetOf(world, 'USDC');
    const sent = await Promise.all(Array.from({ length: 20 }, () => world.pay({ token, to, atoms: 3n })));
    await world.mine(1);
    const { total, transfers } = await world.received(token, to);
    assert.equal(total, 60n);
    assert.deepEqual(new Set(transfers.map(({ txHash }) => txHash)), new Set(sent.map(({ txHash }) => txHash)));
  });

  it('drops one payment in a reorganisation and keeps those before and after it', async () => {
    const to = freshAddress();
    const pay = (amount: bigint) => world.pay({ token: NATIVE_TOKEN, to, atoms: amount });
    const [first, second, third] = [await pay(1n), await pay(20n), await pay(300n)];
    await world.mine(2);
    assert.equal((await world.received(NATIVE_TOKEN, to)).total, 321n);
    await world.reorg(2, [second.txHash]);
    const { transfers } = await world.received(NATIVE_TOKEN, to);
    assert.deepEqual(
      transfers.map(({ txHash }) => txHash),
      [first.txHash, third.txHash],
    );
    await pay(4_000n);
    await world.mine(1);
    assert.equal((await world.received(NATIVE_TOKEN, to)).total, 4_301n);
  });

  it('makes blocks in its own rhythm, and funds an account under it', async () => {
    const someone: Address = freshAddress();
    await world.setAutomine(50);
    await world.fund(someone, NATIVE_TOKEN, 7n);
    assert.equal((await world.received(NATIVE_TOKEN, someone)).total, 7n);
    await world.setAutomine(0);
  });
});

describe('Every EVM network in the box', () => {
  for (const { facts } of EVM_NETWORKS) {
    it(`of ${facts.name} has its tokens where they really are, and a customer who holds them all`, async (t) => {
      const world = await startEvmWorld({ chainId: facts.id });
      t.after(() => world.close());
      const client = createPublicClient({ transport: http(world.rpcUrl) });
      const someone = freshAddress();
      for (const { id, token, symbol, decimals } of facts.assets) {
        await world.fund(someone, token, 7n);
        assert.equal((await world.received(token, someone)).total, 7n, symbol);
        await world.pay({ token, to: someone, atoms: 10n ** BigInt(decimals) });
        await world.mine(1);
        assert.equal((await world.received(token, someone)).total, 7n + 10n ** BigInt(decimals), symbol);
        const contract = evmContractOf(id);
        if (!contract) continue;
        const call = { address: contract as string as `0x${string}`, abi: erc20Abi } as const;
        assert.equal(await client.readContract({ ...call, functionName: 'symbol' }), symbol);
        assert.equal(await client.readContract({ ...call, functionName: 'decimals' }), decimals);
      }
    });
  }
});

describe('An EVM network that is to run for long', () => {
  const dir = mkdtempSync(join(tmpdir(), 'wherry-long-chain-'));
  const stateFile = join(dir, 'state.json');
  after(() => rmSync(dir, { recursive: true, force: true }));

  it('keeps no more states than it is told to, and can be started again and reorganised as deep as anybody may ask', async () => {
    const world = await startEvmWorld({ chainId: ARBITRUM, stateFile, statesKept: 128 });
    try {
      const to = freshAddress();
      await world.mine(300);
      const { txHash } = await world.pay({ token: NATIVE_TOKEN, to, atoms: 5n });
      await world.mine(100);
      await world.restart();
      const kept = JSON.parse(readFileSync(stateFile, 'utf8')) as { historical_states: readonly unknown[] };
      assert.ok(kept.historical_states.length < 150, `${kept.historical_states.length} states were written`);
      assert.equal((await world.received(NATIVE_TOKEN, to)).total, 5n);
      await world.reorg(100, [txHash]);
      assert.equal((await world.received(NATIVE_TOKEN, to)).total, 0n);
    } finally {
      await world.close();
    }
  });

  it('has states that do not grow with each block that nobody uses', async () => {
    const { historical_states: states } = JSON.parse(readFileSync(stateFile, 'utf8')) as {
      historical_states: readonly [string, { readonly storage: object }][];
    };
    const words = states.flatMap(([, { storage }]) => Object.values(storage).map((one) => Object.keys(one).length));
    assert.ok(Math.max(...words) < 100, `a contract has ${Math.max(...words)} words`);
  });

  it('is told again what it forgot when it was killed, and nobody is paid twice by that', async () => {
    const file = join(dir, 'dies.json');
    const world = await startEvmWorld({ chainId: ARBITRUM, stateFile: file, statesKept: 128 });
    try {
      const to = freshAddress();
      const { token } = assetOf(world, 'USDC');
      await world.pay({ token: NATIVE_TOKEN, to, atoms: 5n });
      await world.pay({ token, to, atoms: 7n });
      await world.mine(3);
      assert.equal((await world.received(NATIVE_TOKEN, to)).total, 5n);
      const node = familyOf(process.pid).find(({ command }) => command.includes(file));
      process.kill(present(node, 'the node').pid, 'SIGKILL');
      const isThere = () => world.rpc('eth_blockNumber').then(Number, () => Number.POSITIVE_INFINITY);
      while ((await isThere()) === Number.POSITIVE_INFINITY) await pause(20);
      await world.mine(1);
      assert.equal(BigInt((await world.rpc('eth_getBalance', [to, 'latest'])) as string), 5n);
      assert.equal((await world.received(NATIVE_TOKEN, to)).total, 5n);
      assert.equal((await world.received(token, to)).total, 7n);
    } finally {
      await world.close();
    }
  });

  it('has what waited for a block when it was killed, and not what was dropped', async () => {
    const file = join(dir, 'killed.json');
    const first = await startEvmWorld({ chainId: ARBITRUM, stateFile: file, statesKept: 128 });
    const [kept, dropped] = [freshAddress(), freshAddress()];
    const { txHash } = await first.pay({ token: NATIVE_TOKEN, to: dropped, atoms: 7n });
    await first.mine(2);
    await first.reorg(2, [txHash]);
    await first.pay({ token: NATIVE_TOKEN, to: kept, atoms: 5n });
    await first.close();
    const again = await startEvmWorld({ chainId: ARBITRUM, stateFile: file, statesKept: 128 });
    await again.mine(1);
    assert.equal((await again.received(NATIVE_TOKEN, kept)).total, 5n);
    assert.equal((await again.received(NATIVE_TOKEN, dropped)).total, 0n);
    await again.close();
  });

  it('goes on from what is whole, where it was killed while it wrote or before that was put in its place', async () => {
    const written = readFileSync(stateFile);
    const { best_block_number: best } = JSON.parse(written.toString()) as { best_block_number: number };
    assert.ok(best > 400);
    const heightAgain = async () => {
      const world = await startEvmWorld({ chainId: ARBITRUM, stateFile, statesKept: 128 });
      const height = Number(await world.rpc('eth_blockNumber'));
      await world.close();
      return height;
    };
    writeFileSync(`${stateFile}.new`, written.subarray(0, written.length / 2));
    assert.equal(await heightAgain(), best);
    renameSync(stateFile, `${stateFile}.new`);
    assert.equal(await heightAgain(), best);
  });
});
