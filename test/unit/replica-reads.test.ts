import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReplica } from '../../src/engine/replica-reads.ts';
import type { OrderId } from '../../src/kernel/ids.ts';
import type { Placed } from '../../src/store/orders.ts';

const ID = 'sw_one' as OrderId;
const at = (version: number, id = ID): Placed => ({ order: { id, version } }) as unknown as Placed;

/** Two servers of which each has a version of the order, and the replica has replayed as much as it says. */
function desk(most?: number) {
  const has = { primary: 1, replica: 1, position: '0/1', reached: '0/9' };
  const served: string[] = [];
  let wait: Promise<void> = Promise.resolve();
  const reads = readReplica({
    primary: { findAll: async (ids) => ids.map((id) => at(has.primary, id)) },
    replica: {
      findAll: async (ids) => {
        const found = ids.map((id) => at(has.replica, id));
        await wait;
        return found;
      },
    },
    standings: {
      position: async () => {
        const { position } = has;
        await wait;
        return position;
      },
      standing: async (fence) => ({ hasReached: fence <= has.reached, behind: 0 }),
    },
    served: (by, n) => served.push(...Array.from({ length: n }, () => by)),
    ...(most === undefined ? {} : { most }),
  });
  return {
    ...{ has, reads },
    /** Everything that is asked of servers from now on is answered when this is called. */
    hold() {
      let go = () => {};
      wait = new Promise((resolve) => {
        go = resolve;
      });
      return go;
    },
    async read(id = ID) {
      served.length = 0;
      const [placed] = await reads.findAll([id]);
      return [placed?.order.version, ...served];
    },
  };
}

test('it is used once it has replayed what was written before the feed was heard, and then by version', async () => {
  const { reads, has, read } = desk();
  has.reached = '0/0';
  assert.deepEqual([(await reads.look())?.isUsed, await read()], [false, [1, 'primary']]);
  has.reached = '0/1';
  assert.deepEqual([(await reads.look())?.isUsed, await read()], [true, [1, 'replica']]);
  has.primary = 2;
  reads.heard(ID, 2);
  assert.deepEqual(await read(), [2, 'primary']);
  has.replica = 3;
  assert.deepEqual(await read(), [3, 'replica']);
  has.replica = 2;
  has.primary = 3;
  assert.deepEqual(await read(), [3, 'primary'], 'what was shown once is not taken back');
});

test('after a lost connection nothing that was asked before counts: neither an order nor where the replica stood', async () => {
  const { reads, has, read, hold } = desk();
  await reads.look();
  let go = hold();
  const reading = read();
  has.primary = 2;
  reads.heard(undefined, -1);
  go();
  assert.deepEqual(await reading, [2, 'primary']);

  go = hold();
  const looking = reads.look();
  reads.heard(undefined, -1);
  go();
  assert.equal(await looking, undefined);
  assert.deepEqual(await read(), [2, 'primary']);
  has.position = '0/8';
  has.reached = '0/7';
  assert.equal((await reads.look())?.isUsed, false, 'it must reach where the server was after the connection was back');
});

test('when more versions are known than are kept, the replica must catch up first', async () => {
  const { reads, has, read } = desk(2);
  await reads.look();
  for (const id of ['sw_a', 'sw_b', 'sw_c']) reads.heard(id as OrderId, 5);
  has.primary = 5;
  assert.deepEqual(await read('sw_a' as OrderId), [5, 'primary']);
});
