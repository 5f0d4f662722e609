import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BitcoinWorld } from '../../sandbox/nodes/bitcoin-world.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { Fault } from '../../src/kernel/fault.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { addressOfScript } from '../../src/world/chains/bitcoin/address-codec.ts';
import { openBitcoin } from '../../src/world/chains/bitcoin/bitcoin.ts';
import { parseSpending } from '../../src/world/chains/bitcoin/codec.ts';
import { BITCOIN } from '../../src/world/chains/bitcoin/networks.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { type BitcoinBench, BTC, openBitcoinBench } from './bitcoin-bench.ts';

const isTransient = (error: unknown) => error instanceof Fault && error.kind === 'transient';
const isPermanent = (error: unknown) => error instanceof Fault && error.kind === 'permanent';

/** What can go wrong between choosing outputs and a payment that nobody can undo. */
export function payoutStories(name: string, start: () => Promise<BitcoinWorld>): void {
  describe(`A payout of bitcoin on ${name}`, () => {
    let bend: Outbound = httpOutbound;
    let bench: BitcoinBench;
    let leg = 0;

    before(async () => {
      bench = await openBitcoinBench(await start(), (call) => bend(call));
    });
    after(() => bench?.world.close());

    const ask = async (to: Address, amount: bigint) => bench.request(to, amount, ++leg);
    const pay = async (to: Address, amount: bigint) => bench.sign(await ask(to, amount));
    const transfer = (to: Address, amount: bigint) =>
      ({ from: 'hot', asset: BITCOIN.coin.asset.id, atoms: atoms(amount), to }) as const;
    const received = async (to: Address) => (await bench.world.received('BTC', to)).total;
    const estimates = (answer: unknown) => {
      bend = async (call) =>
        call.label === 'estimatesmartfee'
          ? { status: 200, body: JSON.stringify({ result: answer, error: null, id: 1 }) }
          : httpOutbound(call);
    };

    it('reaches every kind of address', async () => {
      const { chain, world, config } = bench;
      const scripts = [
        `76a914${'11'.repeat(20)}88ac`,
        `a914${'22'.repeat(20)}87`,
        `0014${'33'.repeat(20)}`,
        `0020${'44'.repeat(32)}`,
        '512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
      ];
      for (const script of scripts) {
        const to = present(addressOfScript(config.network, script), script);
        await chain.broadcast(await pay(to, 10_000_000n));
        await world.mine(1);
        assert.equal(await received(to), 10_000_000n, to);
      }
    });

    it('never spends what another one spends, though neither was sent yet', async () => {
      const { chain, world } = bench;
      const [a, b] = [await world.freshDestination(), await world.freshDestination()];
      const [first, second] = [await pay(a, BTC / 4n), await pay(b, BTC / 4n)];
      assert.equal(
        new Set([...first.consumes, ...second.consumes]).size,
        first.consumes.length + second.consumes.length,
      );
      for (const signed of [first, second]) await chain.broadcast(signed);
      await world.mine(1);
      assert.deepEqual([await received(a), await received(b)], [BTC / 4n, BTC / 4n]);
    });

    it('spends a deposit where it lies, once nothing can take it back', async () => {
      const { chain, world } = bench;
      const [deposit] = await chain.depositAddresses(100, 1);
      const before = await chain.balance('hot', BITCOIN.coin.asset.id);
      // No output is as close to what will be paid as this one.
      await world.payAll({ to: present(deposit, 'a deposit address'), atoms: 7_000_000n });
      await world.mine(5);
      const young = await chain.balance('hot', BITCOIN.coin.asset.id);
      assert.equal(young.spendable + young.locked - before.spendable - before.locked, 7_000_000n);
      const to = await world.freshDestination();
      assert.doesNotMatch((await ask(to, 6_000_000n)).fee.in0 ?? '', /:100$/);
      await world.mine(1);
      const request = await ask(to, 6_000_000n);
      assert.match(request.fee.in0 ?? '', /:7000000:100$/);
      await chain.broadcast(await bench.sign(request));
      await world.mine(1);
      assert.equal(await received(to), 6_000_000n);
      assert.deepEqual(await chain.balance({ deposit: 100 }, BITCOIN.coin.asset.id), { spendable: 0n, locked: 0n });
    });

    it('gathers outputs where none is enough', async () => {
      const { chain, world } = bench;
      const to = await world.freshDestination();
      const signed = await pay(to, (BTC * 5n) / 2n);
      assert.equal(signed.consumes.length, 3);
      await chain.broadcast(signed);
      await world.mine(1);
      assert.equal(await received(to), (BTC * 5n) / 2n);
    });

    it('outbid by its own replacement is dead once that one is six deep, and not a block sooner', async () => {
      const { chain, world, rail } = bench;
      const to = await world.freshDestination();
      const request = await ask(to, BTC / 2n);
      const first = await bench.sign(request);
      await chain.broadcast(first);
      const terms = await chain.terms(transfer(to, BTC / 2n), first);
      assert.ok('fee' in terms);
      const dearer = { ...request, fee: terms.fee };
      assert.ok(rail.outbids(dearer.fee, request.fee) && !rail.outbids(request.fee, dearer.fee));
      const second = await bench.sign(dearer);
      assert.deepEqual(second.consumes, first.consumes);
      await chain.broadcast(second);
      await chain.broadcast(first);
      assert.deepEqual(
        [await chain.status(first), await chain.status(second)],
        [{ state: 'unknown' }, { state: 'pool' }],
      );
      await world.mine(5);
      await chain.broadcast(first);
      assert.deepEqual(await chain.status(first), { state: 'unknown' });
      await world.mine(1);
      const dead = await chain.status(first);
      assert.ok(dead.state === 'dead' && dead.proof.includes(second.txHash), JSON.stringify(dead));
      assert.equal(await received(to), BTC / 2n);
    });

    it('that is long past is still told by what spent its inputs', async () => {
      const { chain, world, taken } = bench;
      const never = await pay(await world.freshDestination(), BTC / 2n);
      for (const token of never.consumes) taken.delete(token);
      const other = await pay(await world.freshDestination(), BTC / 2n);
      assert.deepEqual(never.consumes, other.consumes);
      await chain.broadcast(other);
      await world.mine(60);
      assert.deepEqual(await chain.status(never), { state: 'unknown' }, 'blocks are searched some at a time');
      const dead = await chain.status(never);
      assert.ok(dead.state === 'dead' && dead.proof.includes(other.txHash));
      assert.equal((await chain.status(other)).state, 'mined');
    });

    it('is not called dead by a node that forgot it', async () => {
      const { chain, world } = bench;
      const signed = await pay(await world.freshDestination(), BTC / 2n);
      await chain.broadcast(signed);
      await world.mine(8);
      const forgotten = JSON.stringify({ result: null, error: { code: -5, message: 'No such transaction' }, id: 1 });
      bend = async (call) =>
        call.body?.includes(signed.txHash) ? { status: 500, body: forgotten } : httpOutbound(call);
      assert.deepEqual(await chain.status(signed), { state: 'unknown' });
      bend = httpOutbound;
      assert.equal((await chain.status(signed)).state, 'mined');
    });

    it('does not begin with outputs that the pool spends, whoever forgot that it does', async () => {
      const { chain, world, taken } = bench;
      const to = await world.freshDestination();
      const signed = await pay(to, BTC / 2n);
      await chain.broadcast(signed);
      for (const token of signed.consumes) taken.delete(token);
      await assert.rejects(ask(to, BTC / 2n), isTransient);
      await world.mine(1);
      assert.ok((await ask(to, BTC / 2n)).fee.in0);
    });

    it('knows what a reorganisation took from our outputs', async () => {
      const { chain, world } = bench;
      const total = async () => {
        const { spendable, locked } = await chain.balance('hot', BITCOIN.coin.asset.id);
        return spendable + locked;
      };
      const before = await total();
      const hash = await world.payAll({ to: chain.hotAddress, atoms: BTC });
      await world.mine(2);
      assert.equal((await total()) - before, BTC);
      await world.reorg(2, [hash]);
      assert.equal(await total(), before);
    });

    it('is refused where it is dust, and waits where we are short', async () => {
      const { chain, world, config } = bench;
      const to = await world.freshDestination();
      const legacy = present(addressOfScript(config.network, `76a914${'11'.repeat(20)}88ac`), 'an address');
      const least =
        config.network.dustRate === 3_000n ? { segwit: 294n, legacy: 546n } : { segwit: 2_940n, legacy: 5_460n };
      assert.ok('refused' in (await chain.terms(transfer(to, least.segwit - 1n))));
      assert.ok('cost' in (await chain.terms(transfer(to, least.segwit))));
      assert.ok('refused' in (await chain.terms(transfer(legacy, least.legacy - 1n))));
      await assert.rejects(chain.terms(transfer(to, 1_000n * BTC)), isTransient);
      await assert.rejects(chain.terms({ ...transfer(to, BTC), from: { deposit: 0 } }), isPermanent);
    });

    it('costs what the node says, within our bounds', async () => {
      const { chain, world, config } = bench;
      const to = await world.freshDestination();
      estimates({ feerate: 0.00012345, blocks: 2 });
      const price = await chain.terms(transfer(chain.hotAddress, 0n));
      // 141 virtual bytes: one input, two outputs.
      assert.deepEqual(price, { nonce: undefined, fee: {}, cost: 1_741n, usual: 1_741n });
      const terms = await chain.terms(transfer(to, BTC / 10n));
      assert.ok('cost' in terms && terms.cost === parseSpending(terms.fee)?.fee && terms.cost === terms.usual);
      estimates({ feerate: 0.1, blocks: 2 });
      await assert.rejects(chain.terms(transfer(to, BTC / 10n)), isTransient);
      estimates({ errors: ['Insufficient data or no feerate found'], blocks: 0 });
      const { fees: _, ...careful } = config;
      const blind = await openBitcoin(careful, (call) => bend(call));
      await assert.rejects(blind.terms(transfer(to, BTC / 10n)), isTransient);
      bend = httpOutbound;
    });

    it('is not taken with a signature that does not fit', async () => {
      const { chain, world } = bench;
      const signed = await pay(await world.freshDestination(), BTC / 10n);
      const { length } = signed.raw;
      // A byte within the public key at the end of the witness.
      const raw = `${signed.raw.slice(0, length - 20)}${signed.raw.slice(length - 20, length - 18) === '00' ? '01' : '00'}${signed.raw.slice(length - 18)}`;
      assert.ok(await chain.broadcast({ ...signed, raw }), 'the node says no');
      assert.deepEqual(await chain.status(signed), { state: 'unknown' });
      await chain.broadcast(signed);
      assert.equal((await chain.status(signed)).state, 'pool');
    });

    it('is not made on a node of another network', async () => {
      await assert.rejects(openBitcoin({ ...bench.config, network: BITCOIN }, httpOutbound), isPermanent);
    });

    it('is made of forty small deposits where a desk bought nothing larger', async () => {
      const { chain, world } = bench;
      await world.mine(6);
      const { spendable, locked } = await chain.balance('hot', BITCOIN.coin.asset.id);
      assert.equal(locked, 0n, 'nothing else is under way');
      const each = BTC / 10n;
      const deposits = await chain.depositAddresses(60, 40);
      await world.payAll(...deposits.map((to) => ({ to, atoms: each })));
      await world.mine(6);
      const to = await world.freshDestination();
      const amount = spendable + 38n * each;
      const signed = await pay(to, amount);
      assert.ok(signed.consumes.length > 38, `${signed.consumes.length} inputs`);
      await chain.broadcast(signed);
      await world.mine(1);
      assert.equal(await received(to), amount);
    });
  });
}
