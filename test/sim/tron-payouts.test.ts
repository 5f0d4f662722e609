import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Revert } from '../../sandbox/simulators/tron/machine.ts';
import { tetherCode } from '../../sandbox/simulators/tron/token.ts';
import type { Account } from '../../src/kernel/account.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Address, intentId } from '../../src/kernel/ids.ts';
import type { Asset, Chain, SignedTransfer, Terms } from '../../src/world/chains/chain.ts';
import { parseTronAddress, tronHex } from '../../src/world/chains/tron/codec.ts';
import { SOLIDIFIED_DEPTH, TRX_ASSET, USDT_ASSET } from '../../src/world/chains/tron/rules.ts';
import { LIFETIME_MS } from '../../src/world/chains/tron/terms.ts';
import { openTron } from '../../src/world/chains/tron/tron.ts';
import { httpOutbound, type Outbound, type OutboundCall } from '../../src/world/outbound/http.ts';
import { freshAddress, HOT, KEYS, openTronBench, RAIL, type TronBench, UNIT } from './tron-bench.ts';

const USDT = present(parseTronAddress(USDT_ASSET.token), 'USDT');
const one = atoms(UNIT);
const isTransient = (error: unknown) => error instanceof Fault && error.kind === 'transient';
const HOUR_MS = 3_600_000;

describe('A payout on Tron', () => {
  let bend: Outbound = httpOutbound;
  let bench: TronBench;
  let chain: Chain;
  let leg = 0;

  before(async () => {
    bench = await openTronBench(USDT_ASSET, (call) => bend(call));
    chain = bench.chain;
  });
  after(() => bench?.close());

  const ask = (to: Address, asset: Asset = USDT_ASSET, from: Account = 'hot') =>
    chain.terms({ from, asset: asset.id, atoms: one, to });

  async function termsFor(to: Address, asset: Asset = USDT_ASSET): Promise<Terms> {
    const terms = await ask(to, asset);
    assert.ok(!('refused' in terms));
    return terms;
  }

  async function signed(to: Address, asset: Asset = USDT_ASSET): Promise<SignedTransfer> {
    const { fee } = await termsFor(to, asset);
    leg += 1;
    const transfer = { from: 'hot', asset: asset.id, atoms: one, to, chainId: chain.facts.id } as const;
    const intent = intentId('treasury', 'payout', leg);
    return RAIL.sign({ ...transfer, intent, kind: 'payout', owner: 'treasury', fee });
  }

  it('is refused where the token has frozen the account, which would receive it and never get it out', async () => {
    const to = present(bench.refusedDestination, 'a frozen account');
    assert.deepEqual(await ask(to), { refused: 'the token has frozen this account' });
  });

  it('is refused where the token says so, in its own words', async () => {
    const to = freshAddress();
    const picky = tetherCode(tronHex(bench.world.issuer.address as Address));
    bench.world.deploy(USDT, (call, run) => {
      if (call.data.startsWith('a9059cbb') && call.data.includes(tronHex(to).slice(2))) throw new Revert('not you');
      return picky(call, run);
    });
    assert.deepEqual(await ask(to), { refused: 'not you' });
    bench.world.deploy(USDT, picky);
  });

  it('of coins is refused for a contract', async () => {
    const contract = freshAddress();
    bench.world.deploy(contract, () => '');
    assert.ok('refused' in (await ask(contract, TRX_ASSET)));
  });

  it('is not the destination’s fault when we are short, frozen ourselves, or the node is out of order', async () => {
    const transfer = { from: 'hot', asset: USDT_ASSET.id, atoms: one, to: freshAddress() } as const;
    await assert.rejects(chain.terms({ ...transfer, atoms: atoms(10n ** 15n) }), isTransient);

    await bench.world.blacklist(chain.hotAddress, true);
    await assert.rejects(chain.terms(transfer), isTransient);
    await bench.world.blacklist(chain.hotAddress, false);

    const broken = '{"result":{"code":"OTHER_ERROR","message":"6f6f7073"}}';
    bend = async (call) =>
      call.label === 'wallet/triggerconstantcontract' ? { status: 200, body: broken } : httpOutbound(call);
    await assert.rejects(chain.terms(transfer), isTransient);
    bend = httpOutbound;
    assert.ok('cost' in (await chain.terms(transfer)));
  });

  it('waits while running the token costs more than we pay', async () => {
    const config = { nodeUrl: bench.world.rpcUrl, xpub: KEYS.xpub, hotAddress: HOT, fees: { maxFeeLimit: 1n } };
    const thrifty = await openTron(config, httpOutbound);
    const transfer = { from: 'hot', asset: USDT_ASSET.id, atoms: one, to: freshAddress() } as const;
    await assert.rejects(thrifty.terms(transfer), isTransient);
  });

  it('of coins to a new account pays for that account, and says so beforehand', async () => {
    const to = freshAddress();
    const first = await signed(to, TRX_ASSET);
    await chain.broadcast(first);
    await bench.mine(1);
    const status = await chain.status(first);
    assert.ok(status.state === 'mined' && status.ok);
    assert.deepEqual([first.cost, status.cost], [1_100_000n, 1_100_000n]);
    const again = await termsFor(to, TRX_ASSET);
    assert.ok(again.cost < 400_000n && again.usual === again.cost);
  });

  it('of tokens costs twice as much where the payee had none, and a sweep says what it needs without having it', async () => {
    const holder = freshAddress();
    await bench.world.fund(holder, USDT_ASSET.token, UNIT);
    const [cheap, dear] = [await termsFor(holder), await termsFor(freshAddress())];
    assert.ok(dear.usual > cheap.usual + 6_000_000n);
    assert.ok(cheap.cost > cheap.usual && cheap.nonce === undefined);

    const [account] = await chain.depositAddresses(3, 1);
    await bench.world.fund(present(account, 'a deposit address'), USDT_ASSET.token, UNIT);
    const sweep = await ask(chain.hotAddress, USDT_ASSET, { deposit: 3 });
    assert.ok('cost' in sweep && sweep.cost > 6_000_000n);
  });

  it('prices a payment of nothing to ourselves, by which costs are watched', async () => {
    for (const { id } of chain.facts.assets) {
      const terms = await chain.terms({ from: 'hot', asset: id, atoms: atoms(0n), to: chain.hotAddress });
      assert.ok('usual' in terms && terms.usual > 0n);
    }
  });

  it('uses what was staked before it burns coins', async () => {
    const staked = { NetLimit: 5_000, NetUsed: 100, EnergyLimit: 100_000, EnergyUsed: 30_000 };
    bend = async (call) =>
      call.label === 'wallet/getaccountresource' ? { status: 200, body: JSON.stringify(staked) } : httpOutbound(call);
    const terms = await termsFor(chain.hotAddress);
    bend = httpOutbound;
    assert.equal(terms.usual, 0n);
    assert.ok(terms.cost > 6_000_000n, 'what may be burned does not trust that the stake is still there');
  });

  it('that is withheld is dead once solidified time is past its expiration, and not a block sooner', async () => {
    const to = freshAddress();
    const attempt = await signed(to);
    bench.world.ledger.withheld.add(attempt.txHash);
    await chain.broadcast(attempt);
    await bench.mine(1);
    assert.equal((await chain.status(attempt)).state, 'pool');

    bench.wait(LIFETIME_MS + HOUR_MS);
    await bench.mine(1);
    assert.equal((await chain.status(attempt)).state, 'pool');
    await bench.mine(1);
    assert.deepEqual(await chain.status(attempt), { state: 'unknown' }, 'the pool forgot it, the past may not have');
    await bench.mine(16);
    assert.deepEqual(await chain.status(attempt), { state: 'unknown' });
    await bench.mine(1);
    const dead = await chain.status(attempt);
    assert.ok(dead.state === 'dead' && /expired/.test(dead.proof), JSON.stringify(dead));

    bench.world.ledger.withheld.clear();
    await chain.broadcast(attempt);
    await bench.mine(1);
    assert.equal(await bench.received(to), 0n);
    assert.equal((await chain.status(attempt)).state, 'dead');
  });

  it('that got in at the last moment is not called dead', async () => {
    const to = freshAddress();
    const attempt = await signed(to);
    bench.world.ledger.withheld.add(attempt.txHash);
    await chain.broadcast(attempt);
    bench.wait(LIFETIME_MS - 2 * 60_000);
    await bench.mine(1);
    bench.world.ledger.withheld.clear();
    await bench.mine(1);
    bench.wait(HOUR_MS);
    await bench.mine(30);
    const status = await chain.status(attempt);
    assert.ok(status.state === 'mined' && status.ok && status.depth.have >= status.depth.need);
    assert.equal(await bench.received(to), one);
  });

  it('is not called dead by a node that finds it on the second look', async () => {
    const attempt = await signed(freshAddress());
    await chain.broadcast(attempt);
    bench.wait(LIFETIME_MS + HOUR_MS);
    await bench.mine(1);
    await bench.mine(20);
    let looks = 0;
    const lookups = /gettransaction(?:infobyid|byid|frompending)$/;
    bend = async (call) => {
      if (!lookups.test(call.label)) return httpOutbound(call);
      looks += 1;
      return looks <= 4 ? { status: 200, body: '{}' } : httpOutbound(call);
    };
    const status = await chain.status(attempt);
    bend = httpOutbound;
    assert.equal(status.state, 'mined');
  });

  it('is not called dead by a node that has not kept the blocks in which it could be', async () => {
    // The block that is solidified when it is signed holds a payment, so that a node with its history can show it.
    await bench.pay(freshAddress(), one);
    await bench.mine(SOLIDIFIED_DEPTH);
    const reference = bench.world.ledger.solid.height;
    const attempt = await signed(freshAddress());
    await chain.broadcast(attempt);
    bench.wait(LIFETIME_MS + HOUR_MS);
    await bench.mine(1);
    await bench.mine(SOLIDIFIED_DEPTH);
    const forgets = (isForgotten: (call: OutboundCall) => boolean) => {
      bend = async (call) => (isForgotten(call) ? { status: 200, body: '{}' } : httpOutbound(call));
    };
    const isReference = ({ label, body = '' }: OutboundCall) =>
      label === 'wallet/getblock' && body.includes(`"id_or_num":"${reference}"`);
    const withoutIt = ({ body = '' }: OutboundCall) => body.includes(attempt.txHash);

    forgets(({ label }) => /gettransaction(?:infobyid|byid|frompending)$/.test(label));
    assert.deepEqual(await chain.status(attempt), { state: 'unknown' }, 'it keeps no history at all');
    forgets((call) => withoutIt(call) || isReference(call));
    assert.deepEqual(await chain.status(attempt), { state: 'unknown' }, 'it began after the reference');
    bend = httpOutbound;
    assert.equal((await chain.status(attempt)).state, 'mined');
  });

  it('that fails when it is mined says so, and what it cost', async () => {
    const to = freshAddress();
    const attempt = await signed(to);
    bench.world.ledger.withheld.add(attempt.txHash);
    await chain.broadcast(attempt);
    await bench.world.blacklist(chain.hotAddress, true);
    bench.world.ledger.withheld.clear();
    await bench.mine(1);
    await bench.world.blacklist(chain.hotAddress, false);
    const status = await chain.status(attempt);
    assert.ok(status.state === 'mined' && !status.ok && status.cost > 0n && status.cost <= attempt.cost);
    assert.equal(await bench.received(to), 0n);
  });

  it('that runs out of energy burns what was said and pays nothing', async () => {
    const holder = freshAddress();
    await bench.world.fund(holder, USDT_ASSET.token, UNIT);
    const attempt = await signed(holder);
    const dearer = tetherCode(tronHex(bench.world.issuer.address as Address));
    bench.world.deploy(USDT, (call, run) => {
      run.burn(50_000n);
      return dearer(call, run);
    });
    await chain.broadcast(attempt);
    await bench.mine(1);
    bench.world.deploy(USDT, dearer);
    const status = await chain.status(attempt);
    assert.ok(status.state === 'mined' && !status.ok && status.cost <= attempt.cost);
    assert.equal(await bench.received(holder), UNIT);
  });

  it('of which the token does not say that it paid is neither paid nor failed: a person must look', async () => {
    const attempt = await signed(freshAddress());
    const honest = tetherCode(tronHex(bench.world.issuer.address as Address));
    bench.world.deploy(USDT, () => '');
    await chain.broadcast(attempt);
    await bench.mine(1);
    bench.world.deploy(USDT, honest);
    await assert.rejects(chain.status(attempt), (error) => error instanceof Fault && error.kind === 'permanent');
  });

  it('outlives a busy node, and says that nothing is sure', async () => {
    const to = freshAddress();
    const attempt = await signed(to);
    bench.world.ledger.busy = 1;
    assert.match((await chain.broadcast(attempt)) ?? '', /SERVER_BUSY/);
    await chain.broadcast(attempt);
    await bench.mine(1);
    assert.equal(await bench.received(to), one);
  });

  it('keeps its reference block in a reorganisation', async () => {
    const to = freshAddress();
    const attempt = await signed(to);
    await bench.reorg(18);
    await chain.broadcast(attempt);
    await bench.mine(1);
    assert.equal(await bench.received(to), one);
  });

  it('is not sent at all through a node of another network', async () => {
    bend = async (call) => {
      const reply = await httpOutbound(call);
      return { ...reply, body: reply.body.replace('2b6653dc', 'cd8690dc') };
    };
    const config = { nodeUrl: bench.world.rpcUrl, xpub: KEYS.xpub, hotAddress: HOT };
    await assert.rejects(
      openTron(config, (call) => bend(call)),
      { kind: 'permanent' },
    );
    bend = httpOutbound;
  });
});
