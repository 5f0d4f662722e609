import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assemble } from '../../sandbox/nodes/evm-assembler.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Address, intentId, type TxHash, txHash } from '../../src/kernel/ids.ts';
import type { Asset, Chain, SignedTransfer, Terms, Transfer } from '../../src/world/chains/chain.ts';
import { outbidding } from '../../src/world/chains/evm/codec.ts';
import { openEvm } from '../../src/world/chains/evm/evm.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { assetOf, type EvmBench, freshAddress, openEvmBench, signForTest, XPUB } from './evm-bench.ts';

/** Refuses coins once anybody has called it with a word that is not zero. */
const MOODY = 'CALLDATASIZE @told JUMPI 0 SLOAD @cross JUMPI STOP told: 0 CALLDATALOAD 0 SSTORE STOP cross: 0 0 REVERT';

describe('A payout that is not yet settled on an EVM network', () => {
  let bench: EvmBench;
  let chain: Chain;
  let coin: Asset;
  let leg = 0;
  const value = atoms(10n ** 8n);

  before(async () => {
    bench = await openEvmBench('USDC');
    chain = bench.chain;
    coin = assetOf(bench.world, 'ETH');
  });
  after(() => bench?.close());

  const transferTo = (to: Address, asset = coin.id): Transfer => ({ from: 'hot', asset, atoms: value, to });

  async function termsTo(to: Address, replacing?: SignedTransfer, asset = coin.id): Promise<Terms> {
    const terms = await chain.terms(transferTo(to, asset), replacing);
    assert.ok(!('refused' in terms));
    return terms;
  }

  function signed(to: Address, { nonce, fee }: Pick<Terms, 'nonce' | 'fee'>, asset = coin.id): SignedTransfer {
    leg += 1;
    const about = { intent: intentId('treasury', 'payout', leg), chainId: chain.facts.id };
    return signForTest({ ...transferTo(to, asset), ...about, nonce: present(nonce, 'a nonce'), fee });
  }

  async function tell(contract: Address): Promise<TxHash> {
    const { rpc, customerAddress: from } = bench.world;
    return txHash(
      (await rpc('eth_sendTransaction', [{ from, to: contract, data: `0x${'1'.padStart(64, '0')}` }])) as string,
    );
  }

  async function outcome(attempt: SignedTransfer): Promise<{ ok: boolean; settled: boolean }> {
    const status = await chain.status(attempt);
    assert.ok(status.state === 'mined', status.state);
    return { ok: status.ok, settled: status.settled };
  }

  it('may fail in a block that is taken back, and then pay: until it is settled a failure is no failure', async () => {
    const moody = freshAddress();
    await bench.world.rpc('anvil_setCode', [moody, assemble(MOODY)]);
    const attempt = signed(moody, await termsTo(moody));
    const mood = await tell(moody);
    await bench.mine(1);
    await chain.broadcast(attempt);
    await bench.mine(1);
    assert.deepEqual(await outcome(attempt), { ok: false, settled: false });

    await bench.reorg(2, [mood]);
    assert.deepEqual(await outcome(attempt), { ok: true, settled: false });
    await bench.mine(2);
    assert.deepEqual(await outcome(attempt), { ok: true, settled: true });
    assert.equal((await bench.world.received(coin.token, moody)).total, value);
  });

  it('that failed for good is settled as a failure', async () => {
    const moody = freshAddress();
    await bench.world.rpc('anvil_setCode', [moody, assemble(MOODY)]);
    const attempt = signed(moody, await termsTo(moody));
    await tell(moody);
    await bench.mine(1);
    await chain.broadcast(attempt);
    await bench.mine(3);
    assert.deepEqual(await outcome(attempt), { ok: false, settled: true });
  });

  it('is outbid from the very price on that the signer agrees to, and not for the same price', async () => {
    const to = freshAddress();
    const held = await termsTo(to);
    const outbids = present(bench.market, 'a market').outbids;
    const at = (raise: (price: bigint) => bigint): Pick<Terms, 'nonce' | 'fee'> => {
      const [most, tip] = [held.fee.maxFeePerGas, held.fee.maxPriorityFeePerGas].map((price) =>
        raise(BigInt(price ?? '')),
      );
      return { ...held, fee: { ...held.fee, maxFeePerGas: `${most}`, maxPriorityFeePerGas: `${tip}` } };
    };
    const first = signed(to, held);
    await chain.broadcast(first);
    const least = at(outbidding);
    assert.ok(outbids(least.fee, held.fee));
    const second = signed(to, least);
    await chain.broadcast(second);
    assert.deepEqual(
      [await chain.status(first), await chain.status(second)],
      [{ state: 'unknown' }, { state: 'pool' }],
    );
    for (const feeble of [at((price) => price), at((price) => outbidding(price) - 1n)]) {
      assert.ok(!outbids(feeble.fee, held.fee), JSON.stringify(feeble.fee));
      await chain.broadcast(signed(to, feeble));
      assert.equal((await chain.status(second)).state, 'pool', 'a lower offer drives nothing out');
    }
    await bench.mine(1);
    assert.equal((await bench.world.received(coin.token, to)).total, value);
  });

  it('is outbid with as much gas as the first version had, though that one lies in the pool and would fill the account', async () => {
    const { id: usdc, token } = assetOf(bench.world, 'USDC');
    const to = freshAddress();
    const held = await termsTo(to, undefined, usdc);
    const first = signed(to, held, usdc);
    await chain.broadcast(first);
    const next = await termsTo(to, first, usdc);
    assert.equal(next.fee.gas, held.fee.gas);
    const second = signed(to, next, usdc);
    await chain.broadcast(second);
    await bench.mine(1);
    assert.equal((await outcome(second)).ok, true);
    assert.equal((await bench.world.received(token, to)).total, value);
  });

  it('is not outbid at any price', async () => {
    const { network, rpcUrl } = bench.world;
    const to = freshAddress();
    const terms = await termsTo(to);
    const held = signed(to, terms);
    const fees = { ...network.fees, maxFeePerGas: BigInt(present(terms.fee.maxFeePerGas, 'a price')) };
    const config = { network, rpcUrl, xpub: XPUB, hotAddress: chain.hotAddress, fees };
    const thrifty = await openEvm(config, httpOutbound);
    await assert.rejects(
      thrifty.terms(transferTo(to), held),
      (error) => error instanceof Fault && error.kind === 'transient' && /outbid/.test(error.message),
    );
  });
});
