import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { moneroSettings } from '../../sandbox/families/monero.ts';
import { askWallet, type MoneroWorld, type WalletName, walletLogin } from '../../sandbox/nodes/monero-world.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Address, intentId, txHash } from '../../src/kernel/ids.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { openMoneroDevice } from '../../src/signer/rails/monero-device.ts';
import type { SignedTransfer } from '../../src/world/chains/chain.ts';
import { followFresh } from '../../src/world/chains/conformance/follower.ts';
import { decodeAddress, encodeAddress } from '../../src/world/chains/monero/codec.ts';
import { MONERO_ID, XMR_ASSET } from '../../src/world/chains/monero/rules.ts';
import { parseTransactionHex } from '../../src/world/chains/monero/tx-codec.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { jsonRpc } from '../../src/world/outbound/json-rpc.ts';
import { loginOf } from '../../src/world/outbound/login.ts';
import { HOT_KEYS, type MoneroBench, openMoneroBench, XMR } from './monero-bench.ts';

type Json = Readonly<Record<string, unknown>>;

/** What is peculiar to Monero; the same on the real node and on the simulator. */
export function moneroStories(name: string, start: () => Promise<MoneroWorld>): void {
  describe(`Monero on ${name}`, () => {
    let bench: MoneroBench;
    before(async () => {
      bench = await openMoneroBench(await start());
    });
    after(() => bench?.world.close());

    const wallet = (which: WalletName, method: string, params: Json = {}): Promise<Json> =>
      askWallet(bench.world, which)(method, params);
    const submit = async (hex: unknown): Promise<Json> => {
      const body = JSON.stringify({ tx_as_hex: hex });
      const url = `${bench.world.daemonUrl}/send_raw_transaction`;
      return (await (await fetch(url, { method: 'POST', body })).json()) as Json;
    };
    let leg = 0;
    const sign = async (to: Address, amount: bigint): Promise<SignedTransfer> => {
      leg += 1;
      const transfer = { from: 'hot', asset: XMR_ASSET.id, atoms: atoms(amount), to } as const;
      const terms = await bench.chain.terms(transfer);
      assert.ok('fee' in terms);
      const intent = intentId('treasury', 'payout', leg);
      return bench.device.sign({
        ...transfer,
        intent,
        kind: 'payout',
        owner: 'treasury',
        chainId: MONERO_ID,
        fee: terms.fee,
      });
    };
    /** Two transactions of the same customer's coin, of which only one can be mined. */
    const rivals = async (to: readonly string[]): Promise<Json[]> => {
      await wallet('customer', 'refresh');
      const { transfers } = await wallet('customer', 'incoming_transfers', { transfer_type: 'available' });
      const coin = (transfers as Json[]).find(({ unlocked, frozen }) => unlocked === true && frozen === false);
      const sweep = { key_image: coin?.key_image, do_not_relay: true, get_tx_hex: true, priority: 1 };
      return Promise.all(to.map((address) => wallet('customer', 'sweep_single', { ...sweep, address })));
    };

    it('sights each of several outputs that one transaction pays', async () => {
      const { chain, world } = bench;
      const { follower, address } = await followFresh(chain);
      const hash = await world.pay(
        { to: address, atoms: XMR },
        { to: address, atoms: 2n * XMR },
        { to: world.customerAddress, atoms: XMR },
      );
      await follower.catchUp();
      const pooled = follower.of(txHash(hash));
      await world.mine(1);
      await follower.catchUp();
      const mined = follower.of(txHash(hash));
      assert.deepEqual(mined.map((sighting) => sighting.atoms).sort(), [XMR, 2n * XMR]);
      assert.deepEqual(new Set(mined.map(({ key }) => key)), new Set(pooled.map(({ key }) => key)));
      assert.equal((await world.received(address)).total, 3n * XMR);
    });

    it('does not show a deposit in the pool that another transaction contests', async () => {
      const { chain, world } = bench;
      const { follower, address } = await followFresh(chain);
      const [first, second] = await rivals([address, world.customerAddress]);
      const hash = txHash(String(first?.tx_hash));
      assert.equal((await submit(first?.tx_blob)).status, 'OK');
      await follower.catchUp();
      assert.equal(follower.of(hash).length, 1);

      const refused = await submit(second?.tx_blob);
      assert.deepEqual([refused.status, refused.double_spend], ['Failed', true]);
      await follower.catchUp();
      assert.deepEqual(follower.of(hash), []);

      await world.mine(1);
      await follower.catchUp();
      assert.ok(follower.only(hash).block, 'once it is mined it counts');
    });

    it('takes back a deposit whose rival was mined after a reorganisation', async () => {
      const { chain, world } = bench;
      const { follower, address } = await followFresh(chain);
      const [first, second] = await rivals([address, world.customerAddress]);
      const hash = String(first?.tx_hash);
      await submit(first?.tx_blob);
      await world.mine(1);
      await follower.catchUp();
      const sighting = follower.only(txHash(hash));

      await assert.rejects(world.reorg(1, [hash, 'nonsense']), /nonsense is in none of the blocks/);
      assert.equal((await chain.standing([sighting])).length, 1, 'nothing is changed by that');
      await world.reorg(1, [hash]);
      assert.equal((await submit(second?.tx_blob)).status, 'OK');
      await world.mine(1);
      await follower.catchUp();
      assert.deepEqual(follower.of(txHash(hash)), []);
      assert.deepEqual(await chain.standing([sighting]), []);
      assert.equal((await submit(first?.tx_blob)).double_spend, true);
    });

    it('pays standard, integrated and subaddresses, and nobody else', async () => {
      const { chain, world } = bench;
      const own = present(decodeAddress(world.customerAddress), 'the customer');
      const integrated = encodeAddress({ ...own, kind: 'integrated', paymentId: new Uint8Array(8).fill(1) });
      for (const to of [world.customerAddress, integrated, await world.freshDestination()]) {
        const signed = await sign(to, XMR + 1n);
        await chain.broadcast(signed);
        assert.equal((await chain.status(signed)).state, 'pool');
      }
      await world.mine(1);
    });

    it('builds the next payment from other inputs while the first is not mined', async () => {
      const { world } = bench;
      const to = await world.freshDestination();
      const payments = await Promise.all([sign(to, XMR), sign(to, XMR), sign(to, XMR)]);
      const tokens = payments.flatMap((payment) => payment.consumes);
      assert.equal(new Set(tokens).size, tokens.length);
      for (const payment of payments) {
        const { keyImages, fee } = parseTransactionHex(payment.raw);
        assert.deepEqual([payment.consumes, payment.cost], [keyImages.map((image) => `0:${image}`), fee]);
      }
      for (const payment of payments) await bench.device.release(payment.consumes);
    });

    it('has its wallet catch up for no payment that it can make without', async () => {
      const to = await bench.world.freshDestination();
      const first = await sign(to, XMR);
      const before = bench.asked.length;
      const next = await sign(to, XMR);
      const aside = next.consumes.map(() => 'freeze');
      assert.deepEqual(bench.asked.slice(before), ['transfer', ...aside, 'store']);
      for (const payment of [first, next]) await bench.device.release(payment.consumes);
    });

    it('sends stored bytes after everybody was killed, once', async () => {
      const { world } = bench;
      const to = await world.freshDestination();
      const stored = JSON.stringify(await sign(to, XMR), (_, value) =>
        typeof value === 'bigint' ? value.toString() : value,
      );
      // A wallet server that comes back has no wallet open, and a new engine has only what was stored.
      await wallet('spend', 'close_wallet');
      bench = await openMoneroBench(world);
      const signed = { ...JSON.parse(stored), cost: atoms(0n) } as SignedTransfer;
      assert.deepEqual(await bench.chain.status(signed), { state: 'unknown' });
      await bench.chain.broadcast(signed);
      await bench.chain.broadcast(signed);
      await world.mine(1);
      await bench.chain.broadcast(signed);
      await world.mine(1);
      assert.equal((await bench.chain.status(signed)).state, 'mined');
      assert.equal((await world.received(to)).total, XMR);
      const next = await sign(to, XMR);
      assert.ok(!next.consumes.some((token) => signed.consumes.includes(token)));
      await bench.device.release(next.consumes);
    });

    it('reopens its wallet when its server comes back without it', async () => {
      const { chain, device, world } = bench;
      const mine = await world.freshDestination();
      for (const which of ['spend', 'customer'] as const)
        await wallet(which, 'close_wallet', { autosave_current: false });
      await followFresh(chain);
      assert.ok((await device.balance()).spendable > 0n);
      assert.equal((await world.received(mine)).total, 0n);
      assert.notEqual(await world.freshDestination(), mine, 'nobody else gets an address that was given');
    });

    it('calls a payment dead only when its input is spent twenty blocks deep by another', async () => {
      const { chain, device, world } = bench;
      const signed = await sign(await world.freshDestination(), XMR);
      await device.release(signed.consumes);
      const sweep = { key_image: signed.consumes[0]?.slice(2), address: HOT_KEYS.address, outputs: 2, priority: 1 };
      await wallet('spend', 'sweep_single', sweep);
      await world.mine(1);
      await chain.broadcast(signed);
      assert.deepEqual(await chain.status(signed), { state: 'unknown' });
      await world.mine(18);
      assert.deepEqual(await chain.status(signed), { state: 'unknown' });
      await world.mine(1);
      assert.equal((await chain.status(signed)).state, 'dead');
    });

    it('is spent from by the signer alone: nothing but its login opens the wallet that spends', async () => {
      const { world, device } = bench;
      const [spend, unlocked] = (['spend', 'customer'] as const).map((name) => world.walletUrl(name));
      const { monero } = moneroSettings({ daemonUrl: world.daemonUrl, spend: present(spend, 'spend') }, 'password');
      const [user = ''] = monero.spendWallet.login.split(':');
      const before = await device.balance();
      const transfer = {
        destinations: [{ address: world.customerAddress, amount: (7n * XMR).toString() }],
        priority: 1,
      };
      const steal = (url: string | undefined, login?: string) =>
        jsonRpc({ at: 'thief', url: `${url}/json_rpc`, ...(login ? { digest: loginOf(login) } : {}) }, httpOutbound)(
          'transfer',
          transfer,
        );
      // The address of the server is no secret: it is one of the computer's few open ports.
      await assert.rejects(steal(spend), /HTTP 401/);
      for (const login of [`${user}:${monero.spendWallet.password}`, `${user}:`, 'monero:'])
        await assert.rejects(steal(spend, login), /refuses the login/);
      await world.mine(1);
      assert.deepEqual(await device.balance(), before);

      // A wallet that asks for no login pays anybody at once; the signer sends no key there and does not begin.
      const paid = (await steal(unlocked)) as Json;
      assert.match(String(paid.tx_hash), /^[0-9a-f]{64}$/);
      const config = {
        ...{ walletUrl: present(unlocked, 'unlocked'), walletLogin: present(walletLogin('spend'), 'login') },
        ...{ walletName: 'spend', walletPassword: new Secret('x'), keys: HOT_KEYS, restoreHeight: 0 },
      };
      await assert.rejects(openMoneroDevice(config, httpOutbound), { kind: 'permanent', message: /without a login/ });
    });

    it('refuses bytes that were tampered with', async () => {
      const { chain, device, world } = bench;
      const signed = await sign(await world.freshDestination(), XMR);
      const last = signed.raw.slice(-2) === '00' ? '01' : '00';
      assert.ok(await chain.broadcast({ ...signed, raw: signed.raw.slice(0, -2) + last }), 'the node says no');
      assert.deepEqual(await chain.status(signed), { state: 'unknown' });
      await device.release(signed.consumes);
    });

    it('says in words when outputs are short, and signs nothing', async () => {
      const { device, world } = bench;
      const before = await device.balance();
      const to = await world.freshDestination();
      const short = (error: unknown) =>
        error instanceof Fault && error.kind === 'transient' && /short|locked/.test(error.message);
      await assert.rejects(sign(to, 1_000_000n * XMR), short);
      await assert.rejects(sign(to, before.spendable + before.locked), short);
      assert.deepEqual(await device.balance(), before);
    });

    it('splits its largest output until there are enough', async () => {
      const { chain, device, world } = bench;
      const available = async () => {
        const { transfers } = await wallet('spend', 'incoming_transfers', { transfer_type: 'available' });
        return (transfers as Json[]).filter(({ amount }) => BigInt(Number(amount)) >= XMR).length;
      };
      const count = (await available()) + 5;
      const before = await device.balance();
      const split = present(await device.ensureOutputs(intentId('treasury', 'split', 0), count, atoms(XMR)), 'a split');
      await chain.broadcast(split);
      await world.mine(1);
      assert.equal((await chain.status(split)).state, 'mined');
      const after = await device.balance();
      assert.equal(before.spendable + before.locked - after.spendable - after.locked, split.cost);
      assert.equal(await available(), count);
      assert.equal(await device.ensureOutputs(intentId('treasury', 'split', 1), count, atoms(XMR)), undefined);
    });
  });
}
