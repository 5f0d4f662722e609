import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type SolanaWorld, TOKEN_RENT, tokenAccountData } from '../../sandbox/nodes/solana-world.ts';
import type { Account } from '../../src/kernel/account.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { Fault, type FaultKind } from '../../src/kernel/fault.ts';
import { type Address, intentId, txHash } from '../../src/kernel/ids.ts';
import type { Asset, Chain, SignedTransfer, Terms, Transfer } from '../../src/world/chains/chain.ts';
import { followFresh } from '../../src/world/chains/conformance/follower.ts';
import { TOKEN_PROGRAM, tokenAccountOf } from '../../src/world/chains/solana/address-codec.ts';
import { USDC_MINT } from '../../src/world/chains/solana/codec.ts';
import { openSolana } from '../../src/world/chains/solana/solana.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { assetOf, freeze, freshAddress, HOT, openSolanaBench, RAIL, type SolanaBench } from './solana-bench.ts';

const SOL = assetOf('SOL');
const USDC = assetOf('USDC');
const RESERVE = 890_880n;
const one = atoms(1_000_000n);
const is = (kind: FaultKind) => (error: unknown) => error instanceof Fault && error.kind === kind;

/** What can go wrong with money on Solana, on a node that makes slots when it is told to. */
export function solanaStories(name: string, start: () => Promise<SolanaWorld>): void {
  describe(`Solana on ${name}`, () => {
    /** What the node says may be bent on its way. */
    let bend: Outbound = httpOutbound;
    let bench: SolanaBench;
    let chain: Chain;
    let world: SolanaWorld;
    let legs = 0;

    before(async () => {
      bench = await openSolanaBench(start, 'USDC', (call) => bend(call));
      ({ chain, world } = bench);
    });
    after(() => bench?.close());

    async function termsOf(transfer: Transfer): Promise<Terms> {
      const terms = await chain.terms(transfer);
      assert.ok(!('refused' in terms), 'refused' in terms ? terms.refused : '');
      return terms;
    }

    async function signed(from: Account, asset: Asset, amount: bigint, to: Address): Promise<SignedTransfer> {
      legs += 1;
      const transfer = { from, asset: asset.id, atoms: atoms(amount), to };
      const { fee } = await termsOf(transfer);
      const kind = from === 'hot' ? 'payout' : 'sweep';
      const request = { ...transfer, intent: intentId('treasury', kind, legs), kind, chainId: chain.facts.id } as const;
      const attempt = await RAIL.sign({ ...request, owner: 'treasury', fee });
      const told = await RAIL.tell(attempt, { ...request, owner: 'treasury', fee });
      assert.ok(!('refused' in told));
      assert.deepEqual([told.from, told.to, told.atoms], [RAIL.addressOf(from), to, amount]);
      return attempt;
    }

    const answers = (label: string, result: unknown): Outbound => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result });
      return async (call) => (call.label === label ? { status: 200, body } : httpOutbound(call));
    };

    async function minedOf(attempt: SignedTransfer) {
      const status = await chain.status(attempt);
      assert.ok(status.state === 'mined', status.state);
      return status;
    }

    it('credits a first and a second token deposit with what each brought, and names who sent them', async () => {
      const { follower, address } = await followFresh(chain);
      const first = await bench.pay(address, atoms(3n * one));
      await world.tick(1);
      const second = await bench.pay(address, atoms(2n * one));
      await bench.mine(1);
      await follower.catchUp();
      const both = [follower.only(first.txHash), follower.only(second.txHash)];
      assert.deepEqual(
        both.map(({ atoms: amount }) => amount),
        [3n * one, 2n * one],
      );
      for (const { sender } of both) assert.equal(sender, world.customerAddress);
    });

    it('credits nothing from a transaction that failed', async () => {
      const { follower, address } = await followFresh(chain);
      const { token } = SOL;
      await world.pay({ token, to: address, atoms: 2n * RESERVE });
      const attempt = await signed('hot', USDC, one, address);
      await freeze(world, address, USDC_MINT);
      await chain.broadcast(attempt);
      await bench.mine(1);
      await follower.catchUp();
      assert.deepEqual(follower.of(attempt.txHash), []);
      assert.equal(follower.sightings.size, 1);
    });

    it('says of a payout that was executed and failed what it cost, and that it paid nothing', async () => {
      const to = freshAddress();
      const attempt = await signed('hot', USDC, one, to);
      await freeze(world, to, USDC_MINT);
      const before = (await chain.balance('hot', SOL.id)).spendable;
      await chain.broadcast(attempt);
      await bench.mine(1);
      const { ok, cost } = await minedOf(attempt);
      assert.equal(ok, false);
      assert.equal(before - (await chain.balance('hot', SOL.id)).spendable, cost);
      assert.ok(cost > 0n && cost <= attempt.cost);
    });

    it('9.6: tells the rent of an account that is opened apart from the fee, and a stranger is the dearer case', async () => {
      for (const to of [freshAddress(), present(chain.stranger, 'a stranger')]) {
        const terms = await chain.terms({ from: 'hot', asset: USDC.id, atoms: atoms(0n), to });
        assert.ok('usual' in terms && terms.opening === TOKEN_RENT && terms.usual - TOKEN_RENT < 100_000n);
      }
    });

    it('opens the token account of a new customer at our cost, and of a known one at none', async () => {
      const to = freshAddress();
      const costs: bigint[] = [];
      for (const _ of [1, 2]) {
        const attempt = await signed('hot', USDC, one, to);
        await chain.broadcast(attempt);
        await bench.mine(1);
        const { ok, cost } = await minedOf(attempt);
        assert.ok(ok && cost <= attempt.cost);
        costs.push(cost);
      }
      const [first = 0n, second = 0n] = costs;
      assert.ok(first > TOKEN_RENT && second < 100_000n, `${first} ${second}`);
      assert.equal(await bench.received(to), 2n * one);
    });

    it('collects tokens from an account without a single coin, and coins to the last one', async () => {
      const { address } = await followFresh(chain);
      const deposit = (await chain.depositAddresses(0, 64)).indexOf(address);
      await world.fund(address, USDC.token, 5n * one);
      for (const [asset, amount] of [
        [USDC, 5n * one],
        [SOL, 3n * RESERVE],
      ] as const) {
        if (asset.native) await world.fund(address, asset.token, amount);
        const terms = await termsOf({ from: { deposit }, asset: asset.id, atoms: atoms(amount), to: HOT });
        assert.equal(terms.cost, 0n, 'the deposit account needs no coins of its own');
        const sweep = await signed({ deposit }, asset, amount, HOT);
        const before = await chain.balance('hot', SOL.id);
        await chain.broadcast(sweep);
        await bench.mine(1);
        const { ok, cost } = await minedOf(sweep);
        assert.ok(ok && cost > 0n && cost <= sweep.cost);
        assert.equal((await chain.balance({ deposit }, asset.id)).spendable, 0n);
        const gained = (await chain.balance('hot', SOL.id)).spendable - before.spendable;
        assert.equal(gained, (asset.native ? amount : 0n) - cost);
      }
    });

    it('asks for the reserve where dust would keep a deposit account from being emptied', async () => {
      const { address } = await followFresh(chain);
      const deposit = (await chain.depositAddresses(0, 64)).indexOf(address);
      await world.fund(address, SOL.token, 3n * RESERVE + 1n);
      const sweep: Transfer = { from: { deposit }, asset: SOL.id, atoms: atoms(3n * RESERVE), to: HOT };
      assert.equal((await termsOf(sweep)).cost, RESERVE - 1n);
      await world.fund(address, SOL.token, RESERVE - 1n);
      assert.equal((await termsOf(sweep)).cost, 0n);
      const attempt = await signed(sweep.from, SOL, sweep.atoms, HOT);
      await chain.broadcast(attempt);
      await bench.mine(1);
      assert.ok((await minedOf(attempt)).ok);
    });

    it('refuses beforehand whom the chain would refuse for good', async () => {
      const [frozen, stolen, program] = [freshAddress(), freshAddress(), freshAddress()];
      await freeze(world, frozen, USDC_MINT);
      const data = tokenAccountData(USDC_MINT, freshAddress(), 0n);
      const place = tokenAccountOf(stolen, USDC_MINT);
      await world.setAccount(place, { lamports: TOKEN_RENT, program: TOKEN_PROGRAM, data });
      await world.setAccount(program, { lamports: TOKEN_RENT, program: TOKEN_PROGRAM, data });
      const pay = { from: 'hot', asset: USDC.id, atoms: one } as const;
      const words = async (transfer: Transfer) => {
        const terms = await chain.terms(transfer);
        return 'refused' in terms ? terms.refused : 'accepted';
      };
      assert.match(await words({ ...pay, to: frozen }), /frozen/);
      assert.match(await words({ ...pay, to: stolen }), /given to somebody else/);
      assert.match(await words({ ...pay, to: program }), /belongs to the program/);
      assert.match(await words({ ...pay, asset: SOL.id, atoms: atoms(1n), to: freshAddress() }), /at least 890880/);
      assert.equal(await words({ ...pay, to: freshAddress() }), 'accepted');
      assert.equal(await words({ ...pay, asset: SOL.id, atoms: atoms(RESERVE), to: freshAddress() }), 'accepted');
      await assert.rejects(chain.terms({ ...pay, atoms: atoms(10n ** 15n), to: freshAddress() }), is('transient'));
    });

    it('calls a payout dead once its last block is final and past, on a node that would know, and not before', async () => {
      const to = freshAddress();
      const never = await signed('hot', USDC, one, to);
      await world.tick(149);
      assert.deepEqual(await chain.status(never), { state: 'unknown' });
      await world.tick(20);
      assert.deepEqual(await chain.status(never), { state: 'unknown' }, 'no sooner than some blocks later');
      await world.tick(60);
      bend = answers('getFirstAvailableBlock', await world.rpc('getSlot', [{ commitment: 'finalized' }]));
      assert.deepEqual(await chain.status(never), { state: 'unknown' }, 'a node without the history proves nothing');
      const behind = Number(await world.rpc('getSlot', [{ commitment: 'finalized' }])) - 1;
      bend = answers('getSignatureStatuses', { context: { slot: behind }, value: [null] });
      assert.deepEqual(
        await chain.status(never),
        { state: 'unknown' },
        'nor does a server that lags behind the others',
      );
      bend = httpOutbound;
      const dead = await chain.status(never);
      assert.ok(dead.state === 'dead' && /two reads/.test(dead.proof), JSON.stringify(dead));

      const { rpcUrl, genesisHash } = world;
      const config = { rpcUrl, genesisHash, hotAddress: HOT, addresses: async () => [] };
      const careful = await openSolana({ ...config, witnessUrls: [`${rpcUrl}#witness`] }, (call) => bend(call));
      const known = answers('getSignatureStatuses', {
        context: { slot: behind + 1 },
        value: [{ slot: behind, confirmationStatus: 'finalized' }],
      });
      bend = (call) => (call.url.endsWith('#witness') ? known(call) : httpOutbound(call));
      assert.deepEqual(await careful.status(never), { state: 'unknown' }, 'another node knows better');
      bend = httpOutbound;
      assert.match(JSON.stringify(await careful.status(never)), /dead.*elsewhere/);

      await chain.broadcast(never);
      await bench.mine(1);
      assert.equal((await chain.status(never)).state, 'dead');
      const again = await signed('hot', USDC, one, to);
      await chain.broadcast(again);
      await bench.mine(1);
      assert.ok((await minedOf(again)).ok);
      assert.equal(await bench.received(to), one);
    });

    it('does not call a payout dead that landed, though the node forgets it for a moment', async () => {
      const landed = await signed('hot', USDC, one, freshAddress());
      await chain.broadcast(landed);
      await world.tick(200);
      let reads = 0;
      const forgotten = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { context: { slot: 1 }, value: [null] } });
      bend = async (call) => {
        if (call.label !== 'getSignatureStatuses' || reads > 0) return httpOutbound(call);
        reads += 1;
        return { status: 200, body: forgotten };
      };
      assert.deepEqual(await chain.status(landed), { state: 'unknown' });
      bend = httpOutbound;
      assert.ok((await minedOf(landed)).ok);
    });

    it('has a customer who pays many at once, and slots that come by themselves when told to', async () => {
      const to = freshAddress();
      const { token } = USDC;
      const sent = await Promise.all(Array.from({ length: 5 }, () => world.pay({ token, to, atoms: 3n })));
      assert.equal(new Set(sent.map(({ txHash: hash }) => hash)).size, 5);
      const { follower } = await followFresh(chain);
      const { height } = present(follower.cursor, 'a cursor');
      await world.setAutomine(5);
      while ((await follower.page()).heads.tip <= height + 1);
      await world.setAutomine(0);
      assert.equal((await world.received(token, to)).total, 15n);
      assert.equal((await world.received(token, to)).transfers.length, 5);
      await assert.rejects(world.reorg(1, []), /never replaced/);
    });

    it('reads on where slots have no block', async () => {
      const { follower, address } = await followFresh(chain);
      const now = (await world.rpc('getSlot', [{ commitment: 'processed' }])) as number;
      await world.rpc('surfnet_timeTravel', [{ absoluteSlot: now + 40 }]);
      const { txHash: hash } = await world.pay({ token: SOL.token, to: address, atoms: RESERVE });
      await bench.mine(1);
      await follower.catchUp();
      const { asset, sender } = follower.only(txHash(hash));
      assert.deepEqual([asset, sender], [SOL.id, world.customerAddress]);
    });

    it('takes no word from a node that is behind, leaves blocks out, or is of another network', async () => {
      const { follower } = await followFresh(chain);
      const { height } = present(follower.cursor, 'a cursor');
      bend = answers('getSlot', height - 1);
      await assert.rejects(follower.page(), is('transient'));

      await bench.mine(3);
      bend = answers('getBlocksWithLimit', [height + 1, height + 4]);
      await assert.rejects(follower.page(), is('transient'));
      bend = answers('getBlocksWithLimit', []);
      assert.equal((await follower.page()).cursor.height, height, 'what it does not show is not passed over');

      const recent = [{ height, hash: world.genesisHash }];
      bend = httpOutbound;
      await assert.rejects(
        chain.scan({ height, recent }, async () => new Set()),
        is('permanent'),
      );
      const { rpcUrl } = world;
      const opening = openSolana({ rpcUrl, hotAddress: HOT, addresses: async () => [] }, httpOutbound);
      await assert.rejects(opening, is('permanent'));
      await follower.catchUp();
    });
  });
}
