import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BitcoinWorld } from '../../sandbox/nodes/bitcoin-world.ts';
import { present } from '../../src/kernel/assert.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { txHash } from '../../src/kernel/ids.ts';
import { openBitcoin } from '../../src/world/chains/bitcoin/bitcoin.ts';
import { MOST_OUTPUTS } from '../../src/world/chains/bitcoin/sightings.ts';
import { Follower, followFresh } from '../../src/world/chains/conformance/follower.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { staysInSight } from './a-block-between-questions.ts';
import { type BitcoinBench, BTC, openBitcoinBench } from './bitcoin-bench.ts';

const isTransient = (error: unknown) => error instanceof Fault && error.kind === 'transient';

/** What can go wrong between a customer's payment and its credit. */
export function depositStories(name: string, start: () => Promise<BitcoinWorld>): void {
  describe(`A deposit of bitcoin on ${name}`, () => {
    /** What the node says may be bent on its way. */
    let bend: Outbound = httpOutbound;
    let bench: BitcoinBench;

    before(async () => {
      bench = await openBitcoinBench(await start(), (call) => bend(call));
    });
    after(() => bench?.world.close());

    const result = (value: unknown) => ({ status: 200, body: JSON.stringify({ result: value, error: null, id: 1 }) });
    const bent = async (method: string, change: (told: Record<string, unknown>) => unknown) => {
      bend = async (call) => {
        const reply = await httpOutbound(call);
        return call.label === method ? result(change(JSON.parse(reply.body).result)) : reply;
      };
    };

    it('stays in sight, whichever question of a page its block comes before', () =>
      staysInSight({
        open: async (outbound) => {
          bend = outbound;
          return bench.chain;
        },
        pay: (to) => bench.world.payAll({ to, atoms: BTC }),
        mine: () => bench.world.mine(1),
      }).finally(() => {
        bend = httpOutbound;
      }));

    it('is seen, and its sender, however much a node has to say of the transaction that it was paid from', async () => {
      const { chain, world } = bench;
      const { follower, address } = await followFresh(chain);
      const { cursor } = follower;
      const hash = txHash(await world.payAll({ to: address, atoms: BTC }));
      await world.mine(1);
      await follower.catchUp();
      const again = new Follower(chain, [address], cursor);
      bend = (call) => {
        const [txid, isExplained] = JSON.parse(call.body ?? '{}').params;
        const isEarlier = call.label === 'getrawtransaction' && txid !== hash && isExplained === true;
        return httpOutbound(isEarlier ? { ...call, maxBytes: 100 } : call);
      };
      await again.catchUp().finally(() => {
        bend = httpOutbound;
      });
      assert.ok(follower.only(hash).sender);
      assert.deepEqual(again.only(hash), follower.only(hash));
    });

    it('that its sender replaces is gone, and the rival is what counts', async () => {
      const { chain, world } = bench;
      const { follower, address } = await followFresh(chain);
      const shown = txHash(await world.payAll({ to: address, atoms: BTC }));
      await follower.catchUp();
      const sighting = follower.only(shown);
      assert.equal(sighting.block, undefined);

      await world.outdo(shown);
      const page = await follower.catchUp();
      assert.deepEqual([follower.of(shown), page.pool?.includes(sighting.key)], [[], false]);
      await world.mine(2);
      await follower.catchUp();
      assert.deepEqual(follower.of(shown), []);
      assert.deepEqual(await chain.standing([sighting]), []);
    });

    it('in two outputs of one transaction is two deposits', async () => {
      const { chain, world } = bench;
      const { follower, address } = await followFresh(chain);
      const hash = txHash(await world.payAll({ to: address, atoms: BTC }, { to: address, atoms: 2n * BTC }));
      await follower.catchUp();
      assert.equal(follower.of(hash).length, 2);
      await world.mine(2);
      await follower.catchUp();
      const both = follower.of(hash);
      assert.deepEqual(both.map(({ key }) => key).sort(), [`${hash}:0`, `${hash}:1`]);
      const standing = await chain.standing(both);
      assert.deepEqual(standing.map(({ atoms }) => atoms).sort(), [BTC, 2n * BTC]);
    });

    it('in specks, or in more outputs than anybody pays by in good faith, counts as far as it can be spent; a person hears of the rest', async () => {
      const { chain, world } = bench;
      const { follower, address } = await followFresh(chain);
      // Of 67 bytes at 50 each.
      const least = 3_350n;
      const outputs = [...Array.from({ length: 5 }, () => least - 1n), ...Array.from({ length: 17 }, () => least)];
      const asked: string[] = [];
      await bent('estimatesmartfee', () => ({ feerate: 0.0005, blocks: 3 }));
      const dear = bend;
      bend = (call) => {
        asked.push(call.label);
        return dear(call);
      };
      const hash = txHash(await world.payAll(...outputs.map((value) => ({ to: address, atoms: value }))));
      await follower.catchUp();
      assert.equal(follower.of(hash).length, MOST_OUTPUTS, 'no more is shown while it waits');
      const looked = asked.filter((label) => label === 'getrawtransaction').length;
      assert.ok(looked < MOST_OUTPUTS, `${looked} questions: the sender is the same for all`);
      await world.mine(2);
      const { outOfReach } = await follower.catchUp();
      const seen = follower.of(hash);
      assert.deepEqual(
        seen.map((one) => one.atoms),
        Array.from({ length: MOST_OUTPUTS }, () => least),
      );
      assert.deepEqual(
        outOfReach?.map((one) => [one.txHash, one.address, one.atoms]),
        [[hash, address, 3n * least + 5n * (least - 1n)]],
      );
      asked.length = 0;
      assert.equal((await chain.standing(seen)).length, MOST_OUTPUTS);
      assert.deepEqual(asked, ['getblockhash', 'getrawtransaction', 'getblockheader']);
      const speck = await followFresh(chain);
      const alone = txHash(await world.payAll({ to: speck.address, atoms: least - 1n }));
      await world.mine(1);
      assert.deepEqual([(await speck.follower.catchUp()).outOfReach, speck.follower.of(alone)], [[], []]);
      bend = httpOutbound;
    });

    it('is weighed by what it costs to spend now', async () => {
      const { chain, world } = bench;
      const { follower, address } = await followFresh(chain);
      const [worth, speck] = [BTC / 1_000n, BTC / 10_000n];
      await bent('estimatesmartfee', () => ({ feerate: 0.002, blocks: 3 }));
      const hash = txHash(await world.payAll({ to: address, atoms: worth }, { to: address, atoms: speck }));
      await world.mine(1);
      await follower.catchUp();
      assert.equal(follower.only(hash).atoms, worth, '67 bytes at 200 are more than the smaller one');
      bend = httpOutbound;
    });

    it('names its sender only where all of it came from one address', async () => {
      const { chain, world, request, sign } = bench;
      const plain = await followFresh(chain);
      const simple = await world.payAll({ to: plain.address, atoms: BTC });
      await plain.follower.catchUp();
      assert.equal(plain.follower.only(txHash(simple)).sender, world.customerAddress);

      // One of our own payments: it spends from two deposits at once.
      const { follower, address } = await followFresh(chain);
      await world.payAll({ to: plain.address, atoms: 4n * BTC });
      await world.mine(6);
      const mixed = await sign(await request(address, 5n * BTC, 1));
      assert.equal(mixed.consumes.length, 2);
      await chain.broadcast(mixed);
      await world.mine(1);
      await follower.catchUp();
      assert.equal(follower.only(mixed.txHash).sender, undefined);
    });

    it('that a miner pays himself here counts once he could spend it, and no block sooner', async () => {
      const { chain, world } = bench;
      const { follower, address } = await followFresh(chain);
      await world.mineTo(address, 1);
      const { height, hash } = present(follower.cursor?.recent.at(-1), 'a block');
      await world.mine(98);
      await follower.catchUp();
      const seen = () => [...follower.sightings.values()].filter((sighting) => sighting.address === address);
      assert.deepEqual(seen(), []);
      await world.mine(1);
      await follower.catchUp();
      const [pay, ...more] = seen();
      assert.ok(pay && more.length === 0 && pay.block?.height === height + 1 && pay.block.hash !== hash);
      assert.equal(pay.sender, undefined);
      assert.deepEqual(await chain.standing([pay]), [{ key: pay.key, atoms: pay.atoms }]);
      await world.reorg(1, []);
      assert.deepEqual(await chain.standing([pay]), [{ key: pay.key, atoms: pay.atoms }], 'still a hundred deep');
      await bent('getblockheader', (header) => ({ ...header, confirmations: 99 }));
      await assert.rejects(chain.standing([pay]), isTransient, 'it will be ripe again');
      bend = httpOutbound;
    });

    it('is not taken back by a node that lags or is catching up', async () => {
      const { chain, world } = bench;
      const { follower, address } = await followFresh(chain);
      const hash = txHash(await world.payAll({ to: address, atoms: BTC }));
      await world.mine(3);
      await follower.catchUp();
      const { cursor } = follower;
      const { height } = present(cursor, 'a cursor');
      await bent('getblockchaininfo', (info) => ({ ...info, blocks: height - 2 }));
      await assert.rejects(follower.page(), isTransient);
      await bent('getblockchaininfo', (info) => ({ ...info, headers: height + 100 }));
      await assert.rejects(follower.page(), isTransient);
      for (const [label, words] of [
        ['getrawtransaction', 'Blockchain transactions are still in the process of being indexed'],
        ['getrawtransaction', 'Block hash not found'],
        ['getblockhash', 'Block height out of range'],
      ]) {
        const error = { code: label === 'getblockhash' ? -8 : -5, message: words };
        const refusal = { status: 500, body: JSON.stringify({ result: null, error, id: 1 }) };
        bend = async (call) => (call.label === label ? refusal : httpOutbound(call));
        await assert.rejects(chain.standing([follower.only(hash)]), isTransient, words);
      }
      bend = httpOutbound;
      await follower.catchUp();
      assert.deepEqual([follower.rewoundTo, follower.cursor], [undefined, cursor]);
      assert.equal(follower.only(hash).atoms, BTC);
    });

    it('is believed of no node that is still building its index of transactions', async () => {
      await bent('getindexinfo', () => ({ txindex: { synced: false, best_block_height: 1 } }));
      await assert.rejects(
        openBitcoin(bench.config, (call) => bend(call)),
        isTransient,
      );
      bend = httpOutbound;
      await openBitcoin(bench.config, httpOutbound);
    });

    it('is read from bytes that are whole, or not at all', async () => {
      const { chain, world } = bench;
      const { follower, address } = await followFresh(chain);
      const hash = txHash(await world.payAll({ to: address, atoms: BTC }));
      await world.mine(1);
      bend = async (call) => {
        const reply = await httpOutbound(call);
        return call.label === 'getblock' ? result(JSON.parse(reply.body).result.slice(0, -20)) : reply;
      };
      await assert.rejects(follower.page(), isTransient);
      bend = httpOutbound;
      await follower.catchUp();
      assert.equal(follower.only(hash).atoms, BTC);
    });

    it('that was seen stays seen while the pool is too large to list', async () => {
      const { chain, world } = bench;
      const { follower, address } = await followFresh(chain);
      const before = txHash(await world.payAll({ to: address, atoms: BTC }));
      await follower.catchUp();
      await bent('getmempoolinfo', (info) => ({ ...info, size: 10_000_000 }));
      const during = txHash(await world.payAll({ to: address, atoms: BTC }));
      await follower.catchUp();
      assert.deepEqual([follower.of(before).length, follower.of(during).length], [1, 0]);
      await world.mine(1);
      await follower.catchUp();
      assert.ok(follower.only(before).block && follower.only(during).block);
      bend = httpOutbound;
    });

    it('is not looked for on a chain that shares no block with what is remembered', async () => {
      const { follower, address } = await followFresh(bench.chain);
      const { height } = present(follower.cursor, 'a cursor');
      const stranger = { height, recent: [{ height, hash: '11'.repeat(32) }] };
      const elsewhere = new Follower(bench.chain, [address], stranger);
      await assert.rejects(elsewhere.page(), (error) => error instanceof Fault && error.kind === 'permanent');
    });
  });
}
