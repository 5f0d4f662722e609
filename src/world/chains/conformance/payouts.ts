import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Atoms, atoms } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import { type Address, type AssetId, intentId } from '../../../kernel/ids.ts';
import type { AttemptStatus, SignedTransfer, Transfer } from '../chain.ts';
import type { BenchRequest, ChainBench, Lack } from './bench.ts';

/** Blocks a transaction may wait for before the suite says that it will never be mined. */
const PATIENCE_BLOCKS = 5;

type Mined = Extract<AttemptStatus, { state: 'mined' }>;

export function payoutStories(bench: () => ChainBench, lacks: readonly Lack[]): void {
  it('pays exactly once however often the bytes are sent', async () => {
    const { chain, unit, mine, received, freshDestination } = bench();
    const to = await freshDestination();
    const attempt = await signPayout(bench(), to, unit, 1);
    await chain.broadcast(attempt);
    await chain.broadcast(attempt);
    assert.equal((await chain.status(attempt)).state, 'pool');

    const first = await untilMined(bench(), attempt);
    await mine(Math.max(0, first.depth.need - first.depth.have));
    const deep = await untilMined(bench(), attempt);
    assert.ok(deep.ok && deep.depth.have >= deep.depth.need);
    assert.ok(deep.cost <= attempt.cost, 'it costs no more than was said');
    assert.deepEqual(deep.block, first.block);

    await chain.broadcast(attempt);
    await mine(1);
    assert.equal((await chain.status(attempt)).state, 'mined');
    assert.equal(await received(to), unit);
  });

  it('spends what was paid and what it cost, and nothing else', async () => {
    const { chain, asset, unit, freshDestination } = bench();
    const coin = present(
      chain.facts.assets.find(({ native }) => native),
      'the chain’s own coin',
    );
    const holdings = async (of: AssetId) => {
      const { spendable, locked } = await chain.balance('hot', of);
      return spendable + locked;
    };
    const before = { asset: await holdings(asset.id), coin: await holdings(coin.id) };
    const attempt = await signPayout(bench(), await freshDestination(), atoms(unit * 2n), 2);
    await chain.broadcast(attempt);
    const { cost } = await untilMined(bench(), attempt);
    await chain.broadcast(attempt);
    assert.equal(before.asset - (await holdings(asset.id)), unit * 2n + (asset.native ? cost : 0n));
    assert.equal(before.coin - (await holdings(coin.id)), cost + (asset.native ? unit * 2n : 0n));
  });

  it('never calls bytes dead because it cannot find them', async () => {
    const { chain, unit, mine, freshDestination } = bench();
    const attempt = await signPayout(bench(), await freshDestination(), unit, 3);
    assert.deepEqual(await chain.status(attempt), { state: 'unknown' });
    await mine(3);
    assert.deepEqual(await chain.status(attempt), { state: 'unknown' });
    await chain.broadcast(attempt);
    assert.ok((await untilMined(bench(), attempt)).ok, 'bytes that waited still pay');
  });

  if (!lacks.includes('reorgs')) {
    it('sees its payout again after a reorganisation that kept it', async () => {
      const { chain, unit, reorg, received, freshDestination } = bench();
      const to = await freshDestination();
      const attempt = await signPayout(bench(), to, unit, 4);
      await chain.broadcast(attempt);
      const before = await untilMined(bench(), attempt);
      await reorg(1);
      const now = await untilMined(bench(), attempt);
      assert.notEqual(now.block.hash, before.block.hash);
      assert.equal(await received(to), unit);
    });
  }

  if (!lacks.includes('refusals')) {
    it('says beforehand that a destination will be refused', async () => {
      const { chain, asset, unit, refusedDestination } = bench();
      const terms = await chain.terms({
        from: 'hot',
        asset: asset.id,
        atoms: unit,
        to: present(refusedDestination, 'a refused destination'),
      });
      assert.ok('refused' in terms && terms.refused.length > 0);
    });
  }
}

async function signPayout(bench: ChainBench, to: Address, amount: Atoms, leg: number): Promise<SignedTransfer> {
  const { chain, asset, sign } = bench;
  const transfer: Transfer = { from: 'hot', asset: asset.id, atoms: amount, to };
  const terms = await chain.terms(transfer);
  assert.ok(!('refused' in terms), 'the chain refuses an ordinary destination');
  const request: BenchRequest = {
    ...transfer,
    intent: intentId('treasury', 'payout', leg),
    kind: 'payout',
    owner: 'treasury',
    chainId: chain.facts.id,
    fee: terms.fee,
    ...(terms.nonce === undefined ? {} : { nonce: terms.nonce }),
  };
  const attempt = await sign(request);
  assert.ok(attempt.cost <= terms.cost, 'what is signed costs no more than the terms said');
  return attempt;
}

/** Its standing in a block; mines a few more if it is not there yet. */
async function untilMined({ chain, mine }: ChainBench, attempt: SignedTransfer): Promise<Mined> {
  for (let waited = 0; waited < PATIENCE_BLOCKS; waited += 1) {
    const status = await chain.status(attempt);
    if (status.state === 'mined') return status;
    assert.notEqual(status.state, 'dead');
    await mine(1);
  }
  return assert.fail(`${attempt.txHash} was not mined within ${PATIENCE_BLOCKS} blocks`);
}
