import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addressIn, type Code, Revert, word } from '../../sandbox/simulators/tron/machine.ts';
import { TRANSFER_TOPIC, tetherCode } from '../../sandbox/simulators/tron/token.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Address, type TxHash, txHash } from '../../src/kernel/ids.ts';
import type { Chain } from '../../src/world/chains/chain.ts';
import { Follower, followFresh } from '../../src/world/chains/conformance/follower.ts';
import { parseTronAddress, tronHex } from '../../src/world/chains/tron/codec.ts';
import { TRX_ASSET, USDT_ASSET } from '../../src/world/chains/tron/rules.ts';
import { httpOutbound, type Outbound, type OutboundReply } from '../../src/world/outbound/http.ts';
import { freshAddress, openTronBench, type TronBench, UNIT } from './tron-bench.ts';

const USDT = present(parseTronAddress(USDT_ASSET.token), 'USDT');
const units = (count: bigint) => atoms(count * UNIT);
const isTransient = (error: unknown) => error instanceof Fault && error.kind === 'transient';

describe('A deposit on Tron is only what arrived', () => {
  /** What the node says may be bent on its way. */
  let bend: Outbound = httpOutbound;
  let bench: TronBench;
  let chain: Chain;

  before(async () => {
    bench = await openTronBench(USDT_ASSET, (call) => bend(call));
    chain = bench.chain;
  });
  after(() => bench?.close());

  async function call(contract: Address, method: string, ...args: [type: string, value: string][]): Promise<TxHash> {
    const parameters = args.map(([type, value]) => ({ type, value }));
    return txHash(bench.world.send(await bench.world.customer.call(contract, method, parameters)));
  }

  const transfer = (contract: Address, to: Address, value: bigint) =>
    call(contract, 'transfer(address,uint256)', ['address', to], ['uint256', value.toString()]);

  function contractWith(code: Code): Address {
    const address = freshAddress();
    bench.world.deploy(address, code);
    return address;
  }

  async function bent(path: string, answer: (reply: OutboundReply) => unknown, work: () => Promise<unknown>) {
    bend = async (call) => {
      const reply = await httpOutbound(call);
      return call.label === path ? { status: 200, body: JSON.stringify(answer(reply)) } : reply;
    };
    try {
      await work();
    } finally {
      bend = httpOutbound;
    }
  }

  it('in the real token, not in another with its symbol', async () => {
    const { follower, address } = await followFresh(chain);
    const fake = contractWith(tetherCode(tronHex(bench.world.customer.address as Address)));
    await call(fake, 'issue(uint256)', ['uint256', '5000000']);
    const hash = await transfer(fake, address, units(5n));
    await bench.mine(1);
    assert.equal(bench.world.ledger.find(hash)?.mined.receipt.contractRet, 'SUCCESS');
    await follower.catchUp();
    assert.deepEqual(follower.of(hash), []);
  });

  it('by a log that the token wrote and nobody else', async () => {
    const { follower, address } = await followFresh(chain);
    const liar = contractWith(({ self, caller, data }, run) => {
      const topics = [
        TRANSFER_TOPIC,
        word(BigInt(`0x${caller.slice(2)}`)),
        addressIn(data, 0).slice(2).padStart(64, '0'),
      ];
      run.log(self, topics, word(units(5n)));
      return '';
    });
    const hash = await transfer(liar, address, units(5n));
    await bench.mine(1);
    await follower.catchUp();
    assert.deepEqual(follower.of(hash), []);
  });

  it('and not what failed inside a transaction that went well; a contract’s payment names no sender', async () => {
    const { follower, address } = await followFresh(chain);
    const forwarder = contractWith(({ self, data }, run) => {
      try {
        return run.call({ caller: self, self: tronHex(USDT), data });
      } catch (error) {
        assert.ok(error instanceof Revert);
        return '';
      }
    });
    await bench.pay(forwarder, units(5n));
    await bench.mine(1);
    const tooMuch = await transfer(forwarder, address, units(6n));
    const enough = await transfer(forwarder, address, units(5n));
    await bench.mine(1);
    assert.equal(bench.world.ledger.find(tooMuch)?.mined.receipt.contractRet, 'SUCCESS');
    await follower.catchUp();
    assert.deepEqual(follower.of(tooMuch), []);
    assert.equal(follower.only(enough).atoms, units(5n));
    assert.equal(follower.only(enough).sender, undefined);
  });

  it('and not what was taken in and failed: reverted, or out of energy', async () => {
    const { follower, address } = await followFresh(chain);
    const reverted = await transfer(USDT, address, 2n ** 200n);
    const { customer } = bench.world;
    const parameters = [
      { type: 'address', value: address },
      { type: 'uint256', value: '5000000' },
    ];
    const starved = txHash(
      bench.world.send(await customer.call(USDT, 'transfer(address,uint256)', parameters, 1_000_000)),
    );
    await bench.mine(1);
    const outcomes = [reverted, starved].map((hash) => bench.world.ledger.find(hash)?.mined.receipt.contractRet);
    assert.deepEqual(outcomes, ['REVERT', 'OUT_OF_ENERGY']);
    await follower.catchUp();
    assert.deepEqual([...follower.of(reverted), ...follower.of(starved)], []);
  });

  it('even if the token answers false, as USDT does when all went well', async () => {
    const { follower, address } = await followFresh(chain);
    const { txHash: hash } = await bench.pay(address, units(5n));
    await bench.mine(1);
    assert.equal(bench.world.ledger.find(hash)?.mined.receipt.answer, word(0n));
    await follower.catchUp();
    const sighting = follower.only(hash);
    assert.equal(sighting.sender, bench.world.customer.address);
    assert.deepEqual(await chain.standing([sighting]), [{ key: sighting.key, atoms: units(5n) }]);
  });

  it('and more than nothing', async () => {
    const { follower, address } = await followFresh(chain);
    const hash = await transfer(USDT, address, 0n);
    await bench.mine(1);
    await follower.catchUp();
    assert.deepEqual(follower.of(hash), []);
  });

  it('less what the token kept for itself', async () => {
    const { follower, address } = await followFresh(chain);
    const setFee = async (basisPoints: string, most: string) => {
      const parameters = [
        { type: 'uint256', value: basisPoints },
        { type: 'uint256', value: most },
      ];
      bench.world.send(await bench.world.issuer.call(USDT, 'setParams(uint256,uint256)', parameters));
      await bench.mine(1);
    };
    await setFee('100', '50000000');
    const { txHash: hash } = await bench.pay(address, units(100n));
    await bench.mine(1);
    await setFee('0', '0');
    await follower.catchUp();
    const sighting = follower.only(hash);
    assert.equal(sighting.atoms, units(99n));
    assert.deepEqual(await chain.standing([sighting]), [{ key: sighting.key, atoms: units(99n) }]);
    assert.equal((await chain.balance({ deposit: await indexOf(address) }, USDT_ASSET.id)).spendable, units(99n));
  });

  async function indexOf(address: Address): Promise<number> {
    return (await chain.depositAddresses(0, 64)).indexOf(address);
  }

  it('and coins are told from tokens, also on an address that did not exist before', async () => {
    const { follower, address } = await followFresh(chain);
    const { txHash: hash } = await bench.world.pay({ token: TRX_ASSET.token, to: address, atoms: units(5n) });
    await bench.mine(1);
    await follower.catchUp();
    const { asset, atoms: amount, sender, key } = follower.only(txHash(hash));
    const told = { asset, amount, sender, key };
    const from = bench.world.customer.address;
    assert.deepEqual(told, { asset: TRX_ASSET.id, amount: units(5n), sender: from, key: `${hash}:value` });
  });

  it('and an amount that JSON cannot carry stops the scan, if it is ours, and no other', async () => {
    const { follower, address } = await followFresh(chain);
    const paid = await bench.world.pay({ token: TRX_ASSET.token, to: address, atoms: 5n });
    await bench.mine(1);
    const huge = (reply: OutboundReply) => JSON.parse(reply.body.replace('"amount":5,', '"amount":9007199254740993,'));
    await bent('wallet/getblockbylimitnext', huge, async () => {
      await assert.rejects(follower.page(), isTransient);
      const stranger = new Follower(chain, [freshAddress()], follower.cursor);
      await stranger.catchUp();
    });
    await follower.catchUp();
    assert.equal(follower.only(txHash(paid.txHash)).atoms, 5n);
  });

  it('and a node that lags, or forgot what a block did, takes nothing back and hides nothing', async () => {
    const { follower, address } = await followFresh(chain);
    const first = await bench.pay(address, units(1n));
    await bench.mine(3);
    await follower.catchUp();
    const { cursor } = follower;
    const older = bench.world.ledger.blocks.at(-3);
    const behind = (reply: OutboundReply) => {
      const block = JSON.parse(reply.body);
      return { ...block, block_header: { raw_data: { ...block.block_header.raw_data, number: older?.height } } };
    };
    await bent('wallet/getblock', behind, () => assert.rejects(follower.page(), isTransient));
    for (const path of ['wallet/getblock', 'wallet/gettransactionbyid', 'wallet/gettransactioninfobyid'])
      await bent(
        path,
        () => ({}),
        () => assert.rejects(chain.standing([follower.only(first.txHash)]), isTransient, path),
      );

    const second = await bench.pay(address, units(2n));
    await bench.mine(1);
    await bent(
      'wallet/gettransactioninfobyblocknum',
      () => [],
      () => assert.rejects(follower.page(), isTransient),
    );
    assert.deepEqual(follower.cursor, cursor);
    await follower.catchUp();
    assert.equal(follower.rewoundTo, undefined);
    assert.deepEqual(
      [first, second].map(({ txHash }) => follower.only(txHash).atoms),
      [units(1n), units(2n)],
    );
  });

  it('and a chain that shares no block with what is remembered stops the scan', async () => {
    const { follower, address } = await followFresh(chain);
    const { height } = present(follower.cursor, 'a cursor');
    const elsewhere = new Follower(chain, [address], { height, recent: [{ height, hash: '11'.repeat(32) }] });
    await assert.rejects(elsewhere.page(), (error) => error instanceof Fault && error.kind === 'permanent');
  });
});
