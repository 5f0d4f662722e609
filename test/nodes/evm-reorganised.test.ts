import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { hexOf } from '../../sandbox/nodes/evm-blocks.ts';
import { type EvmWorld, startEvmWorld } from '../../sandbox/nodes/evm-world.ts';
import { NATIVE_TOKEN } from '../../src/world/chains/evm/codec.ts';
import { ARBITRUM, freshAddress } from './evm-bench.ts';

const ETHER = 10n ** 18n;

describe('A reorganised EVM network in the box', () => {
  let world: EvmWorld;
  before(async () => {
    world = await startEvmWorld({ chainId: ARBITRUM });
    await world.mine(5);
  });
  after(() => world?.close());

  const height = async () => Number(await world.rpc('eth_blockNumber'));
  const hashAt = async (at: number) =>
    ((await world.rpc('eth_getBlockByNumber', [hexOf(at), false])) as { hash: string }).hash;
  const hashesFrom = async (first: number, last: number) =>
    Promise.all(Array.from({ length: last - first + 1 }, (_, at) => hashAt(first + at)));
  const balance = async (address: string) => BigInt((await world.rpc('eth_getBalance', [address, 'latest'])) as string);
  const blockOf = async (hash: string) => {
    const receipt = (await world.rpc('eth_getTransactionReceipt', [hash])) as { blockNumber: string } | null;
    return receipt ? Number(receipt.blockNumber) : undefined;
  };
  const priceOf = async (hash: string) =>
    ((await world.rpc('eth_getTransactionReceipt', [hash])) as { effectiveGasPrice: string }).effectiveGasPrice;
  const coins = async (to: string, atoms: bigint) => (await world.pay({ token: NATIVE_TOKEN, to, atoms })).txHash;

  async function collect(from: PrivateKeyAccount, to: string, value: bigint): Promise<string> {
    const fees = { gas: 21_000n, maxFeePerGas: 5n * 10n ** 9n, maxPriorityFeePerGas: 1n };
    const what = { to: to as `0x${string}`, value, nonce: 0, chainId: ARBITRUM, type: 'eip1559' } as const;
    return (await world.rpc('eth_sendRawTransaction', [await from.signTransaction({ ...what, ...fees })])) as string;
  }

  /** A coin deposit in one block, and what its address passed on in the next. */
  async function depositAndCollection() {
    const account = privateKeyToAccount(`0x${randomBytes(32).toString('hex')}`);
    const to = freshAddress();
    const deposit = await coins(account.address, ETHER);
    await world.mine(1);
    const collection = await collect(account, to, ETHER / 2n);
    await world.mine(1);
    return { deposit, collection, to };
  }

  /** In the name of an account that nobody has a key of, as the venue's bridge pays. */
  async function pretended(to: string): Promise<string> {
    const from = freshAddress();
    await world.rpc('anvil_setBalance', [from, hexOf(ETHER)]);
    await world.rpc('anvil_impersonateAccount', [from]);
    const hash = (await world.rpc('eth_sendTransaction', [{ from, to, value: '0x7' }])) as string;
    await world.rpc('anvil_stopImpersonatingAccount', [from]);
    return hash;
  }

  it('mines a payment out of a deposit again though both were undone, in blocks that are all new', async () => {
    const { deposit, collection, to } = await depositAndCollection();
    const tip = await height();
    const [mined, collected] = [await blockOf(deposit), await blockOf(collection)];
    const old = await hashesFrom(tip - 2, tip);
    const price = await priceOf(collection);
    await world.reorg(3, []);
    assert.equal(await height(), tip);
    assert.equal(await priceOf(collection), price, 'it costs what it cost');
    assert.deepEqual([await blockOf(deposit), await blockOf(collection)], [mined, collected]);
    assert.equal(await balance(to), ETHER / 2n);
    const now = await hashesFrom(tip - 2, tip);
    assert.deepEqual(
      now.filter((hash) => old.includes(hash)),
      [],
    );
  });

  it('leaves out what was paid from a dropped deposit, and goes on', async () => {
    const { deposit, collection, to } = await depositAndCollection();
    const other = freshAddress();
    const later = await coins(other, 3n);
    await world.mine(1);
    const tip = await height();
    await world.reorg(3, [deposit]);
    assert.equal(await height(), tip);
    assert.deepEqual([await blockOf(deposit), await blockOf(collection)], [undefined, undefined]);
    assert.equal(await blockOf(later), tip);
    await world.mine(2);
    assert.deepEqual([await balance(to), await balance(other)], [0n, 3n], 'what was dropped does not come back');
    await coins(other, 4n);
    await world.mine(1);
    assert.equal(await balance(other), 7n);
  });

  it('mines what an account without a key paid again under its hash, though its coins were put there by hand', async () => {
    const to = freshAddress();
    await world.mine(1);
    const hash = await pretended(to);
    await world.mine(2);
    const accounts = await world.rpc('eth_accounts');
    for (const depth of [2, 4]) {
      await world.reorg(depth, []);
      assert.equal(await balance(to), 7n, `${depth} blocks`);
      assert.equal(typeof (await blockOf(hash)), 'number');
    }
    assert.deepEqual(await world.rpc('eth_accounts'), accounts, 'the account is left as it was');
    await world.reorg(4, [hash]);
    await world.mine(1);
    assert.equal(await balance(to), 0n);
  });

  it('has what waited for a block still waiting', async () => {
    const [mined, waits] = [freshAddress(), freshAddress()];
    await coins(mined, 5n);
    await world.mine(1);
    const hashes = [await coins(waits, 6n), await coins(waits, 60n), await pretended(waits)];
    await world.reorg(3, []);
    assert.deepEqual([await balance(mined), await balance(waits)], [5n, 0n]);
    assert.equal(((await world.rpc('txpool_status')) as { pending: string }).pending, '0x3');
    await world.mine(1);
    assert.equal(await balance(waits), 73n);
    assert.deepEqual(await Promise.all(hashes.map(blockOf)), Array(3).fill(await height()));
  });

  it('refuses to drop what it does not undo, before anything is changed', async () => {
    const [deep, waits] = [freshAddress(), freshAddress()];
    const tooDeep = await coins(deep, 5n);
    await world.mine(3);
    const tip = await height();
    const hash = await hashAt(tip);
    const waiting = await coins(waits, 6n);
    for (const drop of ['nonsense', `0x${'0'.repeat(64)}`, tooDeep, waiting]) {
      await assert.rejects(world.reorg(2, [drop]), /in none of the blocks/, drop);
    }
    assert.deepEqual([await height(), await hashAt(tip)], [tip, hash]);
    await world.mine(1);
    assert.deepEqual([await balance(deep), await balance(waits)], [5n, 6n]);
  });
});
