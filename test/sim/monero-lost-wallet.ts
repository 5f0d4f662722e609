import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askWallet, type MoneroWorld } from '../../sandbox/nodes/monero-world.ts';
import { txHash } from '../../src/kernel/ids.ts';
import { Follower } from '../../src/world/chains/conformance/follower.ts';
import { subaddress } from '../../src/world/chains/monero/codec.ts';
import { depositMinor, XMR_ASSET } from '../../src/world/chains/monero/rules.ts';
import { HOT_KEYS, openMoneroBench, XMR } from './monero-bench.ts';

/** More than a wallet recognises beyond those that it made. */
const GIVEN = 300;

/** The same on the real node and on the simulator. */
export function moneroLostWallet(name: string, start: () => Promise<MoneroWorld>): void {
  test(`on ${name}, wallets whose files were lost are made anew and miss nothing that came to an address given out`, async () => {
    const world = await start();
    try {
      const minor = depositMinor(GIVEN - 1);
      const address = subaddress(HOT_KEYS, 0, minor);
      const hash = txHash(await world.pay({ to: address, atoms: XMR }));
      await world.mine(1);
      const { chain, device } = await openMoneroBench(world, GIVEN);
      const follower = new Follower(chain, [address], { height: 0, recent: [] });
      await follower.catchUp();
      assert.equal(follower.only(hash).atoms, XMR);
      await assert.rejects(device.balance(), /new and does not know yet/);
      await chain.balance('hot', XMR_ASSET.id);
      const found = await askWallet(world, 'spend')('incoming_transfers', {
        ...{ transfer_type: 'all', account_index: 0, subaddr_indices: [minor] },
      });
      assert.equal((found.transfers as readonly unknown[]).length, 1, 'the spending wallet can spend it');
      await device.balance();
    } finally {
      await world.close();
    }
  });
}
