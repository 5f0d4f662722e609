import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { haveMonero } from '../../sandbox/nodes/monero.ts';
import { askWallet, daemonRpc } from '../../sandbox/nodes/monero-world.ts';
import { ByteReader } from '../../src/kernel/byte-reader.ts';
import { txHash } from '../../src/kernel/ids.ts';
import { followFresh } from '../../src/world/chains/conformance/follower.ts';
import { big, records, text, whole } from '../../src/world/chains/monero/reply.ts';
import { parseTransaction, transactionId } from '../../src/world/chains/monero/tx-codec.ts';
import { type MoneroBench, openMoneroBench } from '../sim/monero-bench.ts';
import { EXTRA_STORIES, type ExtraStory, minedWith } from '../sim/monero-extras.ts';
import { startOwnMonero } from './monero-own-node.ts';

if (haveMonero())
  describe('What is written beside a transaction, read by the wallet that would have to spend it', () => {
    let bench: MoneroBench;
    before(async () => {
      bench = await openMoneroBench(await startOwnMonero());
    });
    after(() => bench?.world.close());

    /** A block without payments whose miner writes this into it. */
    async function mine(story: ExtraStory, address: Parameters<typeof minedWith>[1]): Promise<string> {
      const daemon = daemonRpc(bench.world.daemonUrl);
      const template = await daemon('get_block_template', {
        wallet_address: bench.world.customerAddress,
        reserve_size: 0,
      });
      const coinbase = minedWith(story, address, whole(template, 'height'), big(template, 'expected_reward'));
      const reader = new ByteReader(hexToBytes(text(template, 'blocktemplate_blob')));
      // Two versions and a time, the block below, and a number that any will do for where every hash is good enough.
      for (let left = 3; left > 0; left -= 1) reader.varint();
      reader.take(32 + 4);
      const block = concatBytes(reader.bytes.subarray(0, reader.at), coinbase, Uint8Array.of(0));
      await daemon('submit_block', [bytesToHex(block)]);
      return transactionId(parseTransaction(coinbase));
    }

    for (const story of EXTRA_STORIES)
      it(`${story.name}: what it pays is ${story.comes}`, async () => {
        const { chain, world } = bench;
        const wallet = askWallet(world, 'spend');
        const { follower, address } = await followFresh(chain);
        const hash = txHash(await mine(story, address));
        const { outOfReach = [] } = await follower.catchUp();
        await wallet('refresh');
        const coins = await wallet('incoming_transfers', { transfer_type: 'all' });
        const isSeen = story.comes === 'seen';
        assert.equal(
          records(coins, 'transfers').some((coin) => text(coin, 'tx_hash') === hash),
          isSeen,
          'by the wallet',
        );
        assert.equal(follower.of(hash).length === 1, isSeen, 'by us');
        assert.deepEqual(
          outOfReach.map((one) => [one.txHash, one.address]),
          story.comes === 'told' ? [[hash, address]] : [],
        );
      });
  });
