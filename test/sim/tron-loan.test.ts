import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { startTronSimulator, type TronWorld } from '../../sandbox/simulators/tron/simulator.ts';
import { isOver } from '../../src/life/payment/payment.ts';
import { tronHex } from '../../src/world/chains/tron/codec.ts';
import { TRX_ASSET, USDT_ASSET } from '../../src/world/chains/tron/rules.ts';
import type { Stake } from '../../src/world/chains/tron/stake-codec.ts';
import { freshAddress, HOT, LENDING, stakeOn, UNIT } from './tron-bench.ts';
import { type Death, kindsOf, openLoanDesk, SUM } from './tron-loan-desk.ts';

const OPENING = 1_100_000n;
const BURNED = 6_528_500n;

describe('9.5: a deposit on Tron is collected with energy that is lent', () => {
  let world: TronWorld;
  const waited = 0;
  let number = 100;
  before(async () => {
    world = await startTronSimulator({ now: () => Date.now() + waited });
    await world.fund(HOT, TRX_ASSET.token, 100_000n * UNIT);
    await world.fund(HOT, USDT_ASSET.token, SUM.atoms);
  });
  after(() => world?.close());

  const desk = (t: TestContext, stake: Stake | undefined) => {
    number += 1;
    return openLoanDesk(t, world, stake, number);
  };
  type Desk = Awaited<ReturnType<typeof desk>>;
  const done = (one: Desk) => kindsOf(world, one.deposit, tronHex);

  const COLLECTED = {
    // The token that the customer sent names the address in its data alone.
    'TransferContract SUCCESS': 1,
    'DelegateResourceContract SUCCESS': 1,
    'TriggerSmartContract SUCCESS': 1,
    'UnDelegateResourceContract SUCCESS': 1,
  };

  async function expectCollected(one: Desk, cases: readonly string[] = []): Promise<void> {
    const payment = one.payment();
    assert.ok(isOver(payment) && payment.state.state === 'settled', payment.state.state);
    assert.deepEqual(done(one), COLLECTED);
    assert.equal(await one.lent(), 0n);
    assert.equal(one.has(`order:${one.order}`, USDT_ASSET.id), SUM.atoms);
    assert.deepEqual(
      [one.has('gas'), one.has('treasury')],
      [1n, -1n - OPENING],
      'one sun stays, and nothing was burned',
    );
    assert.deepEqual([...new Set(one.cases.map((told) => told.case))], cases);
  }

  /** The same without a stake: what it costs, and what stays. */
  async function expectBurned(one: Desk): Promise<void> {
    const payment = one.payment();
    assert.ok(isOver(payment) && payment.state.state === 'settled', payment.state.state);
    assert.equal(one.has(`order:${one.order}`, USDT_ASSET.id), SUM.atoms);
    assert.equal(one.has('gas'), 326_500n);
    assert.equal(await one.lent(), 0n);
  }

  it('opened with one sun, lent to, swept for nothing, and given back', async (t) => {
    const { stake } = await stakeOn(world);
    const one = await desk(t, stake);
    await one.run();
    await expectCollected(one);
  });

  it('without a stake coins are sent and burned', async (t) => {
    const one = await desk(t, undefined);
    await one.run();
    const { state } = one.payment();
    assert.ok(isOver(one.payment()) && state.state === 'settled');
    assert.deepEqual([one.has('gas'), -one.has('treasury')], [326_500n, OPENING + BURNED + 326_500n]);
  });

  it('whoever is killed at whatever call, it is collected once and the energy comes back', async (t) => {
    const { stake } = await stakeOn(world, { trx: 400_000n });
    const plain = await desk(t, stake);
    await plain.run();
    const calls = plain.calls();
    assert.ok(calls >= 20, `${calls} calls`);
    for (let call = 1; call <= calls; call += 1) {
      const death: Death = { call, when: call % 2 === 0 ? 'before' : 'after', losesWork: call % 3 !== 0 };
      const one = await desk(t, stake);
      one.dieAt(death);
      await one.run();
      await expectCollected(one);
    }
  });

  it('a stake that another collection used up meanwhile: coins go there instead, at once', async (t) => {
    const { stake, staker } = await stakeOn(world);
    const one = await desk(t, stake);
    await one.run(({ gas }) => gas?.isLent === true);
    const elsewhere = freshAddress();
    await world.fund(elsewhere, TRX_ASSET.token, 1n);
    world.send(await staker.lend(elsewhere, 15_000n * UNIT));
    await world.mine(1);
    await one.run();
    await expectBurned(one);
    assert.ok(one.facts.some((fact) => fact.fact === 'payment_refused' && /could lend/.test(fact.reason)));
    assert.deepEqual([done(one)['DelegateResourceContract SUCCESS'], one.cases], [undefined, []]);
  });

  it('a loan that no block takes is given up when its time is over, and burned instead', async (t) => {
    const { stake } = await stakeOn(world);
    const one = await desk(t, stake);
    await one.run(({ gas }) => gas?.isLent === true && gas.progress.state === 'signed');
    const { txHash } = one.attempts.at(-1) ?? {};
    world.ledger.withheld.add(String(txHash));
    const since = world.ledger.tip.time;
    await one.run();
    await expectBurned(one);
    assert.ok(world.ledger.tip.time - since < 15 * 60_000, 'minutes, not the half day of a payout');
    assert.deepEqual(
      one.cases.filter((told) => told.case !== 'payment_stuck'),
      [],
    );
  });

  it('energy that is taken away before it was used: the sweep fails, nothing is lost, and it is not waited for', async (t) => {
    const { stake, staker } = await stakeOn(world);
    const one = await desk(t, stake);
    await one.run(({ state }) => state.state === 'signed');
    world.send(await staker.takeBack(one.deposit, one.payment().back?.amount.atoms ?? 0n));
    await world.mine(1);
    await one.run();
    const { state, back } = one.payment();
    assert.deepEqual([state.state, back?.progress.state], ['refused', 'refused']);
    assert.equal(
      one.has(`deposit:${one.order}`, USDT_ASSET.id),
      SUM.atoms,
      'it is collected again, and then by burning',
    );
    assert.equal(await one.lent(), 0n);
  });

  it('a permission that was withdrawn: what is lent is not forgotten, and comes back when it may', async (t) => {
    const { stake, staker } = await stakeOn(world, { coins: 500n });
    const one = await desk(t, stake);
    await one.run(({ state }) => state.state === 'settled');
    world.send(await staker.allow(freshAddress(), LENDING));
    await world.mine(1);
    let looks = 0;
    await one.run(() => {
      looks += 1;
      return looks > 20;
    });
    assert.deepEqual([isOver(one.payment()), one.payment().back?.progress.state], [false, 'sent']);
    assert.ok((await one.lent()) > 0n);
    world.send(await staker.allow(HOT, LENDING));
    await world.mine(1);
    await one.run();
    await expectCollected(one, ['payment_stuck']);
    const [told] = one.cases;
    assert.match(told?.case === 'payment_stuck' ? told.reason : '', /SIGERROR/, 'in the words of the node');
  });
});
