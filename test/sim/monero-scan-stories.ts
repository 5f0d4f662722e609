import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { MoneroWorld } from '../../sandbox/nodes/monero-world.ts';
import { type TxHash, txHash } from '../../src/kernel/ids.ts';
import { Follower, followFresh } from '../../src/world/chains/conformance/follower.ts';
import type { OutboundReply } from '../../src/world/outbound/http.ts';
import { staysInSight } from './a-block-between-questions.ts';
import { HOT_KEYS, type MoneroBench, openMoneroBench, XMR } from './monero-bench.ts';

type Json = Record<string, unknown>;

/** How the engine finds in blocks and pool what is its own, whatever happens between two of its questions. */
export function moneroScanStories(name: string, start: () => Promise<MoneroWorld>): void {
  describe(`Monero’s blocks read by the view key on ${name}`, () => {
    let bench: MoneroBench;
    /** What happens when the engine asks this the next time; a reply may become another one. */
    let next: { readonly label: string; happen(reply: OutboundReply): Promise<OutboundReply> } | undefined;
    before(async () => {
      bench = await openMoneroBench(await start(), 0, (real) => async (call) => {
        const reply = await real(call);
        if (next?.label !== call.label) return reply;
        const { happen } = next;
        next = undefined;
        return happen(reply);
      });
      await bench.world.wake();
    });
    after(() => bench?.world.close());

    /** A deposit in a block that is not read yet. */
    async function unread() {
      const { follower, address } = await followFresh(bench.chain);
      const hash: TxHash = txHash(await bench.world.pay({ to: address, atoms: XMR }));
      await bench.world.mine(2);
      return { follower, address, hash };
    }
    const told = (reply: OutboundReply, change: (answer: Json) => Json): OutboundReply => {
      const envelope = JSON.parse(reply.body) as Json;
      const changed =
        'result' in envelope ? { ...envelope, result: change(envelope.result as Json) } : change(envelope);
      return { ...reply, body: JSON.stringify(changed) };
    };

    it('keeps a deposit in sight, whichever question of a page its block comes before', () =>
      staysInSight({
        open: async (outbound) => (await openMoneroBench(bench.world, 0, () => outbound)).chain,
        pay: (to) => bench.world.pay({ to, atoms: XMR }),
        mine: () => bench.world.mine(1),
      }));

    for (const label of ['get_block_headers_range', 'get_block', 'get_transactions'])
      it(`takes no page over which the chain was reorganised behind its ${label}`, async () => {
        const { follower, hash } = await unread();
        next = {
          label,
          async happen(reply) {
            await bench.world.reorg(2, []);
            return reply;
          },
        };
        await assert.rejects(follower.page(), { kind: 'transient' });
        assert.equal(next, undefined, 'it was asked');
        await follower.catchUp();
        const { block } = follower.only(hash);
        const stands = await bench.chain.standing([follower.only(hash)]);
        assert.ok(block && stands.length === 1, 'in the block that stands now');
      });

    it('sights nothing that a reorganisation took while the page was read', async () => {
      const { follower, hash } = await unread();
      next = {
        label: 'get_block',
        async happen(reply) {
          await bench.world.reorg(2, [hash]);
          return reply;
        },
      };
      await assert.rejects(follower.page(), { kind: 'transient' });
      await follower.catchUp();
      assert.deepEqual(follower.of(hash), []);
    });

    it('takes no page whose node leaves out a transaction that a block lists, or the list', async () => {
      const { follower, hash } = await unread();
      const leaving = (field: string) => (answer: Json) => {
        const { [field]: _, ...rest } = answer;
        return rest;
      };
      for (const [label, field] of [
        ['get_transactions', 'txs'],
        ['get_block', 'tx_hashes'],
      ] as const) {
        next = { label, happen: async (reply) => told(reply, leaving(field)) };
        await assert.rejects(follower.page(), { kind: 'transient' }, field);
      }
      await follower.catchUp();
      assert.equal(follower.only(hash).atoms, XMR);
    });

    it('takes another block in the place of one that was asked for as no answer', async () => {
      const { follower } = await unread();
      const another = (answer: Json) => ({
        ...answer,
        block_header: { ...(answer.block_header as Json), hash: '00'.repeat(32) },
      });
      next = { label: 'get_block', happen: async (reply) => told(reply, another) };
      await assert.rejects(follower.page(), { kind: 'transient', message: /does not list/ });
      await follower.catchUp();
    });

    it('sights what comes to the hot address, what miners pay there included', async () => {
      const { chain, world } = bench;
      const hash = txHash(await world.pay({ to: HOT_KEYS.address, atoms: 3n * XMR }));
      await world.mine(1);
      const follower = new Follower(chain, [HOT_KEYS.address], { height: 0, recent: [] });
      await follower.catchUp();
      assert.deepEqual([follower.only(hash).address, follower.only(hash).atoms], [HOT_KEYS.address, 3n * XMR]);
      const rewards = [...follower.sightings.values()].filter(({ atoms }) => atoms > 30n * XMR);
      assert.ok(rewards.length > 50, 'the money that it began with');
    });

    it('finds a deposit again, from an earlier block on, without having been told of its address', async () => {
      const { address, hash } = await unread();
      const { chain } = await openMoneroBench(bench.world);
      const follower = new Follower(chain, [address], { height: 0, recent: [] });
      await follower.catchUp();
      assert.equal(follower.only(hash).atoms, XMR);
    });
  });
}
