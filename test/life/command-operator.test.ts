import assert from 'node:assert/strict';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import type { OrderId } from '../../src/kernel/ids.ts';
import { type CaseRoom, openCaseRoom } from './case-room.ts';
import { USDC } from './market.ts';
import { TOKEN, TOKENS } from './operator-room.ts';
import { firstDesk, openWherry, type Wherry } from './wherry.ts';
import { buyOrder } from './world.ts';

let room: CaseRoom;
let wherry: Wherry;
let order: OrderId;
let env: Record<string, string>;
before(async () => {
  wherry = await openWherry();
  room = await openCaseRoom();
  order = await room.keep(buyOrder());
  await room.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = room.app.server.address() as AddressInfo;
  const file = join(wherry.dir, 'token');
  writeFileSync(file, `${TOKENS.ada}\n`, { mode: 0o600 });
  env = { WHERRY_OPERATOR_URL: `http://127.0.0.1:${port}`, WHERRY_OPERATOR_TOKEN_FILE: file };
});
after(async () => {
  await room.close();
  wherry.close();
});

test('orders that are stuck are listed with the reason, and a case is closed under the name of the token', async () => {
  assert.equal((await wherry.run(['orders', '--stuck'], { env })).out, 'No order is stuck.\n');
  await room.cases.raise(order, { case: 'deposit_orphaned', asset: USDC.id, atoms: 5n, usd: '0.01' });
  const listed = await wherry.run(['orders', '--stuck'], { env });
  assert.match(
    listed.out,
    new RegExp(`^${order}  awaiting_deposit  \\d+ min  cases: deposit_orphaned\n    waits for the deposit`),
  );
  const { orders } = (await wherry.run(['orders', '--state', 'awaiting_deposit', '--json'], { env })).json();
  assert.equal(orders[0].orderId, order);
  const { cases } = (await room.ask('GET', '/operator/cases')).json();
  const closed = await wherry.run(['case', 'close', cases[0].id, '--reason', 'the customer was paid'], { env });
  assert.deepEqual([closed.code, closed.out], [0, `Case ${cases[0].id}: closed by ada.\n`]);
  const { acts } = (await room.ask('GET', '/operator/audit?limit=1')).json();
  assert.deepEqual([acts[0].operator, acts[0].reason, acts[0].result], ['ada', 'the customer was paid', 'done']);
  const again = await wherry.run(['case', 'close', cases[0].id, '--reason', 'again'], { env });
  assert.deepEqual([again.code, /answered 404: There is no such open case/.test(again.err)], [1, true]);
});

test('who is not known, or has put the token where everybody reads it, is told so', async () => {
  const { WHERRY_OPERATOR_URL = '' } = env;
  const nobody = await wherry.run(['orders'], { env: { WHERRY_OPERATOR_URL } });
  assert.deepEqual([nobody.code, /no operator is known/.test(nobody.err)], [1, true]);
  const wrong = await wherry.run(['orders'], { env: { WHERRY_OPERATOR_URL, WHERRY_OPERATOR_TOKEN: 'nobodys' } });
  assert.match(wrong.err, /answered 401: Unauthorized/);
  const file = join(wherry.dir, 'open');
  writeFileSync(file, TOKEN, { mode: 0o644 });
  assert.match((await wherry.run(['orders', '--token-file', file], { env })).err, /holds secrets and has mode 0644/);
});

test('a new database is migrated, backed up, and filled from the backup', async () => {
  const database = await testDatabase(async () => {});
  await firstDesk(wherry, database.url);
  const check = async () => (await wherry.run(['config', 'check', 'engine'])).out;
  assert.match(await check(), /ok +database: answers; wherry migrate will apply \d+ changes/);
  const first = (await wherry.run(['migrate', '--json'])).json();
  assert.ok(first.applied.length > 5);
  assert.match(await check(), /ok +database: is up to date, its clock too/);
  assert.equal((await wherry.run(['migrate'])).out, 'The database is up to date.\n');
  const to = join(wherry.dir, 'backup.gz');
  assert.equal((await wherry.run(['backup', '--to', to])).code, 0);
  assert.equal(statSync(to).mode & 0o777, 0o600);
  // Filling needs an empty database, and this one is not: the refusal comes before anything else.
  const refused = await wherry.run(['restore', '--from', to]);
  assert.deepEqual([refused.code, /the database is not empty/.test(refused.err)], [1, true]);
  const broken = await wherry.run(['backup', '--to', join(wherry.dir, 'nowhere', 'backup.gz')]);
  assert.deepEqual([broken.code, existsSync(join(wherry.dir, 'nowhere'))], [1, false]);
  await database.drop();
});
