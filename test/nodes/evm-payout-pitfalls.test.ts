import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assemble } from '../../sandbox/nodes/evm-assembler.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Address, intentId } from '../../src/kernel/ids.ts';
import type { Asset, Chain, SignedTransfer, Terms } from '../../src/world/chains/chain.ts';
import { evmContractOf, transferCall } from '../../src/world/chains/evm/codec.ts';
import { openEvm } from '../../src/world/chains/evm/evm.ts';
import { evmNetwork } from '../../src/world/chains/evm/networks.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { assetOf, type EvmBench, freshAddress, openEvmBench, signForTest, XPUB } from './evm-bench.ts';

describe('A payout on an EVM network', () => {
  let bend: Outbound = httpOutbound;
  let bench: EvmBench;
  let chain: Chain;
  let usdc: Asset;
  let coin: Asset;

  before(async () => {
    bench = await openEvmBench('USDC', { outbound: (call) => bend(call) });
    chain = bench.chain;
    usdc = assetOf(bench.world, 'USDC');
    coin = assetOf(bench.world, 'ETH');
  });
  after(() => bench?.close());

  const one = atoms(1_000_000n);
  const isTransient = (error: unknown) => error instanceof Fault && error.kind === 'transient';

  async function termsFor(to: Address, asset = usdc): Promise<Terms> {
    const terms = await chain.terms({ from: 'hot', asset: asset.id, atoms: one, to });
    assert.ok(!('refused' in terms));
    return terms;
  }

  function signed(to: Address, { nonce, fee }: Terms, leg: number): SignedTransfer {
    const transfer = { from: 'hot', asset: usdc.id, atoms: one, to, chainId: chain.facts.id } as const;
    return signForTest({
      ...transfer,
      intent: intentId('treasury', 'payout', leg),
      nonce: present(nonce, 'a nonce'),
      fee,
    });
  }

  it('is refused for a destination the token has blocked, in the token’s own words', async () => {
    const to = present(bench.refusedDestination, 'a blocked destination');
    assert.deepEqual(await chain.terms({ from: 'hot', asset: usdc.id, atoms: one, to }), {
      refused: 'account is blacklisted',
    });
  });

  it('is refused for a contract that takes no coins', async () => {
    const closed = freshAddress();
    await bench.world.rpc('anvil_setCode', [closed, assemble('0 0 REVERT')]);
    const terms = await chain.terms({ from: 'hot', asset: coin.id, atoms: one, to: closed });
    assert.ok('refused' in terms);
  });

  it('is refused for a contract that burns the gas it gets', async () => {
    const furnace = freshAddress();
    await bench.world.rpc('anvil_setCode', [furnace, assemble('100000 again: 1 SWAP1 SUB DUP1 @again JUMPI STOP')]);
    const terms = await chain.terms({ from: 'hot', asset: coin.id, atoms: one, to: furnace });
    assert.match('refused' in terms ? terms.refused : '', /gas/);
  });

  it('is refused for a contract that burns gas only when it is paid, and costs next to nothing when it is priced', async () => {
    const trap = freshAddress();
    const burns = 'CALLVALUE @burn JUMPI STOP burn: 5000 again: 1 SWAP1 SUB DUP1 @again JUMPI STOP';
    await bench.world.rpc('anvil_setCode', [trap, assemble(burns)]);
    const priced = await chain.terms({ from: 'hot', asset: coin.id, atoms: atoms(0n), to: trap });
    assert.ok('fee' in priced && BigInt(priced.fee.gas ?? 0) < 30_000n);
    const terms = await chain.terms({ from: 'hot', asset: coin.id, atoms: one, to: trap });
    assert.match('refused' in terms ? terms.refused : '', /gas/);
  });

  it('is refused for a contract that breaks in any other way, and not waited for', async () => {
    // A false instruction, a jump to nowhere, more taken from the stack than is there, and work without end.
    for (const code of ['0xfe', '0xa7', assemble('3 JUMP'), '0x50', assemble('again: @again JUMP')]) {
      const broken = freshAddress();
      await bench.world.rpc('anvil_setCode', [broken, code]);
      const terms = await chain.terms({ from: 'hot', asset: coin.id, atoms: one, to: broken });
      assert.ok('refused' in terms, code);
    }
  });

  it('from a deposit account without coins says beforehand how many it will need', async () => {
    const [account] = await chain.depositAddresses(3, 1);
    await bench.world.fund(present(account, 'a deposit address'), usdc.token, one);
    const terms = await chain.terms({ from: { deposit: 3 }, asset: usdc.id, atoms: one, to: chain.hotAddress });
    assert.ok('cost' in terms && terms.cost > 0n && terms.nonce === 0);
  });

  it('is not the destination’s fault when we are short, blocked ourselves, or the node is out of order', async () => {
    const transfer = { from: 'hot', asset: usdc.id, atoms: one, to: freshAddress() } as const;
    await assert.rejects(chain.terms({ ...transfer, atoms: atoms(10n ** 15n) }), isTransient);

    await bench.world.blacklist(chain.hotAddress, usdc.token, true);
    await assert.rejects(chain.terms(transfer), isTransient);
    await bench.world.blacklist(chain.hotAddress, usdc.token, false);

    const broken = '{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"limit exceeded"}}';
    bend = async (call) => (call.label === 'eth_estimateGas' ? { status: 200, body: broken } : httpOutbound(call));
    await assert.rejects(chain.terms(transfer), isTransient);
    bend = httpOutbound;
    assert.ok('cost' in (await chain.terms(transfer)));
  });

  it('waits while gas costs more than we pay', async () => {
    const { network, rpcUrl } = bench.world;
    const fees = { ...network.fees, maxFeePerGas: 1n, minPriorityFeePerGas: 0n, maxPriorityFeePerGas: 1n };
    const thrifty = await openEvm({ network, rpcUrl, xpub: XPUB, hotAddress: chain.hotAddress, fees }, httpOutbound);
    await assert.rejects(thrifty.terms({ from: 'hot', asset: usdc.id, atoms: one, to: freshAddress() }), isTransient);
  });

  it('arrives although the payee gives away what he holds, so that more gas is needed than was measured', async () => {
    const { world } = bench;
    const payee = freshAddress();
    await world.fund(payee, usdc.token, one);
    await bench.mine(1);
    const terms = await termsFor(payee);
    const measured = (BigInt(terms.fee.gas ?? 0) * 4n) / 5n - 17_100n;
    await world.rpc('anvil_impersonateAccount', [payee]);
    await world.rpc('anvil_setBalance', [payee, '0xde0b6b3a7640000']);
    const contract = present(evmContractOf(usdc.id), 'the token');
    const giveAway = { from: payee, to: contract, data: transferCall(freshAddress(), one), gas: '0x30d40' };
    await world.rpc('eth_sendTransaction', [giveAway]);
    await bench.mine(1);
    const needed = { from: chain.hotAddress, to: contract, data: transferCall(payee, one) };
    const gas = BigInt((await world.rpc('eth_estimateGas', [needed])) as string);
    assert.ok(gas > (measured * 5n) / 4n, `${gas} would not have been covered by a quarter above ${measured}`);

    const payout = signed(payee, terms, 9);
    await chain.broadcast(payout);
    await bench.mine(1);
    assert.equal((await chain.status(payout)).state, 'mined');
    assert.equal(await bench.received(payee), 2n * one, 'what it was given, and the payout');
  });

  it('replaced under the same nonce is dead once its rival is final, and not a block sooner', async () => {
    const [loser, winner] = [freshAddress(), freshAddress()];
    const terms = await termsFor(loser);
    const first = signed(loser, terms, 1);
    const dearer = Object.entries(terms.fee).map(([part, value]) => [part, `${BigInt(value) * 2n}`]);
    const second = signed(winner, { ...terms, fee: Object.fromEntries(dearer) }, 2);
    assert.deepEqual(first.consumes, second.consumes);

    await chain.broadcast(first);
    await chain.broadcast(second);
    await bench.mine(1);
    assert.equal((await chain.status(second)).state, 'mined');
    assert.deepEqual(await chain.status(first), { state: 'unknown' });
    await bench.mine(1);
    assert.deepEqual(await chain.status(first), { state: 'unknown' });
    await bench.mine(1);
    const dead = await chain.status(first);
    assert.ok(dead.state === 'dead' && dead.proof.includes(second.txHash), JSON.stringify(dead));

    await chain.broadcast(first);
    await bench.mine(1);
    assert.deepEqual([await bench.received(loser), await bench.received(winner)], [0n, one]);
  });

  it('that is long past is still told by the transaction that took its nonce', async () => {
    const terms = await termsFor(freshAddress());
    const never = signed(freshAddress(), terms, 3);
    const other = signed(freshAddress(), terms, 4);
    await chain.broadcast(other);
    await bench.mine(40);
    const dead = await chain.status(never);
    assert.ok(dead.state === 'dead' && dead.proof.includes(other.txHash));
    assert.equal((await chain.status(other)).state, 'mined');
  });

  it('is not called dead by a node that forgot its receipt', async () => {
    const attempt = signed(freshAddress(), await termsFor(freshAddress()), 5);
    await chain.broadcast(attempt);
    await bench.mine(5);
    const forgotten = '{"jsonrpc":"2.0","id":1,"result":null}';
    const forgets = new Set(['eth_getTransactionReceipt', 'eth_getTransactionByHash']);
    bend = async (call) => (forgets.has(call.label) ? { status: 200, body: forgotten } : httpOutbound(call));
    assert.deepEqual(await chain.status(attempt), { state: 'unknown' });
    bend = httpOutbound;
    assert.equal((await chain.status(attempt)).state, 'mined');
  });

  it('that reverts when it is mined says so, and what it cost', async () => {
    const to = freshAddress();
    const attempt = signed(to, await termsFor(to), 6);
    await bench.world.blacklist(to, usdc.token, true);
    await chain.broadcast(attempt);
    await bench.mine(1);
    const status = await chain.status(attempt);
    assert.ok(status.state === 'mined' && !status.ok && status.cost > 0n);
    assert.equal(await bench.received(to), 0n);
  });

  it('from a deposit account offers what gas it has when tips have risen since, and says what is missing when it has too little', async () => {
    const [deposit] = await chain.depositAddresses(3, 1);
    const account = present(deposit, 'a deposit address');
    await bench.world.fund(account, usdc.token, one);
    const sweep = { from: { deposit: 3 }, asset: usdc.id, atoms: one, to: chain.hotAddress } as const;
    const termsNow = async () => {
      const terms = await chain.terms(sweep);
      assert.ok(!('refused' in terms));
      return terms;
    };
    const calm = await termsNow();
    await bench.world.fund(account, coin.token, calm.cost * 2n);
    const gwei = `0x${(10n ** 9n).toString(16)}`;
    const dear = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { baseFeePerGas: ['0x7'], reward: [[gwei]] } });
    bend = async (call) => (call.label === 'eth_feeHistory' ? { status: 200, body: dear } : httpOutbound(call));
    const risen = await termsNow();
    bend = httpOutbound;
    assert.ok(risen.cost > calm.cost && risen.cost <= calm.cost * 2n);
    const transfer = { ...sweep, chainId: chain.facts.id, intent: intentId('treasury', 'sweep', 7) };
    const attempt = signForTest({ ...transfer, nonce: present(risen.nonce, 'a nonce'), fee: risen.fee });
    await chain.broadcast(attempt);
    await bench.mine(1);
    const status = await chain.status(attempt);
    assert.ok(status.state === 'mined' && status.ok);

    await bench.world.fund(account, usdc.token, one);
    const full = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { baseFeePerGas: [gwei], reward: [['0x1']] } });
    bend = async (call) => (call.label === 'eth_feeHistory' ? { status: 200, body: full } : httpOutbound(call));
    const { cost } = await termsNow();
    bend = httpOutbound;
    assert.ok(cost > (await chain.balance({ deposit: 3 }, coin.id)).spendable);
  });

  it('is not sent at all to a node of another network', async () => {
    const { rpcUrl } = bench.world;
    const opening = openEvm({ network: evmNetwork(1), rpcUrl, xpub: XPUB, hotAddress: chain.hotAddress }, httpOutbound);
    await assert.rejects(opening, (error) => error instanceof Fault && error.kind === 'permanent');
  });
});
