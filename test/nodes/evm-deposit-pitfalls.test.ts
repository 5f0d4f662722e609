import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assemble } from '../../sandbox/nodes/evm-assembler.ts';
import { SKIM_SLOT, tokenCode } from '../../sandbox/nodes/token-code.ts';
import { mintCall } from '../../sandbox/nodes/tokens.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Address, intentId, type TxHash, txHash } from '../../src/kernel/ids.ts';
import type { Asset, Chain, Transfer } from '../../src/world/chains/chain.ts';
import { Follower, followFresh } from '../../src/world/chains/conformance/follower.ts';
import { evmAsset, evmContractOf, evmWord, transferCall } from '../../src/world/chains/evm/codec.ts';
import { TRANSFER_TOPIC } from '../../src/world/chains/evm/node.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { assetOf, type EvmBench, freshAddress, openEvmBench, signForTest } from './evm-bench.ts';

describe('A deposit on an EVM network is only what the address can really spend', () => {
  /** What the node says may be bent on its way. */
  let bend: Outbound = httpOutbound;
  let bench: EvmBench;
  let chain: Chain;
  let usdc: Asset;
  let coin: Asset;
  let contract: Address;

  before(async () => {
    bench = await openEvmBench('USDC', { outbound: (call) => bend(call) });
    chain = bench.chain;
    usdc = assetOf(bench.world, 'USDC');
    coin = assetOf(bench.world, 'ETH');
    contract = present(evmContractOf(usdc.id), 'contract of USDC');
  });
  after(() => bench?.close());

  const units = (count: bigint) => atoms(count * 10n ** 6n);

  async function send(to: Address, data: string, from: Address = bench.world.customerAddress): Promise<TxHash> {
    return txHash((await bench.world.rpc('eth_sendTransaction', [{ from, to, data, gas: '0x30d40' }])) as string);
  }

  async function contractWith(code: string): Promise<Address> {
    const address = freshAddress();
    await bench.world.rpc('anvil_setCode', [address, code]);
    return address;
  }

  const skim = (basisPoints: bigint) =>
    bench.world.rpc('anvil_setStorageAt', [contract, SKIM_SLOT, `0x${basisPoints.toString(16).padStart(64, '0')}`]);

  it('whose token is the real one, not another with its symbol', async () => {
    const { follower, address } = await followFresh(chain);
    const fake = await contractWith(tokenCode('USDC', 'USD Coin'));
    const hash = await send(fake, mintCall(address, units(5n)));
    await bench.mine(1);
    await follower.catchUp();
    assert.equal(follower.only(hash).asset, evmAsset(chain.facts.id, fake));
  });

  it('whose log was written by the token and by nobody else', async () => {
    const { follower, address } = await followFresh(chain);
    const liar = await contractWith(
      assemble(`1000000 0 MSTORE 0x${evmWord(address)} CALLER ${TRANSFER_TOPIC} 32 0 LOG3 STOP`),
    );
    const hash = await send(liar, '0x');
    await bench.mine(1);
    await follower.catchUp();
    const claim = follower.only(hash);
    assert.equal(claim.asset, evmAsset(chain.facts.id, liar));
    assert.deepEqual(await chain.standing([claim]), []);
  });

  it('that did not fail inside a transaction that went well; a contract’s payment names no sender', async () => {
    const { follower, address } = await followFresh(chain);
    const forwarder = await contractWith(
      assemble(`CALLDATASIZE 0 0 CALLDATACOPY 0 0 CALLDATASIZE 0 0 ${contract} GAS CALL POP STOP`),
    );
    await bench.pay(forwarder, units(5n));
    await bench.mine(1);
    const tooMuch = await send(forwarder, transferCall(address, units(6n)));
    const enough = await send(forwarder, transferCall(address, units(5n)));
    await bench.mine(1);
    await follower.catchUp();
    assert.deepEqual(follower.of(tooMuch), []);
    assert.equal(follower.only(enough).atoms, units(5n));
    assert.equal(follower.only(enough).sender, undefined);
  });

  it('that did not fail as a whole', async () => {
    const { follower, address } = await followFresh(chain);
    const hash = await send(contract, transferCall(address, atoms(2n ** 200n)));
    await bench.mine(1);
    await follower.catchUp();
    assert.deepEqual(follower.of(hash), []);
  });

  it('of more than nothing', async () => {
    const { follower, address } = await followFresh(chain);
    const hash = await send(contract, transferCall(address, atoms(0n)));
    await bench.mine(1);
    await follower.catchUp();
    assert.deepEqual(follower.of(hash), []);
  });

  it('less what the token kept for itself', async () => {
    const { follower, address } = await followFresh(chain);
    await skim(100n);
    const { txHash } = await bench.pay(address, units(100n));
    await bench.mine(1);
    await skim(0n);
    await follower.catchUp();
    const sighting = follower.only(txHash);
    assert.equal(sighting.atoms, units(100n));
    assert.deepEqual(await chain.standing([sighting]), [{ key: sighting.key, atoms: units(99n) }]);
  });

  it('and nothing where the log lies, though an honest one stands beside it', async () => {
    const { follower, address } = await followFresh(chain);
    const honest = await bench.pay(address, units(3n));
    await bench.mine(1);
    await skim(10_000n);
    const lie = await bench.pay(address, units(7n));
    await bench.mine(1);
    await skim(0n);
    await follower.catchUp();
    const [first, second] = [follower.only(honest.txHash), follower.only(lie.txHash)];
    assert.deepEqual(await chain.standing([first, second]), [{ key: first.key, atoms: units(3n) }]);
  });

  it('shared by all that came in one block, whether they are asked for together or one by one', async () => {
    const { follower, address } = await followFresh(chain);
    await skim(5_000n);
    const hashes = [(await bench.pay(address, units(4n))).txHash, (await bench.pay(address, units(4n))).txHash];
    await bench.mine(1);
    await skim(0n);
    await follower.catchUp();
    const both = hashes.map((hash) => follower.only(hash));
    const sum = (credits: readonly { atoms: bigint }[]) => credits.reduce((total, one) => total + one.atoms, 0n);
    assert.equal(sum(await chain.standing(both)), units(4n));
    const alone = await Promise.all(both.map((sighting) => chain.standing([sighting])));
    assert.equal(sum(alone.flat()), units(4n));
  });

  it('also when the address was emptied in the very same block', async () => {
    const { follower, address } = await followFresh(chain);
    const index = (await chain.depositAddresses(0, 64)).indexOf(address);
    await bench.world.fund(address, coin.token, 10n ** 18n);
    await bench.world.fund(address, usdc.token, units(8n));
    for (const [asset, amount] of [
      [usdc, units(8n)],
      [coin, atoms(10n ** 17n)],
    ] as const) {
      const sweep: Transfer = { from: { deposit: index }, asset: asset.id, atoms: amount, to: chain.hotAddress };
      const terms = await chain.terms(sweep);
      assert.ok(!('refused' in terms) && terms.nonce !== undefined);
      const intent = intentId('treasury', 'sweep', terms.nonce);
      const { nonce, fee } = terms;
      const signed = signForTest({ ...sweep, intent, chainId: chain.facts.id, nonce, fee });
      await follower.catchUp();
      const paid = await bench.world.pay({ token: asset.token, to: address, atoms: units(2n) });
      await chain.broadcast(signed);
      await bench.mine(1);
      await follower.catchUp();
      const status = await chain.status(signed);
      const sighting = follower.only(txHash(paid.txHash));
      assert.ok(status.state === 'mined' && status.block.hash === sighting.block?.hash, 'both are in one block');
      assert.deepEqual(await chain.standing([sighting]), [{ key: sighting.key, atoms: units(2n) }]);
    }
  });

  it('and a node that lags takes nothing back', async () => {
    const { follower, address } = await followFresh(chain);
    const { txHash } = await bench.pay(address, units(1n));
    await bench.mine(3);
    await follower.catchUp();
    const { cursor } = follower;
    const { height } = present(cursor, 'a cursor');

    const asked = (method: string, ...params: unknown[]) => JSON.stringify({ method, params }).slice(1, -1);
    const behind = asked('eth_getBlockByNumber', `0x${(height - 2).toString(16)}`, false);
    bend = (call) =>
      httpOutbound({
        ...call,
        body: (call.body ?? '').replace(asked('eth_getBlockByNumber', 'latest', false), behind),
      });
    await assert.rejects(follower.page(), (error) => error instanceof Fault && error.kind === 'transient');

    const newest = asked('eth_getBlockByNumber', `0x${height.toString(16)}`, false);
    bend = async (call) =>
      call.body?.includes(newest)
        ? { status: 200, body: '{"jsonrpc":"2.0","id":1,"result":null}' }
        : httpOutbound(call);
    await assert.rejects(follower.page(), (error) => error instanceof Fault && error.kind === 'transient');

    // A server that has not come to the block of a deposit does not say that the deposit is gone.
    const sighting = follower.only(txHash);
    const there = `"0x${present(sighting.block, 'a block').height.toString(16)}"`;
    const strange = { ...sighting, asset: evmAsset(chain.facts.id, freshAddress()) };
    bend = async (call) =>
      call.body?.includes('eth_getBlockByNumber') && call.body.includes(there)
        ? { status: 200, body: '{"jsonrpc":"2.0","id":1,"result":null}' }
        : httpOutbound(call);
    for (const one of [sighting, strange])
      await assert.rejects(chain.standing([one]), (error) => error instanceof Fault && error.kind === 'transient');

    bend = httpOutbound;
    await follower.catchUp();
    assert.equal(follower.rewoundTo, undefined);
    assert.deepEqual(follower.cursor, cursor);
    assert.equal(follower.only(txHash).atoms, units(1n));
  });

  it('and a network whose nodes know no safe block is followed all the same', async () => {
    const { follower, address } = await followFresh(chain);
    const { txHash } = await bench.pay(address, units(1n));
    await bench.mine(1);
    const unknown = '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"safe block not found"}}';
    bend = async (call) => (call.body?.includes('"safe"') ? { status: 200, body: unknown } : httpOutbound(call));
    const { heads } = await follower.catchUp();
    bend = httpOutbound;
    assert.equal(follower.only(txHash).atoms, units(1n));
    assert.equal(heads.safe, 0);
    assert.ok(heads.finalized > 0);
  });

  it('and a chain that shares no block with what is remembered stops the scan', async () => {
    const { follower, address } = await followFresh(chain);
    const { height } = present(follower.cursor, 'a cursor');
    const elsewhere = new Follower(chain, [address], { height, recent: [{ height, hash: `0x${'11'.repeat(32)}` }] });
    await assert.rejects(elsewhere.page(), (error) => error instanceof Fault && error.kind === 'permanent');
  });

  it('and coins of the chain are told from its tokens', async () => {
    const { follower, address } = await followFresh(chain);
    const { txHash: hash } = await bench.world.pay({ token: coin.token, to: address, atoms: 5n });
    await bench.mine(1);
    await follower.catchUp();
    const { asset, atoms: amount, sender } = follower.only(txHash(hash));
    assert.deepEqual(
      { asset, amount, sender },
      {
        asset: evmAsset(chain.facts.id, undefined),
        amount: 5n,
        sender: bench.world.customerAddress,
      },
    );
  });
});
