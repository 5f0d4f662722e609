import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Address, intentId } from '../../src/kernel/ids.ts';
import type { Asset, Chain, Sighting, SignedTransfer, Transfer } from '../../src/world/chains/chain.ts';
import { Follower, followFresh } from '../../src/world/chains/conformance/follower.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { assetOf, type EvmBench, freshAddress, openEvmBench, signForTest } from './evm-bench.ts';
import { contractsOn } from './evm-contracts.ts';

const FINNEY = 10n ** 15n;

describe('Coins that a contract sends by an inner call are a deposit', () => {
  /** Labels of all calls, and what is done to them on their way. */
  const calls: string[] = [];
  let bend: Outbound = httpOutbound;
  let bench: EvmBench;
  let chain: Chain;
  let coin: Asset;

  before(async () => {
    const outbound: Outbound = (call) => {
      calls.push(call.label);
      return bend(call);
    };
    bench = await openEvmBench('ETH', { outbound });
    chain = bench.chain;
    coin = assetOf(bench.world, 'ETH');
  });
  after(() => bench?.close());
  const { forward, contractWith, sendTo } = contractsOn(() => bench.world);

  async function signed(transfer: Omit<Transfer, 'asset'>): Promise<SignedTransfer> {
    const whole: Transfer = { ...transfer, asset: coin.id };
    const terms = await chain.terms(whole);
    assert.ok(!('refused' in terms) && terms.nonce !== undefined);
    const { nonce, fee } = terms;
    const intent = intentId('treasury', 'sweep', nonce);
    return signForTest({ ...whole, intent, chainId: chain.facts.id, nonce, fee });
  }

  const indexOf = async (address: Address) => (await chain.depositAddresses(0, 64)).indexOf(address);
  const amounts = (follower: Follower) => [...follower.sightings.values()].map((one) => one.atoms);
  const credits = (sightings: readonly Sighting[]) =>
    sightings.map(({ key, atoms: amount }) => ({ key, atoms: amount }));

  it('named by its transaction where the block holds no other, and by no sender', async () => {
    const { follower, address } = await followFresh(chain);
    const hash = await forward([[address, 5n * FINNEY]]);
    await bench.mine(2);
    const { heads } = await follower.catchUp();
    const sighting = follower.only(hash);
    const { key, block, ...rest } = sighting;
    assert.deepEqual(rest, { address, asset: coin.id, atoms: 5n * FINNEY, txHash: hash, sender: undefined });
    assert.equal(block?.height, heads.tip - 1);
    assert.deepEqual(await chain.standing([sighting]), [{ key, atoms: 5n * FINNEY }]);
  });

  it('one for each address and block, beside what came by plain transfers', async () => {
    const { follower, address } = await followFresh(chain);
    const { address: another } = await followFresh(chain);
    const both = new Follower(chain, [address, another], follower.cursor);
    await forward([
      [address, FINNEY],
      [another, 2n * FINNEY],
      [address, 3n * FINNEY],
    ]);
    await forward([[address, 4n * FINNEY]]);
    const plain = await bench.pay(address, atoms(7n * FINNEY));
    await bench.mine(1);
    await both.catchUp();
    const visible = both.only(plain.txHash);
    const inner = [...both.sightings.values()].filter(({ key }) => key !== visible.key);
    assert.deepEqual(
      inner.map((one) => [one.address, one.atoms]),
      [
        [address, 8n * FINNEY],
        [another, 2n * FINNEY],
      ],
    );
    for (const { txHash, block } of inner) assert.equal(txHash, block?.hash, 'nobody can tell by which transaction');
    const all = [visible, ...inner];
    assert.deepEqual(await chain.standing(all), credits(all));
    for (const one of all) assert.deepEqual(await chain.standing([one]), credits([one]));
  });

  it('found in the very blocks of a page, and under the same keys whichever page they are read in', async () => {
    const { follower, address } = await followFresh(chain);
    const { cursor } = follower;
    const heights: number[] = [];
    for (const [blocks, amount] of [
      [3, 1n],
      [1, 2n],
      [17, 4n],
      [9, 8n],
    ] as const) {
      await forward([[address, amount]]);
      await bench.mine(1);
      heights.push(Number(await bench.world.rpc('eth_blockNumber', [])));
      await bench.mine(blocks);
    }
    await follower.catchUp();
    assert.deepEqual(amounts(follower), [1n, 2n, 4n, 8n]);
    const found = [...follower.sightings.values()];
    assert.deepEqual(
      found.map(({ block }) => block?.height),
      heights,
    );
    const again = new Follower(chain, [address], cursor);
    await again.catchUp();
    assert.deepEqual(again.sightings, follower.sightings);
    const later = { height: present(heights[1], 'a height') - 1, recent: [] };
    const elsewhere = new Follower(chain, [address], later);
    await elsewhere.catchUp();
    assert.deepEqual([...elsewhere.sightings.values()], found.slice(1));
  });

  it('told from our own gas money and from what we carry away, in other blocks and in the same', async () => {
    const { follower, address } = await followFresh(chain);
    const index = await indexOf(address);
    const gas = await signed({ from: 'hot', to: address, atoms: atoms(100n * FINNEY) });
    await chain.broadcast(gas);
    await bench.mine(1);
    const sweep = await signed({ from: { deposit: index }, to: chain.hotAddress, atoms: atoms(50n * FINNEY) });
    const inner = await forward([[address, 9n * FINNEY]]);
    await chain.broadcast(sweep);
    await bench.mine(1);
    const rest = await signed({ from: { deposit: index }, to: chain.hotAddress, atoms: atoms(20n * FINNEY) });
    await chain.broadcast(rest);
    await bench.mine(1);
    await follower.catchUp();
    assert.equal(follower.only(gas.txHash).atoms, 100n * FINNEY);
    const [, found, ...others] = [...follower.sightings.values()];
    assert.equal(others.length, 0);
    assert.equal(found?.atoms, 9n * FINNEY);
    const mined = await chain.status(sweep);
    assert.ok(mined.state === 'mined' && mined.block.hash === found.block?.hash, 'both are in one block');
    assert.notEqual(found.txHash, sweep.txHash);
    assert.deepEqual(follower.of(inner), []);
    assert.deepEqual(await chain.standing([found]), credits([found]));
  });

  it('also to the account that pays others in the same block', async () => {
    const follower = new Follower(chain, [chain.hotAddress]);
    await follower.catchUp();
    const payout = await signed({ from: 'hot', to: freshAddress(), atoms: atoms(30n * FINNEY) });
    await chain.broadcast(payout);
    await forward([[chain.hotAddress, 11n * FINNEY]]);
    await bench.mine(1);
    await follower.catchUp();
    assert.deepEqual(amounts(follower), [11n * FINNEY]);
    const found = [...follower.sightings.values()];
    assert.deepEqual(await chain.standing(found), credits(found));
  });

  it('also where as much left the address in the same block', async () => {
    const { address } = await followFresh(chain);
    const index = await indexOf(address);
    await bench.world.fund(address, coin.token, 100n * FINNEY);
    const sweep = await signed({ from: { deposit: index }, to: freshAddress(), atoms: atoms(40n * FINNEY) });
    const follower = new Follower(chain, [address]);
    await follower.catchUp();
    await forward([[address, 40n * FINNEY]]);
    await chain.broadcast(sweep);
    await bench.mine(1);
    await follower.catchUp();
    assert.deepEqual(amounts(follower), [40n * FINNEY]);
  });

  it('and none where an old balance lies still, or where the inner call failed', async () => {
    const { follower: earlier, address } = await followFresh(chain);
    await bench.pay(address, atoms(3n * FINNEY));
    await forward([[address, 5n * FINNEY]]);
    await bench.mine(1);
    await earlier.catchUp();
    assert.deepEqual(amounts(earlier), [3n * FINNEY, 5n * FINNEY]);

    const follower = new Follower(chain, [address], earlier.cursor);
    await forward([[address, 6n * FINNEY]], 5n * FINNEY);
    await bench.mine(3);
    await follower.catchUp();
    assert.deepEqual(amounts(follower), []);
  });

  it('whichever way they were forced on the address', async () => {
    const { follower, address } = await followFresh(chain);
    const lastWill = await contractWith(`0x73${address.slice(2)}ff`);
    const hash = await sendTo(lastWill, 2n * FINNEY);
    await bench.mine(1);
    await follower.catchUp();
    assert.equal(follower.only(hash).atoms, 2n * FINNEY);
  });

  it('taken back by a reorganisation that dropped it, and found anew where another block has it', async () => {
    const { follower, address } = await followFresh(chain);
    const hash = await forward([[address, FINNEY]]);
    await bench.mine(3);
    await follower.catchUp();
    const before = follower.only(hash);
    await bench.reorg(3);
    await follower.catchUp();
    const now = follower.only(hash);
    assert.notEqual(now.key, before.key);
    assert.deepEqual(await chain.standing([before, now]), credits([now]));

    await bench.reorg(3, [hash]);
    await follower.catchUp();
    assert.deepEqual(amounts(follower), []);
    assert.deepEqual(await chain.standing([now]), []);
  });

  it('kept by a reorganisation of later blocks, though one page had read them all', async () => {
    const { follower, address } = await followFresh(chain);
    const hash = await forward([[address, FINNEY]]);
    await bench.mine(6);
    await follower.catchUp();
    const before = follower.only(hash);
    await bench.reorg(2);
    await forward([[address, 2n * FINNEY]]);
    await bench.mine(2);
    await follower.catchUp();
    assert.deepEqual(follower.only(hash), before);
    assert.deepEqual(amounts(follower), [FINNEY, 2n * FINNEY]);
  });

  it('for two calls a page, four where many are expected, and none where nobody is', async () => {
    const { follower, address } = await followFresh(chain);
    const crowd = Array.from({ length: 600 }, freshAddress);
    const many = new Follower(chain, [...crowd, address], follower.cursor);
    const nobody = new Follower(chain, [], follower.cursor);
    await bench.mine(40);
    const asked = async (by: Follower) => {
      calls.length = 0;
      await by.catchUp();
      return calls.filter((label) => label === 'eth_call').length;
    };
    assert.deepEqual([await asked(nobody), await asked(follower), await asked(many)], [0, 2, 4]);
    assert.equal(await asked(follower), 0, 'nothing new, nothing asked');

    await forward([
      [address, FINNEY],
      [present(crowd[550], 'an address'), FINNEY],
    ]);
    await bench.mine(40);
    assert.equal(await asked(many), 4 + 5, 'five halvings find the one block of forty, for both addresses together');
    assert.deepEqual(amounts(many), [FINNEY, FINNEY]);
  });

  it('never passed over because a node is in trouble', async () => {
    const { follower, address } = await followFresh(chain);
    const hash = await forward([[address, FINNEY]]);
    await bench.mine(1);
    const { cursor } = follower;
    const refused = '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"execution timed out"}}';
    bend = async (call) => (call.label === 'eth_call' ? { status: 200, body: refused } : httpOutbound(call));
    await assert.rejects(follower.page(), (error) => error instanceof Fault && error.kind === 'transient');
    bend = httpOutbound;
    assert.deepEqual(follower.cursor, cursor);
    await follower.catchUp();
    assert.equal(follower.only(hash).atoms, FINNEY);
  });
});
