import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, statSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { openSigner, unixOutbound } from '../../src/signer/client.ts';
import { EMPTY_JOURNAL } from '../../src/signer/request.ts';
import { startSigner } from '../../src/signer/start-signer.ts';
import { toWire } from '../../src/signer/wire.ts';
import { fund, handClock, payout, sendHome, temporaryFolder, trade } from '../unit/signer-bench.ts';
import { listLog, seedFile, showJournal, signerConfig, socketsOf } from './signer-process.ts';

type Access = { readonly mode: number; readonly group?: number };

async function running(t: TestContext, access: Partial<Record<'engine' | 'api', Access>> = {}) {
  const folder = temporaryFolder(t);
  await seedFile(folder);
  const config = signerConfig(folder);
  const [engine, api] = config.doors;
  assert.ok(engine && api);
  const doors = [
    { ...engine, ...access.engine },
    { ...api, ...access.api },
  ];
  const outbound = () => Promise.reject(new Error('this signer has nobody to call'));
  const server = await startSigner({ ...config, doors }, { outbound, clock: handClock(), log: listLog() });
  t.after(() => server.close());
  await showJournal(folder);
  return { folder, ...socketsOf(folder) };
}

function call(socketPath: string, method: string, path: string, body: unknown): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest({ socketPath, path, method, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    asked.on('error', reject).end(body === undefined || method === 'GET' ? '' : toWire(body));
  });
}

/** Every call that signs, spends or changes something, with a body that the engine's socket takes. */
const SIGNING = {
  '/transfer': payout(),
  '/trade': trade(),
  '/move': sendHome(),
  '/split': { family: 'monero', intent: 'treasury:sweep:0', count: 2, atomsEach: '1' },
  '/addresses': { family: 'evm', first: 0, count: 1 },
  '/balance': { family: 'monero' },
  '/signed-for': { chainId: 42161, txHash: `0x${'00'.repeat(32)}` },
  '/signed-trade': { clientId: trade().ticket.clientId },
} as const;

test('nothing is signed at the API’s socket, whatever is asked there and however well it is bound', async (t) => {
  const { engine, api } = await running(t);
  for (const [path, body] of Object.entries(SIGNING)) {
    for (const method of ['POST', 'GET', 'PUT']) assert.equal(await call(api, method, path, body), 404, path);
    assert.notEqual(await call(engine, 'POST', path, body), 404, `${path} is there for the engine`);
  }
  assert.equal(await call(api, 'POST', '/transfer', fund()), 404);
  assert.equal(await call(api, 'POST', '//transfer', payout()), 404);
  assert.equal(await call(api, 'POST', '/public/../transfer', payout()), 404);
  const asApi = openSigner(unixOutbound(api));
  const asEngine = openSigner(unixOutbound(engine));
  await assert.rejects(asApi.signTransfer(payout()), { kind: 'permanent', message: /404/ });
  const keys = await asEngine.publicKeys();
  assert.ok(
    Object.values(keys).some((one) => Object.keys(one).length > 1),
    'the engine derives and sees deposits',
  );
  const accounts = Object.entries(keys).map(([family, { hot }]) => [family, { hot }]);
  assert.deepEqual(await asApi.publicKeys(), Object.fromEntries(accounts), 'the API knows what pays out, and no more');
  assert.equal(await call(api, 'GET', '/healthz', undefined), 200);
  const { head, lines } = await asApi.journal(EMPTY_JOURNAL);
  assert.deepEqual([head.seq, lines.length], [2, 2], 'the payout and the trade of the engine’s socket');
});

test('what the API shows of the journal neither holds nor releases a signature', async (t) => {
  const { engine, api } = await running(t);
  const [asApi, asEngine] = [openSigner(unixOutbound(api)), openSigner(unixOutbound(engine))];
  const never = { seq: 7, hash: 'ab'.repeat(32) };
  assert.equal((await asApi.journal(never)).isKnown, false);
  await asEngine.signTransfer(payout());
  assert.equal((await asEngine.journal(never)).isKnown, false);
  await asApi.journal(EMPTY_JOURNAL);
  await assert.rejects(asEngine.signTransfer(payout()), { kind: 'transient', message: /does not have line 7/ });
});

const shown = (path: string) => (statSync(path).mode & 0o777).toString(8);

test('each socket has the mode and the group that the settings say', async (t) => {
  const closed = await running(t);
  assert.deepEqual([shown(closed.engine), shown(closed.api)], ['600', '600']);
  const group = process.getgid?.() ?? 0;
  const { engine, api } = await running(t, { engine: { mode: 0o660, group }, api: { mode: 0o620, group } });
  assert.deepEqual([shown(engine), shown(api)], ['660', '620']);
  assert.deepEqual([statSync(engine).gid, statSync(api).gid], [group, group]);
});

const ENGINE_GROUP = 64_001;
const API_GROUP = 64_002;
/** Says whether a user of this number, in this group alone, is answered at a socket. */
async function asUser(uid: number, gid: number, socketPath: string): Promise<string> {
  const script = `require('node:http').get({ socketPath: process.argv[1], path: '/healthz' }, (r) => console.log(r.statusCode))
    .on('error', (e) => console.log(e.code))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script, socketPath], { uid, gid, cwd: '/' });
  return stdout.trim();
}

test('users of one process are let in at its own socket, and nobody else’s are', async (t) => {
  if (process.getuid?.() !== 0) {
    t.skip('only root can run as other users');
    return;
  }
  const { folder, engine, api } = await running(t, {
    engine: { mode: 0o660, group: ENGINE_GROUP },
    api: { mode: 0o660, group: API_GROUP },
  });
  chmodSync(folder, 0o711);
  assert.equal(await asUser(64_101, ENGINE_GROUP, engine), '200');
  assert.equal(await asUser(64_102, API_GROUP, api), '200');
  assert.equal(await asUser(64_102, API_GROUP, engine), 'EACCES');
  assert.equal(await asUser(64_101, ENGINE_GROUP, api), 'EACCES');
  assert.equal(await asUser(64_103, 64_003, engine), 'EACCES');
});

test('a socket that cannot be given to its group is not opened at all', async (t) => {
  const folder = temporaryFolder(t);
  await seedFile(folder);
  const { doors, ...config } = signerConfig(folder);
  const unknown = doors.map((door) => ({ ...door, group: -5 }));
  const outbound = () => Promise.reject(new Error('nobody'));
  const starting = startSigner({ ...config, doors: unknown }, { outbound, clock: handClock(), log: listLog() });
  await assert.rejects(starting, { kind: 'permanent', message: /cannot be given to group -5/ });
  await assert.rejects(openSigner(unixOutbound(socketsOf(folder).engine)).publicKeys(), { kind: 'transient' });
});
