import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { instant } from '../../src/kernel/clock.ts';
import type { AssetId } from '../../src/kernel/ids.ts';
import type { Statement } from '../../src/store/db.ts';
import { openLedger } from '../../src/store/ledger.ts';
import { openRoom } from './operator-room.ts';

const AWAY = { asset: '1337:money' as AssetId, decimals: 8 };
const HOME = { asset: '42161:money' as AssetId, decimals: 6 };
const WITHDRAWN: Statement = {
  name: 'story_withdrawn',
  text: `INSERT INTO venue_move (nonce, kind, asset, atoms, body, created_at) VALUES ($1, 'withdraw', $2, $3, '', $1)`,
};
const CAME: Statement = {
  name: 'story_came',
  text: `INSERT INTO posting (owner, from_account, to_account, asset, atoms, at) VALUES ('treasury', 'world', 'treasury', $1, $2, $3)`,
};

let room: Awaited<ReturnType<typeof openRoom>>;
before(async () => {
  room = await openRoom();
});
after(() => room.close());

test('what came while nothing was on its way is none of what is sent later, and what comes later is', async () => {
  const ledger = openLedger(room.db, room.clock);
  const start = 1_800_000_000_000;
  const underWay = (since = start) => ledger.underWay(AWAY, HOME, instant(since));
  const sends = (dollars: bigint, at: number) =>
    room.db.query(WITHDRAWN, [start + at, AWAY.asset, `${dollars * 10n ** 8n}`]);
  const comes = (dollars: bigint, at: number) =>
    room.db.query(CAME, [HOME.asset, `${dollars * 10n ** 6n}`, start + at]);
  assert.equal(await underWay(), 0n);
  await comes(500_000n, 1);
  assert.equal(await underWay(), 0n);
  await sends(800n, 2);
  assert.equal(await underWay(), 800n * 10n ** 8n, 'the opening is not what was sent after it');
  await comes(300n, 3);
  assert.equal(await underWay(), 500n * 10n ** 8n);
  await comes(700n, 4);
  assert.equal(await underWay(), 0n);
  await sends(50n, 5);
  assert.equal(await underWay(), 50n * 10n ** 8n, 'nor is what a stranger sent before');
  assert.equal(await underWay(start + 5), 0n, 'and what is older than is asked for has come or never will');
});
