import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Atoms, atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { intentId } from '../../src/kernel/ids.ts';
import type { Terms, Transfer } from '../../src/world/chains/chain.ts';
import { assetOf, type EvmBench, openEvmBench, signForTest } from './evm-bench.ts';

const DEPOSIT = { deposit: 3 };
const BASE_FEE = '0x3b9aca00';

describe('9.5: gas left behind', () => {
  let bench: EvmBench;
  before(async () => {
    bench = await openEvmBench('USDC');
  });
  after(() => bench?.close());

  /** What the collection took in the end. */
  let used: Atoms | undefined;

  it('9.5: of what is sent ahead for a collection less than a fifth stays on the deposit address', async () => {
    const { chain, world, unit } = bench;
    const [coin, usdc] = [assetOf(world, 'ETH'), assetOf(world, 'USDC')];
    const [address] = await chain.depositAddresses(DEPOSIT.deposit, 1);
    // Empty blocks make gas cheaper here by an eighth each; elsewhere others use it.
    const steady = () => world.rpc('anvil_setNextBlockBaseFeePerGas', [BASE_FEE]);
    await steady();
    await world.mine(1);
    await steady();
    await world.fund(present(address, 'deposit address'), usdc.token, unit);
    const sweep: Transfer = { from: DEPOSIT, asset: usdc.id, atoms: unit, to: chain.hotAddress };
    const termsOf = async (): Promise<Terms> => {
      const terms = await chain.terms(sweep);
      assert.ok(!('refused' in terms));
      return terms;
    };
    await steady();
    await world.mine(1);
    const sent = (await termsOf()).cost;
    await steady();
    await world.fund(present(address, 'deposit address'), coin.token, sent);
    await steady();
    await world.mine(1);

    const { nonce, fee, cost } = await termsOf();
    assert.ok(nonce !== undefined && cost <= sent, 'what was sent is enough a block later');
    const named = { intent: intentId('treasury', 'sweep', 0), chainId: chain.facts.id, nonce, fee };
    const signed = signForTest({ ...sweep, ...named });
    await chain.broadcast(signed);
    await steady();
    await world.mine(1);
    const status = await chain.status(signed);
    assert.ok(status.state === 'mined' && status.ok);
    const { spendable: left } = await chain.balance(DEPOSIT, coin.id);
    assert.equal(left, atoms(sent - status.cost));
    // Gas must be there in full, and a tenth of it comes back: an account that is emptied frees what its balance took up.
    assert.ok(left * 5n < sent, `${left} of ${sent} stay behind`);
    used = status.cost;
  });

  it('9.5: of twice the most that it might cost, as it was, more than half stays there: so it was won', async () => {
    const { chain, world, unit } = bench;
    const [address] = await chain.depositAddresses(DEPOSIT.deposit, 1);
    await world.fund(present(address, 'deposit address'), assetOf(world, 'USDC').token, unit);
    const { id } = assetOf(world, 'USDC');
    const terms = await chain.terms({ from: 'hot', asset: id, atoms: unit, to: present(address, 'deposit address') });
    assert.ok('cost' in terms && used !== undefined);
    const sent = terms.cost * 2n;
    assert.ok((sent - used) * 2n > sent, `${sent - used} of ${sent} would stay behind`);
  });
});
