import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { askWallet, type MoneroWorld } from '../../sandbox/nodes/monero-world.ts';
import { present } from '../../src/kernel/assert.ts';
import { txHash } from '../../src/kernel/ids.ts';
import { followFresh } from '../../src/world/chains/conformance/follower.ts';
import { type MoneroBench, openMoneroBench, XMR } from './monero-bench.ts';

/** A sender may lock what he pays, for some blocks or until a time. */
export function moneroLockStories(name: string, start: () => Promise<MoneroWorld>): void {
  describe(`A deposit of Monero under a lock on ${name}`, () => {
    let bench: MoneroBench;
    before(async () => {
      bench = await openMoneroBench(await start());
      await bench.world.wake();
    });
    after(() => bench?.world.close());

    const wallet: ReturnType<typeof askWallet> = (method, params) => askWallet(bench.world, 'customer')(method, params);

    it('does not credit what its sender has locked until it is unlocked', async () => {
      const { chain, world } = bench;
      const { follower, address } = await followFresh(chain);
      const lockedFor = 14;
      const unlock = present(follower.cursor, 'a cursor').height + lockedFor;
      await wallet('refresh');
      const destinations = [{ address, amount: XMR.toString() }];
      const sent = await wallet('transfer', { destinations, unlock_time: unlock, priority: 1 });
      await world.mine(lockedFor - 2);
      await follower.catchUp();
      const sighting = follower.only(txHash(String(sent.tx_hash)));
      await assert.rejects(chain.standing([sighting]), { kind: 'transient', message: /locked until block/ });
      await world.mine(2);
      assert.deepEqual(await chain.standing([sighting]), [{ key: sighting.key, atoms: XMR }]);
    });

    it('tells a person of what is locked for too long, and shows it to no order', async () => {
      const { chain, world } = bench;
      const { follower, address } = await followFresh(chain);
      const { height } = present(follower.cursor, 'a cursor');
      const told = async (amount: bigint, unlock: number) => {
        await wallet('refresh');
        const destinations = [{ address, amount: amount.toString() }];
        const { tx_hash: hash } = await wallet('transfer', {
          ...{ destinations, unlock_time: unlock, priority: 1 },
        });
        await follower.catchUp();
        assert.deepEqual(follower.of(txHash(String(hash))), [], 'not even while it is in the pool');
        await world.mine(1);
        const { outOfReach = [] } = await follower.catchUp();
        assert.deepEqual(follower.of(txHash(String(hash))), []);
        return outOfReach.map(({ atoms: value, address: to, why }) => [value, to, why]);
      };
      const [byBlock, byClock] = [height + 1_000, 4_000_000_000];
      assert.deepEqual(await told(XMR, byBlock), [[XMR, address, `its sender locked it until block ${byBlock}`]]);
      assert.deepEqual(await told(XMR, byClock), [
        [XMR, address, `its sender locked it until second ${byClock} of the clock`],
      ]);
      assert.deepEqual(await told(1_000n, byBlock), [], 'nobody is called for dust');
    });
  });
}
