import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startMoneroSimulator } from '../../sandbox/simulators/monero/simulator.ts';
import { startZcashSimulator } from '../../sandbox/simulators/zcash/simulator.ts';
import { present } from '../../src/kernel/assert.ts';
import { Fault, NodesDisagree } from '../../src/kernel/fault.ts';
import type { Address } from '../../src/kernel/ids.ts';
import type { Chain, Sighting } from '../../src/world/chains/chain.ts';
import { followFresh } from '../../src/world/chains/conformance/follower.ts';
import type { Witness } from '../../src/world/chains/family.ts';
import { openMoneroWitness } from '../../src/world/chains/monero/monero.ts';
import { MONERO_DEFAULTS } from '../../src/world/chains/monero/rules.ts';
import { withSecond } from '../../src/world/chains/second-opinion.ts';
import { addressForms } from '../../src/world/chains/zcash/codec.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { HOT_KEYS, openMoneroBench, XMR } from './monero-bench.ts';
import { opinionDesk } from './opinion-desk.ts';
import { openZcashBench, signPayment, type ZcashBench, ZEC } from './zcash-bench.ts';

/** One chain, and another node of it that stands where the first stood when it was copied. */
interface Two {
  readonly chain: Chain;
  /** Opens the other node on a copy of what the first one has now. */
  copy(): Promise<Witness>;
  pay(to: Address, atoms: bigint): Promise<void>;
  mine(blocks: number): Promise<void>;
  close(): Promise<void>;
}

async function monero(): Promise<Two> {
  const world = await startMoneroSimulator({ hotAddress: HOT_KEYS.address });
  const others: { close(): Promise<void> }[] = [];
  const { chain } = await openMoneroBench(world);
  return {
    chain,
    async copy() {
      const other = await startMoneroSimulator({ hotAddress: HOT_KEYS.address, snapshot: world.snapshot() });
      others.push(other);
      const { address, viewKey } = HOT_KEYS;
      return openMoneroWitness({ ...MONERO_DEFAULTS, daemonUrl: other.daemonUrl, address, viewKey }, httpOutbound);
    },
    pay: async (to, atoms) => void (await world.pay({ to, atoms })),
    mine: (blocks) => world.mine(blocks),
    close: async () => void (await Promise.all([world, ...others].map((one) => one.close()))),
  };
}

async function zcash(): Promise<Two & { readonly bench: ZcashBench }> {
  const world = await startZcashSimulator();
  const others: { close(): Promise<void> }[] = [];
  const bench = await openZcashBench(world);
  return {
    ...{ bench, chain: bench.chain },
    async copy() {
      const other = await startZcashSimulator(structuredClone(world.snapshot()));
      others.push(other);
      return (await openZcashBench(other)).chain;
    },
    pay: async (to, atoms) => void (await world.pay({ token: 'ZEC', to, atoms })),
    mine: (blocks) => world.mine(blocks),
    close: async () => void (await Promise.all([world, ...others].map((one) => one.close()))),
  };
}

const silent = async (): Promise<never> => {
  throw new Fault('transient', 'chain:0', 'ECONNREFUSED');
};
const SILENT = { standing: silent, status: silent, heads: silent };

for (const [name, open, unit] of [
  ['Monero', monero, XMR],
  ['Zcash', zcash, ZEC],
] as const) {
  describe(`Two nodes of ${name}`, () => {
    let two: Two;
    before(async () => {
      two = await open();
    });
    after(() => two?.close());

    async function paid(atoms: bigint): Promise<readonly Sighting[]> {
      const { follower, address } = await followFresh(two.chain);
      await two.pay(address, atoms);
      await two.mine(25);
      await follower.catchUp();
      return [...follower.sightings.values()].filter((one) => one.address === address);
    }

    it('of which the second lags: what is large is held and becomes a case, what is small is credited', async () => {
      const { opinions, told, wait } = opinionDesk(unit);
      const second = await two.copy();
      const chain = withSecond(two.chain, second, opinions());
      const large = await paid(2n * unit);
      assert.equal(large.length, 1);
      await assert.rejects(chain.standing(large), NodesDisagree);
      assert.deepEqual(told(), [], 'one of two is always a little behind');
      wait();
      await assert.rejects(chain.standing(large), NodesDisagree);
      const [about] = told();
      assert.equal(about?.case === 'nodes_disagree' && about.about, large[0]?.key);
      const small = await paid(unit / 2n);
      assert.equal((await chain.standing(small))[0]?.atoms, unit / 2n);
      const both = withSecond(two.chain, await two.copy(), opinions());
      assert.equal((await both.standing(large))[0]?.atoms, 2n * unit);
    });

    it('that agree: the deposit is credited at once, and the second says the same of it', async () => {
      const { opinions, told } = opinionDesk(0n);
      const deposit = await paid(3n * unit);
      const second = await two.copy();
      assert.deepEqual(await second.standing(deposit), await two.chain.standing(deposit));
      const chain = withSecond(two.chain, second, opinions());
      assert.equal((await chain.standing(deposit))[0]?.atoms, 3n * unit);
      assert.deepEqual(told(), []);
    });

    it('of which the second is not as deep as a large deposit must be: it waits', async () => {
      const { opinions } = opinionDesk(0n);
      const { follower, address } = await followFresh(two.chain);
      await two.pay(address, unit);
      await two.mine(1);
      const shallow = await two.copy();
      await two.mine(25);
      await follower.catchUp();
      const deposit = [...follower.sightings.values()].filter((one) => one.address === address);
      const chain = withSecond(two.chain, shallow, opinions());
      await assert.rejects(chain.standing(deposit), /not deep enough/);
    });

    it('of which the second is silent: nothing large is credited, and new addresses are made all the same', async () => {
      const { opinions, told, wait } = opinionDesk(unit);
      const chain = withSecond(two.chain, { ...SILENT, know: silent }, opinions());
      assert.equal((await chain.depositAddresses(40, 2)).length, 2);
      const deposit = await paid(2n * unit);
      for (let round = 0; round < 2; round += 1) {
        await assert.rejects(chain.standing(deposit), NodesDisagree);
        wait();
      }
      const [about] = told();
      assert.match(about?.case === 'nodes_disagree' ? about.second : '', /^nothing \(/);
    });
  });
}

describe('Zcash with two nodes', () => {
  let two: Awaited<ReturnType<typeof zcash>>;
  before(async () => {
    two = await zcash();
  });
  after(() => two?.close());

  it('takes a payment for dead only when both have passed its expiry', async () => {
    const { bench, chain, copy, mine } = two;
    const payment = await signPayment(bench, bench.world.freshDestination() as Address, ZEC);
    const behind = await copy();
    await mine(100);
    assert.equal((await chain.status(payment)).state, 'dead', 'the first alone says so');
    const { opinions } = opinionDesk(0n);
    assert.equal((await withSecond(chain, behind, opinions()).status(payment)).state, 'unknown');
    assert.equal((await withSecond(chain, await copy(), opinions()).status(payment)).state, 'dead');
  });

  it('tells the second wallet of new addresses, so that both forms of them are known there', async () => {
    const { opinions } = opinionDesk(0n);
    const told: [number, number][] = [];
    const second = await two.copy();
    const chain = withSecond(two.chain, { ...second, know: async (...all) => void told.push(all) }, opinions());
    const [address] = await chain.depositAddresses(60, 1);
    assert.deepEqual(told, [[60, 1]]);
    assert.match(present(addressForms(present(address, 'an address')), 'forms').transparent, /^t1/);
  });
});
