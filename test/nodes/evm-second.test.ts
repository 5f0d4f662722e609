import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Anvil, startAnvil } from '../../sandbox/nodes/anvil.ts';
import { hexOf } from '../../sandbox/nodes/evm-blocks.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { NodesDisagree } from '../../src/kernel/fault.ts';
import { type Address, type AssetId, intentId, type TxHash } from '../../src/kernel/ids.ts';
import type { Chain, ScanCursor, Sighting, SignedTransfer } from '../../src/world/chains/chain.ts';
import { openEvm } from '../../src/world/chains/evm/evm.ts';
import { withSecond } from '../../src/world/chains/second-opinion.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { opinionDesk } from '../sim/opinion-desk.ts';
import { ARBITRUM, type EvmBench, FINALITY, freshAddress, openEvmBench, XPUB } from './evm-bench.ts';

/** Dollars of six decimals are millionths of a dollar. */
const ABOVE = 1_000_000_000n;
const desk = () => opinionDesk(ABOVE);

describe('Two nodes of one EVM network', () => {
  let bench: EvmBench;
  /** Goes on from the first node as that was when it last looked there; from then on its blocks are its own. */
  let other: Anvil;
  let away: Chain;
  before(async () => {
    bench = await openEvmBench('USDC');
    other = await startAnvil({ chainId: ARBITRUM, forkUrl: bench.world.rpcUrl });
    const { network } = bench.world;
    const settings = { network, rpcUrl: other.rpcUrl, xpub: XPUB, hotAddress: bench.chain.hotAddress };
    away = await openEvm({ ...settings, finality: FINALITY }, httpOutbound);
  });
  after(async () => {
    await other?.stop();
    await bench?.close();
  });

  const catchUp = () => other.rpc('anvil_reset', [{ forking: { jsonRpcUrl: bench.world.rpcUrl } }]);

  /** What a chain shows of an address, from a block on. */
  async function seen(chain: Chain, address: Address, from: ScanCursor): Promise<readonly Sighting[]> {
    const page = await chain.scan(from, async (all) => new Set(all.filter((one) => one === address)));
    return page.sightings;
  }
  async function paid(value: bigint): Promise<readonly Sighting[]> {
    const address = freshAddress();
    const from = { height: (await bench.chain.heads?.())?.tip ?? 0, recent: [] };
    await bench.pay(address, atoms(value));
    await bench.mine(4);
    const sightings = await seen(bench.chain, address, from);
    assert.equal(sightings.length, 1);
    return sightings;
  }

  it('of which the second lags: a large deposit is not credited before it says so, too', async () => {
    const { opinions, told, wait } = desk();
    const chain = withSecond(bench.chain, away, opinions());
    const deposit = await paid(ABOVE + 1n);
    await assert.rejects(chain.standing(deposit), NodesDisagree);
    assert.deepEqual(told(), [], 'one of two is always a little behind');
    wait();
    await assert.rejects(chain.standing(deposit), NodesDisagree);
    const [about] = told();
    assert.ok(about?.case === 'nodes_disagree');
    assert.equal(about.about, deposit[0]?.key);
    assert.match(about.first, /brought 1000000001 atoms/);
    assert.notEqual(about.second, about.first);
    await catchUp();
    assert.deepEqual(await chain.standing(deposit), [{ key: deposit[0]?.key, atoms: ABOVE + 1n }]);
    assert.deepEqual(told(), [], 'it goes on and closes by itself');
  });

  it('of which the second lags: small deposits are credited, and many of them are as much as a large one', async () => {
    const { opinions } = desk();
    const chain = withSecond(bench.chain, away, opinions());
    assert.equal((await chain.standing(await paid(ABOVE / 2n)))[0]?.atoms, ABOVE / 2n);
    assert.equal((await chain.standing(await paid(ABOVE / 2n)))[0]?.atoms, ABOVE / 2n);
    const third = await paid(1n);
    await assert.rejects(chain.standing(third), NodesDisagree);
    await assert.rejects(chain.standing(third), NodesDisagree, 'asked again, it is not forgotten');
    await catchUp();
    assert.equal((await chain.standing(third))[0]?.atoms, 1n);
  });

  it('of which the first makes up a deposit: it is never credited', async () => {
    await catchUp();
    const { opinions, told, wait } = desk();
    const chain = withSecond(away, bench.chain, opinions());
    const address = freshAddress();
    const from = { height: (await away.heads?.())?.tip ?? 0, recent: [] };
    const sender = bench.world.customerAddress;
    await other.rpc('anvil_impersonateAccount', [sender]);
    await other.rpc('anvil_setBalance', [sender, hexOf(10n ** 21n)]);
    await other.rpc('eth_sendTransaction', [{ from: sender, to: address, value: hexOf(ABOVE * 2n) }]);
    await other.rpc('anvil_mine', [hexOf(4)]);
    await bench.mine(6);
    const forged = await seen(away, address, from);
    assert.equal(forged.length, 1);
    for (let round = 0; round < 3; round += 1) {
      await assert.rejects(chain.standing(forged), NodesDisagree);
      wait();
    }
    const [about] = told();
    assert.ok(about?.case === 'nodes_disagree');
    assert.match(about.second, /not in the chain/);
  });

  it('of which the second is silent: nothing large is credited, and the case says what was heard of it', async () => {
    const { opinions, told, wait } = desk();
    const nowhere = () => Promise.reject(new NodesDisagree('chain:1', 'x', 'no', 'answer'));
    const chain = withSecond(bench.chain, { standing: nowhere, status: nowhere }, opinions());
    const deposit = await paid(ABOVE + 1n);
    await assert.rejects(chain.standing(deposit), NodesDisagree);
    wait();
    await assert.rejects(chain.standing(deposit), NodesDisagree);
    const [about] = told();
    assert.ok(about?.case === 'nodes_disagree' && about.second.startsWith('nothing ('));
  });

  let leg = 0;
  /** A payment of ours in the coin or the token, by the price of now. */
  async function signed(asset: AssetId, value: bigint, to: Address): Promise<SignedTransfer> {
    leg += 1;
    const terms = await bench.chain.terms({ from: 'hot', asset, atoms: atoms(value), to: freshAddress() });
    assert.ok(!('refused' in terms) && terms.nonce !== undefined);
    const intent = intentId('treasury', 'rebalance', leg);
    const { chainId } = bench.asset;
    const what = { intent, chainId, from: 'hot', asset, atoms: atoms(value), to } as const;
    return bench.sign({ ...what, kind: 'payout', owner: 'treasury', nonce: terms.nonce, fee: terms.fee });
  }

  it('that do not both say that a payment failed for good: it is not taken for failed', async () => {
    await catchUp();
    const { opinions, told, wait } = desk();
    const chain = withSecond(bench.chain, away, opinions());
    assert.ok(bench.refusedDestination);
    const payment = await signed(bench.asset.id, 5n, bench.refusedDestination);
    await chain.broadcast(payment);
    await bench.mine(6);
    const plain = await bench.chain.status(payment);
    assert.ok(plain.state === 'mined' && !plain.ok && plain.settled, 'the first alone says so');
    const held = await chain.status(payment);
    assert.ok(held.state === 'mined' && !held.ok && !held.settled, 'that is not enough');
    wait();
    await chain.status(payment);
    assert.equal(told().length, 1);
    await catchUp();
    const status = await chain.status(payment);
    assert.ok(status.state === 'mined' && !status.ok && status.settled);
    assert.deepEqual(told(), []);
  });

  it('that do not both say that a payment is dead: nothing is signed in its place', async () => {
    await catchUp();
    const { opinions } = desk();
    const chain = withSecond(bench.chain, away, opinions());
    const payment = await signed(bench.asset.id, 7n, freshAddress());
    const rival = await signed(bench.asset.id, 8n, freshAddress());
    await chain.broadcast(rival);
    await bench.mine(6);
    assert.equal((await bench.chain.status(payment)).state, 'dead', 'its nonce is used, and that is final');
    assert.equal((await chain.status(payment)).state, 'unknown');
    await catchUp();
    assert.equal((await chain.status(payment)).state, 'dead');
    const paidOne = await chain.status(rival);
    assert.ok(paidOne.state === 'mined' && paidOne.ok && (rival.txHash as TxHash) !== payment.txHash);
  });
});
