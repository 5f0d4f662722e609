import assert from 'node:assert/strict';
import { connect, createServer, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { openFeed } from '../../src/engine/feed.ts';
import { openLeadership } from '../../src/engine/leader.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { databaseNow } from '../../src/store/database-clock.ts';
import { openDb } from '../../src/store/db.ts';
import { type CaseRoom, openCaseRoom } from './case-room.ts';
import { usdc } from './market.ts';
import { AT } from './order-phases.ts';
import { buyOrder, final } from './world.ts';

/** A path to a server that can fall silent: nothing is forwarded any more, and nobody is told. Whoever comes later is let through. */
async function openPath(url: string) {
  const { hostname, port } = new URL(url);
  let pairs: (readonly [Socket, Socket])[] = [];
  const proxy = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const one of [near, far]) one.on('error', () => {});
    near.pipe(far).pipe(near);
    pairs.push([near, far]);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const silenced: Socket[] = [];
  return {
    url: Object.assign(new URL(url), { port: String((proxy.address() as { port: number }).port) }).href,
    fallSilent() {
      for (const [near, far] of pairs) {
        near.unpipe(far);
        far.unpipe(near);
        far.destroy();
        silenced.push(near);
      }
      pairs = [];
    },
    close() {
      proxy.close();
      for (const one of [...pairs.flat(), ...silenced]) one.destroy();
    },
  };
}

let room: CaseRoom;
let path: Awaited<ReturnType<typeof openPath>>;
before(async () => {
  room = await openCaseRoom();
  path = await openPath(room.url);
});
after(async () => {
  path.close();
  await room.close();
});

/** Long enough for a server that is well, however busy the machine. */
const patience = { connect: 10_000, query: 2_000, session: 2_000 };

test('whoever led over a path that fell silent knows at the next heartbeat, and leads no more', async () => {
  const db = openDb(room.url, 1, path.url, patience);
  let lost = 0;
  const first = await openLeadership(db, () => {
    lost += 1;
  });
  assert.ok(await first.leads('treasury'));
  await first.beat();
  path.fallSilent();
  await assert.rejects(first.beat(), (error) => error instanceof Fault && error.kind === 'ambiguous');
  assert.deepEqual([lost, await first.leads('treasury')], [1, false]);
  const second = await openLeadership(db, () => {});
  assert.ok(await second.leads('treasury'), 'one seat, one leader');
  await second.close();
  await db.close();
});

test('a feed whose path fell silent has everyone look again, and hears what comes then', async () => {
  const db = openDb(room.url, 1, path.url, patience);
  const heard: unknown[] = [];
  let ring = () => {};
  const feed = await openFeed(db, (id, version) => {
    heard.push([id, version]);
    ring();
  });
  const next = () =>
    new Promise<void>((resolve) => {
      ring = resolve;
    });
  const id = await room.keep(buyOrder());
  path.fallSilent();
  const lookAgain = next();
  await assert.rejects(feed.beat());
  await lookAgain;
  assert.deepEqual(heard.at(-1), [undefined, -1]);
  const change = next();
  await room.tell(id, final(usdc('100'), AT));
  await change;
  assert.deepEqual(heard.at(-1), [id, (await room.find(id)).version]);
  await feed.beat();
  await feed.close();
  await db.close();
});

test('a question to a server that fell silent ends, nobody knows whether it was heard, and the next one goes another way', async () => {
  const db = openDb(path.url, 1, path.url, patience);
  await databaseNow(db);
  path.fallSilent();
  await assert.rejects(databaseNow(db), (error) => error instanceof Fault && error.kind === 'ambiguous');
  assert.ok((await databaseNow(db)) > 0);
  await db.close();
});
