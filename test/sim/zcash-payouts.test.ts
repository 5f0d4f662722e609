import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { serve } from '../../sandbox/simulators/zcash/server.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Address, intentId } from '../../src/kernel/ids.ts';
import { openZcashDevice } from '../../src/signer/rails/zcash-device.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import type { SignedTransfer } from '../../src/world/chains/chain.ts';
import { Follower, followFresh } from '../../src/world/chains/conformance/follower.ts';
import { addressForms, encodeAddress, expiryHeight } from '../../src/world/chains/zcash/codec.ts';
import { ZCASH_ID, ZEC_ASSET } from '../../src/world/chains/zcash/rules.ts';
import { httpOutbound, type OutboundCall } from '../../src/world/outbound/http.ts';
import { loginOf } from '../../src/world/outbound/login.ts';
import { signPayment, startBench, type ZcashBench, ZEC } from './zcash-bench.ts';

describe('payouts of Zcash', () => {
  let bench: ZcashBench;
  before(async () => {
    bench = await startBench();
  });
  after(() => bench?.world.close());

  const request = (to: Address, amount: bigint): TransferRequest => ({
    ...{ intent: intentId('treasury', 'payout', 0), kind: 'payout', owner: 'treasury', chainId: ZCASH_ID },
    ...{ from: 'hot', asset: ZEC_ASSET.id, atoms: atoms(amount), to, fee: { source: 'shielded', most: '250000' } },
  });

  /** The signer's device behind a door that changes what it says to the wallet or hears from it. */
  const bentDevice = (bend: (call: OutboundCall) => OutboundCall, walletName: 'spend' | 'view' = 'spend') => {
    const { accountUuid, walletUrl, walletLogin } = bench.world;
    const config = {
      ...{ accountUuid, walletUrl: walletUrl(walletName), walletLogin: loginOf(walletLogin(walletName)) },
    };
    return openZcashDevice(config, (call) => httpOutbound(bend(call)));
  };

  it('pays unified, Sapling, transparent and script addresses exactly', async () => {
    const { chain, world } = bench;
    const script = encodeAddress({ kind: 'transparent', receivers: { p2sh: new Uint8Array(20).fill(7) } });
    const kinds = [['p2pkh', 'sapling', 'orchard'], ['sapling'], ['p2pkh'], ['orchard']] as const;
    const destinations = [...kinds.map((types) => world.freshDestination(types)), script];
    assert.deepEqual(
      destinations.map((address) => address.slice(0, 2)),
      ['u1', 'zs', 't1', 'u1', 't3'],
    );
    for (const to of destinations) {
      const signed = await signPayment(bench, to, ZEC + 1n);
      await chain.broadcast(signed);
      await world.mine(1);
      const status = await chain.status(signed);
      assert.ok(status.state === 'mined' && status.cost === signed.cost);
      assert.equal((await world.received('ZEC', to)).total, ZEC + 1n);
    }
  });

  it('builds the next payment from other notes while the first is not mined', async () => {
    const to = bench.world.freshDestination();
    const payments = await Promise.all([1n, 2n, 3n].map((times) => signPayment(bench, to, times * ZEC)));
    const tokens = payments.flatMap((payment) => payment.consumes);
    assert.equal(new Set(tokens).size, tokens.length);
    assert.ok(tokens.every((token) => /^20000000000133:[0-9a-f]{64}:(?:orchard|transparent):\d+$/.test(token)));
  });

  it('sends stored bytes after everybody was killed, once', async () => {
    const { world } = bench;
    const to = world.freshDestination();
    const signed = await signPayment(bench, to, ZEC);
    const snapshot = JSON.parse(JSON.stringify(world.snapshot()));
    await world.close();
    bench = await startBench(snapshot);
    assert.deepEqual(await bench.chain.status(signed), { state: 'unknown' });
    for (let times = 0; times < 3; times += 1) {
      await bench.chain.broadcast(signed);
      await bench.world.mine(1);
    }
    assert.equal((await bench.chain.status(signed)).state, 'mined');
    assert.equal((await bench.world.received('ZEC', to)).total, ZEC);
    const next = await signPayment(bench, to, ZEC);
    assert.ok(!next.consumes.some((token) => signed.consumes.includes(token)));
  });

  it('calls a payment dead only twenty blocks after the last that could hold it', async () => {
    const { chain, world } = bench;
    const to = world.freshDestination();
    const signed = await signPayment(bench, to, ZEC);
    const { follower } = await followFresh(chain);
    const tip = follower.cursor?.height ?? 0;
    const expiry = expiryHeight(signed.raw) ?? 0;
    assert.equal(expiry, tip + 41);
    await world.mine(expiry - tip + 20);
    assert.deepEqual(await chain.status(signed), { state: 'unknown' });
    assert.match((await chain.broadcast(signed)) ?? '', /expired/);
    await world.mine(1);
    assert.equal((await chain.status(signed)).state, 'dead');
    assert.equal((await world.received('ZEC', to)).total, 0n);
  });

  it('finds a payment again that was mined at the last moment', async () => {
    const { chain, world } = bench;
    const signed = await signPayment(bench, world.freshDestination(), ZEC);
    await world.mine(40);
    await chain.broadcast(signed);
    await world.mine(1);
    assert.equal((await chain.status(signed)).state, 'mined');
    await world.mine(30);
    assert.equal((await chain.status(signed)).state, 'mined');
  });

  it('shields what came transparent when it pays itself', async () => {
    const { chain, world } = bench;
    const { address } = await followFresh(chain);
    const { transparent } = present(addressForms(address), 'two forms');
    await world.pay({ token: 'ZEC', to: transparent, atoms: 40n * ZEC });
    await world.mine(10);
    const before = await chain.balance('hot', ZEC_ASSET.id);
    const shielding = await signPayment(bench, chain.hotAddress, 39n * ZEC);
    await chain.broadcast(shielding);
    await world.mine(10);
    const now = await chain.balance('hot', ZEC_ASSET.id);
    assert.equal(before.spendable + before.locked - now.spendable - now.locked, shielding.cost);
    assert.ok(shielding.consumes.every((token) => token.includes(':transparent:')));
  });

  it('says in words when funds are short, and signs nothing', async () => {
    const { chain, world } = bench;
    const before = await chain.balance('hot', ZEC_ASSET.id);
    const short = (error: unknown) =>
      error instanceof Fault && error.kind === 'transient' && /short/.test(error.message);
    await assert.rejects(signPayment(bench, world.freshDestination(), 1_000_000n * ZEC), short);
    assert.deepEqual(await chain.balance('hot', ZEC_ASSET.id), before);
  });

  it('refuses bytes that were tampered with', async () => {
    const { chain, world } = bench;
    const signed = await signPayment(bench, world.freshDestination(), ZEC);
    // The last digits of the bytes are those of a signature, and what closes it.
    const digit = signed.raw.slice(-10, -8) === '30' ? '31' : '30';
    const bent: SignedTransfer = { ...signed, raw: signed.raw.slice(0, -10) + digit + signed.raw.slice(-8) };
    assert.match((await chain.broadcast(bent)) ?? '', /unproven spend/);
    assert.deepEqual(await chain.status(signed), { state: 'unknown' });
  });

  it('hands out nothing if the wallet pays somebody else, too little, or too dearly', async () => {
    const to = bench.world.freshDestination();
    const thief = bench.world.freshDestination();
    const replacing = (from: string, by: string) => (call: OutboundCall) =>
      call.label === 'pczt_create' ? { ...call, body: call.body?.replace(from, by) ?? '' } : call;
    const permanent = (error: unknown) => error instanceof Fault && error.kind === 'permanent';
    await assert.rejects((await bentDevice(replacing(to, thief))).sign(request(to, ZEC)), permanent);
    await assert.rejects((await bentDevice(replacing('"1.5"', '"1.4"'))).sign(request(to, (ZEC * 3n) / 2n)), permanent);
    const dear = bench.device.sign({ ...request(to, ZEC), fee: { source: 'shielded', most: '1' } });
    await assert.rejects(dear, /new terms are needed/);
  });

  it('cannot spend with the view wallet', async () => {
    const device = await bentDevice((call) => call, 'view');
    await assert.rejects(device.sign(request(bench.world.freshDestination(), ZEC)), /view-only/);
  });

  it('is spent from by the signer alone: neither a stranger nor the login of the wallet that sees opens it', async () => {
    const { accountUuid, walletUrl, walletLogin } = bench.world;
    const open = (url: string, login: string) =>
      openZcashDevice({ accountUuid, walletUrl: url, walletLogin: loginOf(login) }, httpOutbound);
    for (const login of ['x:y', walletLogin('view')])
      await assert.rejects(open(walletUrl('spend'), login), { name: 'Fault' });

    // Whoever has its login needs no signer: three coins leave.
    const thief = await open(walletUrl('spend'), walletLogin('spend'));
    const stolen = await thief.sign(request(bench.world.freshDestination(), 3n * ZEC));
    await bench.chain.broadcast(stolen);
    await bench.world.mine(1);
    assert.equal((await bench.chain.status(stolen)).state, 'mined');
  });

  it('does not open where a wallet answers without a login', async () => {
    const unlocked = await serve({ z_getaddressforaccount: () => ({ address: bench.world.hotAddress }) });
    const { accountUuid, walletLogin } = bench.world;
    const config = { accountUuid, walletUrl: unlocked.url, walletLogin: loginOf(walletLogin('spend')) };
    const said = { kind: 'permanent', message: /127\.0\.0\.1:\d+: the server answers without a login/ };
    await assert.rejects(openZcashDevice(config, httpOutbound), said);
    await unlocked.stop();
  });

  it('shows its own payment to a deposit address once, as a deposit', async () => {
    const { chain, world } = bench;
    const { follower, address } = await followFresh(chain);
    const signed = await signPayment(bench, address, ZEC);
    await chain.broadcast(signed);
    await world.mine(1);
    const again = new Follower(chain, [address], follower.cursor);
    await again.catchUp();
    assert.equal(again.only(signed.txHash).atoms, ZEC);
  });
});
