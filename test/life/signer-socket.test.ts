import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { Fault } from '../../src/kernel/fault.ts';
import { openSigner, unixOutbound } from '../../src/signer/client.ts';
import { type KeyTree, openKeyTree } from '../../src/signer/keys.ts';
import { evmKeys } from '../../src/signer/rails/evm.ts';
import { moneroKeys } from '../../src/signer/rails/monero.ts';
import { EMPTY_JOURNAL } from '../../src/signer/request.ts';
import { openSeedFile } from '../../src/signer/seed.ts';
import { serveSigner } from '../../src/signer/server.ts';
import { toWire } from '../../src/signer/wire.ts';
import { evmAddressOfKey, evmDepositAddresses } from '../../src/world/chains/evm/codec.ts';
import * as bench from '../unit/signer-bench.ts';
import { listLog, PASSPHRASE, signerConfig, socketsOf, startTestSigner } from './signer-process.ts';

const { payout, trade, sendHome, temporaryFolder } = bench;

async function running(t: TestContext) {
  const folder = temporaryFolder(t);
  const log = listLog();
  const server = await startTestSigner(folder, log);
  t.after(() => server.close());
  const { engine: socketPath, api } = socketsOf(folder);
  return { folder, log, server, socketPath, api, signer: openSigner(unixOutbound(socketPath)) };
}

function post(
  socketPath: string,
  path: string,
  body: string | Buffer,
  method = 'POST',
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ socketPath, path, method, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.on('error', reject).end(body);
  });
}

test('the client signs through the socket, which only we may open', async (t) => {
  const { signer, socketPath, folder } = await running(t);
  assert.equal(statSync(socketPath).mode & 0o777, 0o600);
  const keys = await signer.publicKeys();
  assert.equal(keys.evm?.hot, keys.venue?.hot);
  const own = evmKeys(openKeyTree(await openSeedFile(join(folder, 'seed'), PASSPHRASE)));
  assert.equal(evmDepositAddresses(keys.evm?.xpub ?? '')(9), evmAddressOfKey(own.key({ deposit: 9 }).reveal()));
  const signed = await signer.signTransfer(payout());
  assert.deepEqual(await signer.signTransfer(payout()), signed);
  assert.equal(typeof signed.cost, 'bigint');
  assert.match((await signer.signTrade(trade())).body, /"type":"order"/);
  assert.match((await signer.signMove(sendHome({}, keys.venue?.hot))).body, /"type":"spotSend"/);
  const refusal = { name: 'Fault', kind: 'permanent', at: 'signer', refused: 'unbound_destination' };
  const { charter = '' } = payout();
  const forged = payout({ to: bench.MALLORY, charter, binding: '00'.repeat(64) });
  await assert.rejects(signer.signTransfer(forged), refusal);
  await assert.rejects(signer.balance('monero'), { kind: 'permanent', message: /400/ });
});

test('a second signer does not start beside a living one, and a dead one leaves no obstacle', async (t) => {
  const { folder, server, signer } = await running(t);
  await assert.rejects(startTestSigner(folder, listLog()), { name: 'Fault', message: /is taken/ });
  const signed = await signer.signTransfer(payout());
  await server.close();
  await assert.rejects(signer.publicKeys(), { name: 'Fault', kind: 'transient', at: 'signer' });
  const next = await startTestSigner(folder, listLog());
  t.after(() => next.close());
  assert.deepEqual(await signer.signTransfer(payout()), signed);
});

test('a signer that does not answer in time leaves the call ambiguous', async (t) => {
  const socketPath = join(temporaryFolder(t), 'socket');
  const silent = createServer(() => {}).listen(socketPath);
  t.after(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const call = { at: 'signer', label: '/public', url: 'http://signer/public', method: 'GET', deadlineMs: 50 } as const;
  await assert.rejects(unixOutbound(socketPath)(call), {
    name: 'Fault',
    kind: 'ambiguous',
    message: /no answer within/,
  });
});

test('no key, passphrase or word appears in a log line, an error, or an answer', async (t) => {
  const { folder, log, signer, socketPath } = await running(t);
  const seed = await openSeedFile(join(folder, 'seed'), PASSPHRASE);
  const tree = openKeyTree(seed);
  const told: string[] = [];
  const hear = (promise: Promise<unknown>) =>
    promise.then(
      (value) => told.push(inspect(value)),
      (error) => told.push(inspect(error, { depth: 9 })),
    );
  await hear(signer.publicKeys());
  await hear(signer.signTransfer(payout()));
  await hear(signer.signTransfer(payout({ nonce: 9 })));
  await hear(signer.signTrade(trade()));
  for (const body of ['{', '{"passphrase":1}', toWire(payout({ fee: {} }))])
    await hear(post(socketPath, '/transfer', body));
  const config = signerConfig(folder);
  told.push(inspect(config, { depth: 9 }), toWire(config));
  const everything = [...told, ...log.lines].join('\n').toLowerCase();
  assert.ok(log.lines.length >= 4);
  for (const secret of secretsOf(tree, seed.reveal())) assert.ok(!everything.includes(secret.toLowerCase()));
});

function secretsOf(tree: KeyTree, seed: Uint8Array): readonly string[] {
  const evm = evmKeys(tree);
  const bytes = [evm.key('hot'), evm.key({ deposit: 0 }), tree.journal].map((key) => key.reveal());
  return [
    PASSPHRASE.reveal(),
    moneroKeys(tree).spendKey.reveal(),
    ...[...bytes, seed].flatMap((key) => [Buffer.from(key).toString('hex'), Buffer.from(key).toString('base64')]),
  ];
}

const GOOD = { '/transfer': payout(), '/trade': trade(), '/move': sendHome() } as const;
type Path = keyof typeof GOOD;

/** A good body with one part of it, at any depth, replaced by anything. */
const spoilt = fc
  .tuple(fc.constantFrom<Path>('/transfer', '/trade', '/move'), fc.nat(), fc.jsonValue({ maxDepth: 2 }))
  .map(([path, place, junk]) => {
    const body: unknown = JSON.parse(toWire(GOOD[path]));
    const spots = spotsOf(body);
    const spot = spots[place % spots.length];
    if (spot) spot.holder[spot.name] = junk;
    return { path, text: JSON.stringify(body) };
  });

interface Spot {
  readonly holder: Record<string, unknown>;
  readonly name: string;
}

function spotsOf(value: unknown): Spot[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((name) => [{ holder, name }, ...spotsOf(holder[name])]);
}

const noise = fc
  .tuple(
    fc.constantFrom('/transfer', '/trade', '/move', '/monero/balance', '/monero/outputs', '/none'),
    fc.oneof(fc.json(), fc.string({ unit: 'binary' })),
  )
  .map(([path, text]) => ({ path, text }));

test('whatever is posted, the signer answers with a refusal and lives', async (t) => {
  const { socketPath, signer, log } = await running(t);
  const polite = fc.asyncProperty(fc.oneof(spoilt, noise), async ({ path, text }) => {
    const { status } = await post(socketPath, path, text);
    assert.ok([200, 400, 404, 422].includes(status), `${status} for ${text}`);
  });
  await fc.assert(polite, { numRuns: 400 });
  assert.ok(!log.lines.some((line) => line.startsWith('bug')));
  assert.ok((await signer.publicKeys()).evm);
});

test('oversized, cut off and nonsensical calls end politely', async (t) => {
  const { socketPath, signer } = await running(t);
  assert.equal((await post(socketPath, '/transfer', Buffer.alloc(40_000, 0x20))).status, 413);
  assert.equal((await post(socketPath, '/transfer', '[]', 'PUT')).status, 404);
  assert.equal((await post(socketPath, '/public?x', '', 'GET')).status, 404);
  assert.equal((await post(socketPath, '/transfer', '{"__proto__":{"intent":"x"}}')).status, 400);
  assert.equal((await post(socketPath, '/transfer', toWire({ ...payout(), extra: 1 }))).status, 400);
  const asNumber = toWire(payout()).replace('"250000000"', '250000000');
  assert.deepEqual(await post(socketPath, '/transfer', asNumber), {
    status: 400,
    text: '{"error":"malformed","field":"atoms"}',
  });
  await new Promise<void>((resolve) => {
    const half = connect(socketPath, () =>
      half.end('POST /transfer HTTP/1.1\r\nhost: x\r\ncontent-length: 900\r\n\r\n{"a":'),
    );
    half.resume().on('close', () => resolve());
  });
  assert.ok((await signer.publicKeys()).evm);
});

/** Asks and goes, and the signer cannot read a word before it is gone. */
const GOES = `const socket = require('node:net').connect(process.argv[1], () =>
  socket.end(process.argv[2], () => socket.destroy()));`;

test('whoever went away while the signer stood still is not signed for afterwards', async (t) => {
  const { socketPath, signer, log } = await running(t);
  const body = toWire(payout());
  const asked = `POST /transfer HTTP/1.1\r\nhost: x\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  assert.equal(spawnSync(process.execPath, ['-e', GOES, socketPath, asked]).status, 0);
  assert.equal(await signer.signedTransfer(payout().intent), undefined, 'the answer on which a refusal stands');
  await signer.publicKeys();
  assert.equal(await signer.signedTransfer(payout().intent), undefined, 'nothing was signed behind it');
  assert.deepEqual(log.lines, []);
  await signer.signTransfer(payout());
  assert.equal(log.lines.length, 1, 'whoever stays is signed for');
});

test('a fault of the world keeps its kind through the socket, and a bug tells nothing', async (t) => {
  const socketPath = join(temporaryFolder(t), 'socket');
  const log = listLog();
  const core = {
    transfer: () => Promise.reject(new Fault('transient', 'chain:0', 'outputs are locked for now')),
    split: () => Promise.reject(new Fault('permanent', 'chain:0', 'the wallet built another payment')),
    trade: () => Promise.reject(new RangeError('key 00112233 is not on the curve')),
    move: () => Promise.resolve({ refused: 'nonce_taken', detail: 'somebody else' } as const),
    signedFor: () => undefined,
    signedTrade: () => undefined,
    signedTransfer: async () => undefined,
    since: () => ({ isKnown: true, head: EMPTY_JOURNAL, lines: [] }),
  };
  const signer = openSigner(unixOutbound(socketPath));
  const server = await serveSigner(
    { path: socketPath, mode: 0o600, calls: 'all' },
    { core, publicKeys: signer.publicKeys, wallets: new Map(), log },
  );
  t.after(() => server.close());
  const locked = { kind: 'transient', at: 'chain:0', message: 'outputs are locked for now' };
  await assert.rejects(signer.signTransfer(payout()), locked);
  await assert.rejects(signer.signMove(sendHome()), { kind: 'permanent', refused: 'nonce_taken' });
  await assert.rejects(signer.signTrade(trade()), { kind: 'ambiguous', at: 'signer' });
  assert.ok(!log.lines.join().includes('00112233'));
});
