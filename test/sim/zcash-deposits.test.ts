import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { present } from '../../src/kernel/assert.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Address, txHash } from '../../src/kernel/ids.ts';
import { SCAN_BLOCKS_PER_PAGE } from '../../src/kernel/limits.ts';
import { Follower, followFresh } from '../../src/world/chains/conformance/follower.ts';
import { addressForms } from '../../src/world/chains/zcash/codec.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { staysInSight } from './a-block-between-questions.ts';
import { openZcashBench, signPayment, startBench, type ZcashBench, ZEC } from './zcash-bench.ts';

const transparentOf = (address: Address): Address => present(addressForms(address), 'two forms').transparent;
const isTransient = (error: unknown) => error instanceof Fault && error.kind === 'transient';

/** The engine's door with one method's answer bent. */
function bending(method: string, bend: (result: Record<string, unknown>) => unknown): Outbound {
  return async (call) => {
    const reply = await httpOutbound(call);
    if (call.label !== method) return reply;
    const answer = JSON.parse(reply.body);
    return { ...reply, body: JSON.stringify({ ...answer, result: bend(answer.result) }) };
  };
}

describe('deposits of Zcash', () => {
  let bench: ZcashBench;
  before(async () => {
    bench = await startBench();
  });
  after(() => bench?.world.close());

  it('sights both forms of an address under the address as it was issued', async () => {
    const { chain, world } = bench;
    const { follower, address } = await followFresh(chain);
    const hash = txHash(
      await world.payAll([
        { to: address, atoms: ZEC },
        { to: transparentOf(address), atoms: 2n * ZEC },
        { to: transparentOf(address), atoms: 3n * ZEC },
        { to: world.freshDestination(), atoms: ZEC },
      ]),
    );
    await follower.catchUp();
    const pooled = follower.of(hash);
    await world.mine(1);
    await follower.catchUp();
    const mined = follower.of(hash);
    assert.deepEqual(new Set(mined.map((sighting) => sighting.address)), new Set([address]));
    assert.deepEqual(mined.map(({ atoms }) => atoms).sort(), [ZEC, 2n * ZEC, 3n * ZEC]);
    assert.equal(new Set(mined.map(({ key }) => key)).size, 3);
    assert.deepEqual(new Set(mined.map(({ key }) => key)), new Set(pooled.map(({ key }) => key)));
    assert.equal((await chain.standing(mined)).length, 3);
    assert.equal((await world.received('ZEC', address)).total, 6n * ZEC);
  });

  it('stays in sight, whichever question of a page its block comes before', () =>
    staysInSight({
      open: async (outbound) => (await openZcashBench(bench.world, outbound)).chain,
      pay: async (to) => (await bench.world.pay({ token: 'ZEC', to, atoms: ZEC })).txHash,
      mine: () => bench.world.mine(1),
    }));

  it('is read after an outage by as many questions as there are transactions, one after another, however much waits above', async () => {
    const { world } = bench;
    const { follower, address } = await followFresh(bench.chain);
    const crowd = Array.from({ length: 30 }, () => ({ to: address, atoms: ZEC / 100n }));
    await world.mine(SCAN_BLOCKS_PER_PAGE);
    const hashes = [txHash(await world.payAll(crowd)), txHash(await world.payAll(crowd))];
    await world.mine(1);
    const [asked, most] = [new Map<string, number>(), { atOnce: 0 }];
    let open = 0;
    const { chain } = await openZcashBench(world, async (call) => {
      asked.set(call.label, (asked.get(call.label) ?? 0) + 1);
      open += 1;
      if (call.label === 'getrawtransaction') most.atOnce = Math.max(most.atOnce, open);
      return httpOutbound(call).finally(() => {
        open -= 1;
      });
    });
    const late = new Follower(chain, [address], follower.cursor);
    const { more, pool } = await late.page();
    assert.deepEqual([more, pool, asked.get('getrawtransaction')], [true, undefined, undefined]);
    assert.equal((await late.page()).more, false);
    assert.deepEqual([asked.get('getrawtransaction'), most.atOnce], [2, 1]);
    assert.deepEqual(
      hashes.map((hash) => late.of(hash).filter(({ block }) => block).length),
      [30, 30],
    );
  });

  it('never credits a mining reward that was paid to the transparent form, and names it', async () => {
    const { chain, world } = bench;
    const { follower, address } = await followFresh(chain);
    const reward = txHash(await world.mineTo(transparentOf(address), ZEC));
    const shielded = txHash(await world.mineTo(address, ZEC));
    await world.mine(150);
    await follower.catchUp();
    const [raw, spendable] = [follower.only(reward), follower.only(shielded)];
    assert.equal(raw.atoms, ZEC);
    assert.deepEqual(await chain.standing([raw, spendable]), [{ key: spendable.key, atoms: ZEC }]);
    assert.deepEqual(await chain.rewards?.([raw, spendable]), [raw.key]);
  });

  it('knows the receivers of addresses that were issued before a restart', async () => {
    const { chain, world } = bench;
    const { follower, address } = await followFresh(chain);
    const { txHash: hash } = await world.pay({ token: 'ZEC', to: transparentOf(address), atoms: ZEC });
    await world.mine(1);
    const reopened = await openZcashBench(world);
    const resumed = new Follower(reopened.chain, [address], follower.cursor);
    await resumed.catchUp();
    assert.equal(resumed.only(txHash(hash)).address, address);
  });

  it('sights a deposit that was spent before the scanner came to it', async () => {
    const { chain, world } = bench;
    const { follower, address } = await followFresh(chain);
    const { txHash: hash } = await world.pay({ token: 'ZEC', to: transparentOf(address), atoms: 5n * ZEC });
    await world.mine(10);
    const shielding = await signPayment(bench, chain.hotAddress, 10n * ZEC);
    await chain.broadcast(shielding);
    await world.mine(1);
    await follower.catchUp();
    assert.equal(follower.only(txHash(hash)).atoms, 5n * ZEC);
  });

  it('takes back a deposit whose rival was mined after a reorganisation', async () => {
    const { chain, world } = bench;
    const { follower, address } = await followFresh(chain);
    const rival = world.draft(world.freshDestination(), ZEC);
    const { txHash: hash } = await world.pay({ token: 'ZEC', to: address, atoms: ZEC });
    await world.mine(1);
    await follower.catchUp();
    const sighting = follower.only(txHash(hash));
    await world.reorg(1, [hash]);
    await send(rival);
    await world.mine(1);
    await follower.catchUp();
    assert.deepEqual(follower.of(txHash(hash)), []);
    assert.deepEqual(await chain.standing([sighting]), []);
  });

  it('comes back after a reorganisation with what was paid from it, and what waits still waits', async () => {
    const { chain, world } = bench;
    const { follower, address } = await followFresh(chain);
    const to = world.freshDestination();
    const { txHash: hash } = await world.pay({ token: 'ZEC', to: transparentOf(address), atoms: 5n * ZEC });
    await world.mine(10);
    const shielding = await signPayment(bench, chain.hotAddress, 4n * ZEC);
    await chain.broadcast(shielding);
    await world.mine(1);
    const { txHash: waits } = await world.pay({ token: 'ZEC', to, atoms: ZEC });
    const placeOf = async (one: string) => ((await node('getrawtransaction', [one, 1])) as { height?: number }).height;
    const [paid, shielded] = [await placeOf(hash), await placeOf(shielding.txHash)];
    assert.ok(paid && shielded === paid + 10);
    await world.reorg(12, []);
    assert.deepEqual([await placeOf(hash), await placeOf(shielding.txHash)], [paid, shielded]);
    assert.equal(await placeOf(waits), undefined);
    await follower.catchUp();
    assert.equal(follower.only(txHash(hash)).atoms, 5n * ZEC);

    await world.reorg(12, [hash]);
    await world.mine(1);
    assert.equal((await world.received('ZEC', transparentOf(address))).total, 0n);
    await assert.rejects(placeOf(shielding.txHash), 'what it shielded is gone');
    assert.equal((await world.received('ZEC', to)).total, ZEC);
  });

  it('is not dropped by a reorganisation that does not undo it, which changes nothing', async () => {
    const { world } = bench;
    const to = world.freshDestination();
    const { txHash: hash } = await world.pay({ token: 'ZEC', to, atoms: ZEC });
    await world.mine(3);
    const tip = await node('getbestblockhash', []);
    for (const drop of ['nonsense', hash]) await assert.rejects(world.reorg(2, [drop]), /in none of the blocks/);
    assert.equal(await node('getbestblockhash', []), tip);
  });

  const node = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const reply = (await (await fetch(bench.world.nodeUrl, { method: 'POST', body })).json()) as { result?: unknown };
    return reply.result ?? assert.fail(JSON.stringify(reply));
  };

  const send = async (raw: string): Promise<void> => {
    await node('sendrawtransaction', [raw]);
  };

  for (const [what, bend] of Object.entries({
    'lags behind the node': (status: Record<string, unknown>) => ({
      ...status,
      wallet_tip: { height: 3, blockhash: 'ab'.repeat(32) },
    }),
    'has gaps': (status: Record<string, unknown>) => ({ ...status, fully_synced_height: 3 }),
    'is recovering': (status: Record<string, unknown>) => ({ ...status, locked: true }),
  })) {
    it(`neither sights nor credits while the wallet ${what}`, async () => {
      const { follower, address } = await followFresh(bench.chain);
      const { txHash: hash } = await bench.world.pay({ token: 'ZEC', to: address, atoms: ZEC });
      await bench.world.mine(1);
      const { chain } = await openZcashBench(bench.world, bending('getwalletstatus', bend));
      await assert.rejects(
        chain.scan(follower.cursor, async () => new Set([address])),
        isTransient,
      );
      await follower.catchUp();
      await assert.rejects(chain.standing([follower.only(txHash(hash))]), isTransient);
    });
  }

  it('does not read from a node that is behind the clock', async () => {
    const late = (info: Record<string, unknown>) => ({ ...info, estimatedheight: 1_000_000 });
    await assert.rejects(openZcashBench(bench.world, bending('getblockchaininfo', late)), isTransient);
  });

  it('opens only on the account that the signer spends from', async () => {
    const other = (told: Record<string, unknown>) => ({ ...told, address: bench.world.freshDestination() });
    await assert.rejects(openZcashBench(bench.world, bending('z_getaddressforaccount', other)), Fault);
  });
});
