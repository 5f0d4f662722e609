import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { intentId } from '../../src/kernel/ids.ts';
import type { Terms, Transfer } from '../../src/world/chains/chain.ts';
import { openEvm } from '../../src/world/chains/evm/evm.ts';
import { withAhead } from '../../src/world/chains/evm/networks.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { assetOf, type EvmBench, openEvmBench, signForTest, XPUB } from './evm-bench.ts';

const BASE_FEE = '0x3b9aca00';

describe('9.5: gas left behind', () => {
  let bench: EvmBench;
  before(async () => {
    bench = await openEvmBench('USDC');
  });
  after(() => bench?.close());

  // Empty blocks make gas cheaper here by an eighth each; elsewhere others use it, and the next block costs what this one does.
  const steady = () => bench.world.rpc('anvil_setNextBlockBaseFeePerGas', [BASE_FEE]);
  const mined = async () => {
    await bench.world.mine(1);
    await steady();
  };

  /** A deposit is collected with the gas that is sent ahead for it, by a desk that keeps this margin. */
  async function collected(deposit: number, percent: number) {
    const { world, unit, chain: hot } = bench;
    const [coin, usdc] = [assetOf(world, 'ETH'), assetOf(world, 'USDC')];
    const { network, rpcUrl } = world;
    const settings = { network: withAhead(network, percent), rpcUrl, xpub: XPUB, hotAddress: hot.hotAddress };
    const chain = await openEvm(settings, httpOutbound);
    const [address] = await chain.depositAddresses(deposit, 1);
    const sweep: Transfer = { from: { deposit }, asset: usdc.id, atoms: unit, to: chain.hotAddress };
    const termsOf = async (): Promise<Terms> => {
      const terms = await chain.terms(sweep);
      assert.ok(!('refused' in terms));
      return terms;
    };
    await world.fund(present(address, 'deposit address'), usdc.token, unit);
    await mined();
    const sent = (await termsOf()).cost;
    await world.fund(present(address, 'deposit address'), coin.token, sent);
    await mined();
    const { nonce, fee, cost } = await termsOf();
    assert.ok(nonce !== undefined && cost <= sent, 'what was sent is enough a block later');
    const named = { intent: intentId('treasury', 'sweep', deposit), chainId: chain.facts.id, nonce, fee };
    const signed = signForTest({ ...sweep, ...named });
    await chain.broadcast(signed);
    await mined();
    const status = await chain.status(signed);
    assert.ok(status.state === 'mined' && status.ok);
    const { spendable: left } = await chain.balance({ deposit }, coin.id);
    assert.equal(left, atoms(sent - status.cost));
    return { sent, used: status.cost, left, perMille: (left * 1_000n) / sent };
  }

  // Gas must be there in full, and a ninth of it comes back: an account that is emptied frees what its balance took up.
  it('9.5: of what is sent ahead for a collection less than a sixth stays on the deposit address', async () => {
    const { sent, left, perMille } = await collected(3, 2);
    assert.ok(perMille <= 155n, `${left} of ${sent} stay behind`);
  });

  it('9.5: what comes back of the gas stays even where nothing is left for a rise of the price', async () => {
    const { sent, left, perMille } = await collected(4, 0);
    assert.ok(perMille > 130n && perMille < 140n, `${left} of ${sent}, which no margin of ours can save`);
    const moving = await collected(5, 8);
    assert.ok(moving.perMille <= 205n, `${moving.left} of ${moving.sent} where the price moves`);
  });

  it('9.5: of twice the most that it might cost, as it was, more than half stays there: so it was won', async () => {
    const { chain, world, unit } = bench;
    const { id } = assetOf(world, 'USDC');
    const terms = await chain.terms({ from: 'hot', asset: id, atoms: unit, to: chain.hotAddress });
    assert.ok('cost' in terms);
    const [sent, { used }] = [terms.cost * 2n, await collected(6, 2)];
    assert.ok((sent - used) * 2n > sent, `${sent - used} of ${sent} would stay behind`);
  });
});
