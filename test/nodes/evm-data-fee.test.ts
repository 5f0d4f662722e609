import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeFunctionData, parseAbi, parseTransaction } from 'viem';
import { DATA_FEE } from '../../sandbox/nodes/tokens.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { type Address, intentId } from '../../src/kernel/ids.ts';
import type { Asset, Chain, SignedTransfer, Terms, Transfer } from '../../src/world/chains/chain.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { assetOf, type EvmBench, freshAddress, OPTIMISM, openEvmBench, signForTest } from './evm-bench.ts';

const ORACLE_ABI = parseAbi(['function getL1Fee(bytes) view returns (uint256)']);

describe('A network that charges for data beside gas', () => {
  let bend: Outbound = httpOutbound;
  let bench: EvmBench;
  let chain: Chain;
  let usdc: Asset;
  let coin: Asset;

  before(async () => {
    bench = await openEvmBench('USDC', { chainId: OPTIMISM, outbound: (call) => bend(call) });
    chain = bench.chain;
    usdc = assetOf(bench.world, 'USDC');
    coin = assetOf(bench.world, 'ETH');
  });
  after(() => bench?.close());

  async function termsOf(transfer: Transfer): Promise<Terms> {
    const terms = await chain.terms(transfer);
    assert.ok(!('refused' in terms));
    return terms;
  }

  function sign(transfer: Transfer, { nonce, fee }: Terms): SignedTransfer {
    assert.ok(nonce !== undefined);
    return signForTest({
      ...transfer,
      intent: intentId('treasury', 'payout', nonce),
      chainId: chain.facts.id,
      nonce,
      fee,
    });
  }

  const gasCost = ({ fee }: Terms): bigint => BigInt(fee.gas ?? '') * BigInt(fee.maxFeePerGas ?? '');
  const payout = (asset: Asset, to: Address): Transfer => ({ from: 'hot', asset: asset.id, atoms: bench.unit, to });

  it('asks its oracle about the very transaction that will be signed, and leaves room for a rise', async () => {
    const asked: string[] = [];
    bend = async (call) => {
      if (call.body?.includes(`"to":"${bench.world.network.dataFeeOracle}"`)) asked.push(call.body);
      return httpOutbound(call);
    };
    const to = freshAddress();
    const terms = await termsOf(payout(usdc, to));
    bend = httpOutbound;
    assert.equal(terms.cost - gasCost(terms), DATA_FEE * 2n);
    assert.ok(terms.usual > DATA_FEE && terms.usual < terms.cost);

    const [{ data }] = JSON.parse(asked[0] ?? '').params as [{ data: `0x${string}` }];
    const { args } = decodeFunctionData({ abi: ORACLE_ABI, data });
    const signed = parseTransaction(sign(payout(usdc, to), terms).raw as `0x02${string}`);
    const { r: _, s: __, v: ___, yParity: ____, ...unsigned } = signed;
    assert.deepEqual(parseTransaction(args[0] as `0x02${string}`), unsigned);
  });

  it('counts what the receipt says was paid for data', async () => {
    const transfer = payout(coin, freshAddress());
    const attempt = sign(transfer, await termsOf(transfer));
    await chain.broadcast(attempt);
    await bench.mine(1);
    const plain = await chain.status(attempt);
    bend = async (call) => {
      const reply = await httpOutbound(call);
      if (call.label !== 'eth_getTransactionReceipt') return reply;
      return { ...reply, body: reply.body.replace('"gasUsed"', '"l1Fee":"0x1234","gasUsed"') };
    };
    const charged = await chain.status(attempt);
    bend = httpOutbound;
    assert.ok(plain.state === 'mined' && charged.state === 'mined');
    assert.equal(charged.cost, plain.cost + 0x1234n);
  });

  it('lets an account be emptied but for what it says that may cost', async () => {
    const [account] = await chain.depositAddresses(5, 1);
    assert.ok(account);
    const held = atoms(10n ** 17n);
    await bench.world.fund(account, coin.token, held);
    const sweep: Transfer = { from: { deposit: 5 }, asset: coin.id, atoms: held, to: chain.hotAddress };
    const terms = await termsOf(sweep);
    const rest = { ...sweep, atoms: atoms(held - terms.cost) };
    const attempt = sign(rest, terms);
    await chain.broadcast(attempt);
    await bench.mine(1);
    const status = await chain.status(attempt);
    assert.ok(status.state === 'mined' && status.ok);
    const { spendable } = await chain.balance({ deposit: 5 }, coin.id);
    assert.ok(spendable >= DATA_FEE * 2n, 'what the data would have cost was left there');
  });
});
