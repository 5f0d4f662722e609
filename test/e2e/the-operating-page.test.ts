import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { evmHot } from '../../sandbox/families/evm.ts';
import { moneroHot } from '../../sandbox/families/monero.ts';
import { type EvmWorld, startEvmWorld } from '../../sandbox/nodes/evm-world.ts';
import { loginText, type MoneroWorld } from '../../sandbox/nodes/monero-world.ts';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { KNOWN_WORDS, knownTree } from '../../sandbox/seed.ts';
import { type HyperliquidSimulator, startHyperliquid } from '../../sandbox/simulators/hyperliquid/server.ts';
import { startMoneroSimulator } from '../../sandbox/simulators/monero/simulator.ts';
import { VENUE_USDC, XMR1, XMR1_MARKET } from '../../sandbox/venue-tokens.ts';
import { buildService } from '../../scripts/build.ts';
import type { TokenId } from '../../src/kernel/ids.ts';
import { patiently } from '../run/patience.ts';
import { newDir, removeDir, threeFreePorts } from './box.ts';
import { USDC, WISHES } from './customer.ts';

/** What a reader types, in the order of the page; what only a real server has is left to the reader's own hands. */
const PAGE = readFileSync(new URL('../../docs/OPERATING.md', import.meta.url), 'utf8');
const [, FIRST_START = ''] = /## From an empty server to the first order\n([\s\S]*?)\n## /.exec(PAGE) ?? [];
const STEPS = [...FIRST_START.matchAll(/(<!-- by hand[^>]*-->\n)?```sh\n([\s\S]*?)```/g)].flatMap(
  ([, byHand, text = '']) => (byHand === undefined ? [text.trim()] : []),
);

const ARBITRUM = 42_161;
const VENUE_UNIT = 10n ** 8n;
const READY_WITHIN_MS = 60_000;
const PAID_WITHIN_MS = 90_000;
const LOOK_MS = 200;

const dir = newDir();
const at = (...names: string[]) => join(dir, ...names);
let database: Awaited<ReturnType<typeof testDatabase>>;
let arbitrum: EvmWorld;
let monero: MoneroWorld;
let venue: HyperliquidSimulator;
let port = 0;
let env: Record<string, string>;
const roles: ChildProcess[] = [];

before(async () => {
  const tree = knownTree();
  const program = await buildService();
  [database, arbitrum, monero, venue, port] = await Promise.all([
    testDatabase(async () => {}),
    startEvmWorld({ chainId: ARBITRUM }),
    startMoneroSimulator({ hotAddress: moneroHot(tree) }),
    startHyperliquid({ now: Date.now }),
    threeFreePorts(),
  ]);
  venue.credit(evmHot(tree), VENUE_USDC, 15_000n * VENUE_UNIT);
  venue.credit(evmHot(tree), XMR1, 100n * VENUE_UNIT);
  for (const name of ['etc', 'run', 'lib', 'bin']) mkdirSync(at(name), { recursive: true });
  writeFileSync(at('etc', 'database-url'), `${database.url}\n`, { mode: 0o600 });
  // As `npm link` leaves it on the reader's path.
  writeFileSync(at('bin', 'wherry'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, { mode: 0o755 });
  env = {
    PATH: `${at('bin')}:${process.env.PATH}`,
    ...{ HOME: dir, WHERRY_DIR: at('etc'), WHERRY_OPERATOR_URL: `http://127.0.0.1:${port + 1}` },
  };
});
after(async () => {
  for (const role of roles.reverse()) {
    if (role.exitCode !== null) continue;
    role.kill('SIGTERM');
    await once(role, 'exit');
  }
  await Promise.all([database.drop(), arbitrum.close(), monero.close(), venue.close()]);
  removeDir(dir);
});

/** Places of a real server are folders of this story. */
const here = (text: string): string =>
  text
    .replaceAll('/etc/wherry', at('etc'))
    .replaceAll('/run/wherry', at('run'))
    .replaceAll('/var/lib/wherry', at('lib'))
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`);

async function type(text: string, input = ''): Promise<{ code: number | null; out: string }> {
  const shell = spawn('bash', ['--norc', '-eu', '-o', 'pipefail', '-c', here(text)], { cwd: dir, env });
  let out = '';
  for (const stream of [shell.stdout, shell.stderr])
    stream.on('data', (part) => {
      out += part;
    });
  shell.stdin.end(input);
  const [code] = await once(shell, 'close');
  return { code, out };
}

async function typed(text: string, input = ''): Promise<string> {
  const { code, out } = await type(text, input);
  assert.equal(code, 0, `${text}\n${out}`);
  return out;
}

const stepWith = (words: string): string =>
  STEPS.find((step) => step.includes(words)) ?? assert.fail(`no step: ${words}`);

const walletAt = (name: 'view' | 'spend') => ({ url: monero.walletUrl(name), login: loginText(name) });

/** What the page asks the reader to edit: nodes, ports, and how long a block of play money is waited for. */
function edit(): void {
  const path = at('etc', 'desk.json');
  const desk = JSON.parse(here(readFileSync(path, 'utf8')));
  const confirmations = { small: 2, large: 2 };
  const edited = {
    ...desk,
    api: { ...desk.api, port },
    operator: { ...desk.operator, port: port + 1 },
    pages: { publicUrl: `http://127.0.0.1:${port}` },
    chains: {
      evm: [{ chainId: ARBITRUM, rpcUrl: arbitrum.rpcUrl, finality: confirmations, settled: 2 }],
      monero: {
        ...desk.chains.monero,
        ...{ daemonUrl: monero.daemonUrl, restoreHeight: 0, confirmations, outputPool: 2 },
        ...{ viewWallet: walletAt('view'), spendWallet: walletAt('spend') },
      },
    },
    venue: { ...desk.venue, url: venue.url, market: XMR1_MARKET },
    addressPool: 8,
  };
  writeFileSync(path, JSON.stringify(edited, null, 2), { mode: 0o600 });
}

test('the page holds every step that a desk needs, each in its place', () => {
  const order = ['deny-list', 'operator new', 'seed new', 'wherry limits', 'migrate', 'signer/public', 'wherry orders'];
  const found = order.map((words) => FIRST_START.indexOf(stepWith(words)));
  assert.equal(STEPS[0], 'wherry config init');
  assert.deepEqual(
    found,
    found.toSorted((a, b) => a - b),
  );
  assert.ok(found.every((place) => place >= 0));
});

test('typed word for word, it makes the settings, the operator, the keys and the database, and every check is content', async () => {
  assert.match(await typed(STEPS[0] ?? ''), /desk\.json is an example: edit it, and run this again/);
  edit();
  assert.doesNotMatch(await typed(stepWith('deny-list')), /is an example/);
  assert.match(await typed(stepWith('operator new')), /The token of ada is in/);
  assert.match(await typed(stepWith('seed new')), /^ 1 \w+ +2 \w+/);
  // The simulated wallet has money under words that everybody knows: they take the place of those that nobody does.
  const again = await type('rm /var/lib/wherry/seed && wherry seed restore', KNOWN_WORDS);
  assert.equal(again.code, 0, again.out);
  assert.match(await typed(stepWith('wherry limits')), /^engine: at most \$[\d.]+ in any 24 hours/);
  const checked = await typed(stepWith('wherry migrate'));
  for (const line of [
    /applied 0001-core\.sql/,
    /ok +seed: .* opens with the passphrase/,
    /ok +node of Arbitrum: serves chain 42161/,
    /ok +node of Monero: serves chain 0/,
    /ok +venue: has the market, and the same time/,
    /ok +database: is up to date/,
    /ok +operators: ada may come in/,
  ])
    assert.match(checked, line);
  assert.doesNotMatch(checked, /PROBLEM/);
});

test('started by the same command, each role on its own settings, the desk becomes ready and completes an order', async () => {
  for (const role of ['signer', 'engine', 'api']) {
    const child = spawn('wherry', ['start', role], { cwd: dir, env, stdio: ['ignore', 'ignore', 'inherit'] });
    roles.push(child);
  }
  await Promise.all([arbitrum.setAutomine(500), monero.setAutomine(500)]);
  await until('the desk', READY_WITHIN_MS, async () => (await type(`curl -sf ${API}/readyz`)).code === 0);
  const hot = evmHot(knownTree());
  const keys = JSON.parse(await typed(stepWith('signer/public')));
  assert.ok(JSON.stringify(keys).includes(hot), 'the account that the page says to fund');
  for (const { token, native } of arbitrum.network.facts.assets)
    await arbitrum.fund(hot, token, native ? 10n ** 18n : 10_000n * 10n ** 6n);

  const toAddress = await monero.freshDestination();
  const swap = JSON.stringify({ ...WISHES.usdc_to_xmr, toAddress });
  const made = JSON.parse(await typed(`curl -s ${API}/v2/swaps -H 'content-type: application/json' -d '${swap}'`));
  assert.match(made.orderId ?? '', /^sw_/, JSON.stringify(made));
  const listed = await typed(stepWith('wherry orders'));
  assert.ok(listed.includes(made.orderId), listed);
  await arbitrum.pay({ token: USDC as TokenId, to: made.depositAddress, atoms: BigInt(made.depositAmount) });
  const state = `curl -s ${API}/v2/swaps/${made.orderId} -H 'x-session-id: ${made.sessionId}'`;
  await until('the order', PAID_WITHIN_MS, async () => JSON.parse(await typed(state)).status === 'completed');
  const { total } = await monero.received(toAddress);
  assert.ok(BigInt(total) > 0n, 'what was bought is there');
  const audit = 'curl -s -H "authorization: Bearer $(cat ~/ada.token)" "$WHERRY_OPERATOR_URL/operator/audit"';
  assert.deepEqual(JSON.parse(await typed(audit)), { acts: [], next: null });
});

const API = 'http://127.0.0.1:8080';

const until = (what: string, withinMs: number, isTrue: () => Promise<boolean>): Promise<void> =>
  patiently(what, withinMs, async ({ isOver }) => {
    while (!(await isTrue())) {
      assert.ok(!isOver(), `${what} took too long; the roles: ${roles.map(({ exitCode }) => exitCode).join()}`);
      await pause(LOOK_MS);
    }
  });
