import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { privateKeyToAccount } from 'viem/accounts';
import { type Anvil, startAnvil } from '../../sandbox/nodes/anvil.ts';
import { hexOf } from '../../sandbox/nodes/evm-blocks.ts';
import { RpcError } from '../../src/world/outbound/json-rpc.ts';
import { freshAddress } from '../nodes/evm-bench.ts';

const CHAIN = 42161;
const GWEI = 10n ** 9n;
const KEY = `0x${'42'.repeat(32)}` as const;

describe("An EVM node's stand-in", () => {
  let node: Anvil;
  before(async () => {
    node = await startAnvil({ chainId: CHAIN, kind: 'simulated' });
  });
  after(() => node?.stop());

  const payer = privateKeyToAccount(KEY);
  const signed = (
    over: Partial<{ nonce: number; value: bigint; chainId: number; maxFeePerGas: bigint; gas: bigint }> = {},
  ) =>
    payer.signTransaction({
      ...{
        to: freshAddress() as string as `0x${string}`,
        value: 1n,
        nonce: 0,
        chainId: CHAIN,
        type: 'eip1559' as const,
      },
      ...{ gas: 21_000n, maxFeePerGas: 4n * GWEI, maxPriorityFeePerGas: GWEI, ...over },
    });
  const send = (raw: string) => node.rpc('eth_sendRawTransaction', [raw]);
  const refusal = async (asked: Promise<unknown>): Promise<string> => {
    const error = await asked.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof RpcError, 'it was taken');
    return error.message;
  };
  const coins = async (account: string, at = 'latest') =>
    BigInt((await node.rpc('eth_getBalance', [account, at])) as string);

  it('takes what the holder of the money signed for this network, once, and nothing else', async () => {
    await node.rpc('anvil_setBalance', [payer.address, hexOf(10n ** 18n)]);
    const raw = await signed();
    const bent = `${raw.slice(0, -2)}${raw.endsWith('00') ? '01' : '00'}`;
    assert.match(
      await refusal(send(bent)),
      /Insufficient funds|Failed to decode/,
      'another signature is another payer',
    );
    assert.match(await refusal(send(raw.slice(0, -6))), /Failed to decode/);
    assert.match(await refusal(send(await signed({ chainId: 1 }))), /Failed to decode|chain id/);
    assert.match(await refusal(send(await signed({ value: 10n ** 18n }))), /Insufficient funds/);
    assert.match(await refusal(send(await signed({ maxFeePerGas: GWEI / 2n }).catch(() => '0x'))), /less than|decode/);
    assert.match(await refusal(send(await signed({ gas: 20_999n }))), /intrinsic gas too low/);
    await send(raw);
    assert.match(await refusal(send(raw)), /already imported/);
    assert.match(await refusal(send(await signed({ value: 2n, maxFeePerGas: 4n * GWEI + 1n }))), /underpriced/);
    await node.rpc('anvil_mine', ['0x1']);
    assert.match(await refusal(send(raw)), /nonce too low/);
  });

  it('shows each account as it was after every block, and as it would be for one question', async () => {
    const [sender] = (await node.rpc('eth_accounts')) as [string];
    const to = freshAddress();
    const heights: number[] = [];
    for (const value of [1n, 10n, 100n]) {
      await node.rpc('eth_sendTransaction', [{ from: sender, to, value: hexOf(value) }]);
      await node.rpc('anvil_mine', ['0x1']);
      heights.push(Number(await node.rpc('eth_blockNumber')));
    }
    assert.deepEqual(await Promise.all(heights.map((height) => coins(to, hexOf(height)))), [1n, 11n, 111n]);
    // SELFBALANCE 0 MSTORE 32 0 RETURN
    const told = '0x4760005260206000f3';
    const asIf = { [to]: { code: told, balance: '0x5' } };
    assert.equal(BigInt((await node.rpc('eth_call', [{ to }, 'latest', asIf])) as string), 5n);
    assert.equal(await node.rpc('eth_call', [{ to }, 'latest']), '0x', 'and nothing of it stays');
  });

  it('undoes blocks with all that they did, and what was put there by hand before them stays', async () => {
    const [sender] = (await node.rpc('eth_accounts')) as [string];
    const [paid, given] = [freshAddress(), freshAddress()];
    await node.rpc('anvil_setBalance', [given, '0x7']);
    const hash = await node.rpc('eth_sendTransaction', [{ from: sender, to: paid, value: '0x3' }]);
    await node.rpc('anvil_mine', ['0x2']);
    await node.rpc('anvil_rollback', [2]);
    assert.deepEqual([await coins(paid), await coins(given)], [0n, 7n]);
    assert.equal(await node.rpc('eth_getTransactionReceipt', [hash]), null);
    assert.match(await refusal(node.rpc('anvil_rollback', [1_000])), /must not exceed/);
  });

  it('answers a question that never ends, and goes on', async () => {
    const endless = freshAddress();
    await node.rpc('anvil_setCode', [endless, '0x5b600056']);
    assert.match(await refusal(node.rpc('eth_call', [{ to: endless, gas: '0x186a0' }, 'latest'])), /OutOfGas/);
    assert.match(await refusal(node.rpc('eth_estimateGas', [{ to: endless, gas: '0x186a0' }])), /gas required exceeds/);
    assert.match(await refusal(node.rpc('eth_nothing')), /Method not found/);
    assert.match(await refusal(node.rpc('eth_getBalance', ['0x12', 'latest'])), /invalid/);
    assert.match(await refusal(node.rpc('anvil_setBalance', [endless, 'much'])), /BigInt/);
    assert.match(await refusal(send('no bytes')), /Failed to decode/);
  });

  it('asks for a nonce less where an earlier one is missing, and mines them in their order', async () => {
    const account = privateKeyToAccount(`0x${'43'.repeat(32)}`);
    await node.rpc('anvil_setBalance', [account.address, hexOf(10n ** 18n)]);
    const sign = (nonce: number) =>
      account.signTransaction({
        ...{ to: account.address, nonce, chainId: CHAIN, type: 'eip1559' as const, gas: 21_000n },
        ...{ maxFeePerGas: 4n * GWEI, maxPriorityFeePerGas: GWEI },
      });
    const nonceAt = async (tag: string) => Number(await node.rpc('eth_getTransactionCount', [account.address, tag]));
    await send(await sign(1));
    assert.deepEqual([await nonceAt('latest'), await nonceAt('pending')], [0, 0]);
    await send(await sign(0));
    assert.deepEqual([await nonceAt('latest'), await nonceAt('pending')], [0, 2]);
    await node.rpc('anvil_mine', ['0x1']);
    assert.equal(await nonceAt('latest'), 2);
  });
});
