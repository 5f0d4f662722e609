import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BitcoinWorld } from '../../sandbox/nodes/bitcoin-world.ts';
import { type BitcoinBench, BTC, openBitcoinBench } from './bitcoin-bench.ts';

/** What `POST /sandbox/reorg` does to a network, real or not. */
export function reorgStories(where: string, start: () => Promise<BitcoinWorld>): void {
  describe(`A reorganised Bitcoin network on ${where}`, () => {
    let bench: BitcoinBench;
    let world: BitcoinWorld;
    let leg = 900;
    before(async () => {
      world = await start();
      bench = await openBitcoinBench(world);
    });
    after(() => world?.close());

    const height = async () => (await world.rpc('getblockcount')) as number;
    const hashAt = (at: number) => world.rpc('getblockhash', [at]);
    const hashesAbove = async (below: number) => {
      const tip = await height();
      return Promise.all(Array.from({ length: tip - below }, (_, at) => hashAt(below + 1 + at)));
    };
    const pool = async () => new Set((await world.rpc('getrawmempool')) as string[]);
    const totalOf = async (address: string) => (await world.received('BTC', address)).total;

    /** A payment of the desk, which waits for a block. */
    async function payout(to: Awaited<ReturnType<BitcoinWorld['freshDestination']>>, atoms: bigint) {
      leg += 1;
      const signed = await bench.sign(await bench.request(to, atoms, leg));
      await bench.chain.broadcast(signed);
      return signed;
    }

    it('has all that it had, in blocks that are all new, however deep', async () => {
      const [customer, desk] = [await world.freshDestination(), await world.freshDestination()];
      const below = await height();
      await world.payAll({ to: customer, atoms: BTC });
      await payout(desk, BTC / 2n);
      await world.mine(12);
      const old = await hashesAbove(below);
      await world.reorg(12, []);
      assert.equal(await height(), below + 12);
      assert.deepEqual([await totalOf(customer), await totalOf(desk)], [BTC, BTC / 2n]);
      assert.equal((await world.received('BTC', desk)).transfers[0]?.height, below + 1, 'where it was');
      const now = await hashesAbove(below);
      assert.deepEqual(
        now.filter((hash) => old.includes(hash)),
        [],
      );
    });

    it('does not mine a dropped payout of the desk, until the desk sends it again', async () => {
      const to = await world.freshDestination();
      const signed = await payout(to, BTC / 4n);
      await world.mine(2);
      await world.reorg(2, [signed.txHash]);
      await world.mine(2);
      assert.equal(await totalOf(to), 0n);
      assert.ok(!(await pool()).has(signed.txHash));
      await bench.chain.broadcast(signed);
      await world.mine(1);
      assert.equal(await totalOf(to), BTC / 4n);
    });

    it('leaves out what was paid from the change of a dropped payment, and goes on', async () => {
      const [first, second] = [await world.freshDestination(), await world.freshDestination()];
      const { unspents } = (await world.rpc('scantxoutset', ['start', [`addr(${world.customerAddress})`]])) as {
        unspents: { amount: number }[];
      };
      const coins = unspents.reduce((sum, { amount }) => sum + amount, 0);
      // Of all that he has only the change is left, and the next payment spends it.
      const dropped = await world.payAll({ to: first, atoms: (BigInt(Math.floor(coins)) - 10n) * BTC });
      await world.mine(1);
      await world.payAll({ to: second, atoms: BTC });
      await world.mine(1);
      const tip = await height();
      await world.reorg(2, [dropped]);
      assert.equal(await height(), tip);
      await world.mine(2);
      assert.deepEqual([await totalOf(first), await totalOf(second)], [0n, 0n]);
      await world.payAll({ to: second, atoms: 20n * BTC });
      await world.mine(1);
      assert.equal(await totalOf(second), 20n * BTC);
    });

    it('has what waited for a block still waiting', async () => {
      const to = await world.freshDestination();
      await world.payAll({ to, atoms: BTC });
      await world.mine(2);
      const waits = [await world.payAll({ to, atoms: BTC }), (await payout(to, BTC / 4n)).txHash];
      await world.reorg(2, []);
      assert.deepEqual(await pool(), new Set(waits));
      assert.equal(await totalOf(to), BTC);
      await world.mine(1);
      assert.equal(await totalOf(to), 2n * BTC + BTC / 4n);
    });

    it('refuses to drop what it does not undo, before anything is changed', async () => {
      const to = await world.freshDestination();
      const deep = await world.payAll({ to, atoms: BTC });
      await world.mine(3);
      const waits = await world.payAll({ to, atoms: BTC });
      const tip = await height();
      const hash = await hashAt(tip);
      for (const drop of ['nonsense', '0'.repeat(64), deep, waits]) {
        await assert.rejects(world.reorg(2, [drop]), /in none of the blocks/, drop);
      }
      assert.deepEqual([await height(), await hashAt(tip)], [tip, hash]);
      assert.deepEqual(await pool(), new Set([waits]));
    });
  });
}
