import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { type ProxyServer, startProxy } from '../../sandbox/control/proxy.ts';
import { evmHot } from '../../sandbox/families/evm.ts';
import { moneroHot } from '../../sandbox/families/monero.ts';
import { type EvmWorld, startEvmWorld } from '../../sandbox/nodes/evm-world.ts';
import { type MoneroWorld, SPEND_LOGIN } from '../../sandbox/nodes/monero-world.ts';
import { KNOWN_WORDS, knownTree } from '../../sandbox/seed.ts';
import { type HyperliquidSimulator, startHyperliquid } from '../../sandbox/simulators/hyperliquid/server.ts';
import { startMoneroSimulator } from '../../sandbox/simulators/monero/simulator.ts';
import { VENUE_USDC, XMR1, XMR1_MARKET } from '../../sandbox/venue-tokens.ts';
import { buildService } from '../../scripts/build.ts';
import { ROLES } from '../../src/app/roles.ts';
import { astrayIn, type BooksLine } from './books.ts';
import { type OperatingDesk, openOperatingDesk } from './operating-desk.ts';
import { FIRST_START, type OperatingServer, startOperatingServer, stepWith } from './operating-server.ts';

const ARBITRUM = 42_161;
const VENUE_UNIT = 10n ** 8n;
/** Whatever is wrong is seen from outside within this. */
const SEEN_WITHIN_MS = 60_000;
const TEN_MINUTES = 600_000;

let server: OperatingServer;
let arbitrum: EvmWorld;
let lineToArbitrum: ProxyServer;
let isHung = false;
let monero: MoneroWorld;
let venue: HyperliquidSimulator;
let desk: OperatingDesk;

before(async () => {
  const tree = knownTree();
  [server, arbitrum, monero, venue] = await Promise.all([
    buildService().then(startOperatingServer),
    startEvmWorld({ chainId: ARBITRUM }),
    startMoneroSimulator({ hotAddress: moneroHot(tree) }),
    startHyperliquid({ now: Date.now }),
  ]);
  desk = openOperatingDesk({ server, arbitrum, monero, venue });
  const hangs = { fate: 'delay', ms: 24 * 60 * 60 * 1_000 } as const;
  lineToArbitrum = await startProxy(arbitrum.rpcUrl, { isCalm: () => !isHung, judge: () => hangs });
  venue.credit(evmHot(tree), VENUE_USDC, 15_000n * VENUE_UNIT);
  venue.credit(evmHot(tree), XMR1, 100n * VENUE_UNIT);
});
after(async () => {
  await server.close();
  await lineToArbitrum.close();
  await Promise.all([arbitrum.close(), monero.close(), venue.close()]);
});

/** What the page asks the reader to edit: nodes, ports, groups, and how long a block of play money is waited for. */
function edit(): void {
  const { at, here, port, groups } = server;
  const path = at('etc', 'desk.json');
  const example = JSON.parse(here(readFileSync(path, 'utf8')));
  const confirmations = { small: 2, large: 2 };
  const edited = {
    ...example,
    api: { ...example.api, port },
    operator: { ...example.operator, port: port + 1 },
    pages: { publicUrl: `http://127.0.0.1:${port}` },
    signer: { ...example.signer, socketGroup: groups.engine, apiSocketGroup: groups.api },
    chains: {
      evm: [{ chainId: ARBITRUM, rpcUrl: lineToArbitrum.url, finality: confirmations, settled: 2 }],
      monero: {
        ...example.chains.monero,
        ...{ daemonUrl: monero.daemonUrl, restoreHeight: 0, confirmations, outputPool: 2 },
        spendWallet: { url: monero.walletUrl('spend'), login: SPEND_LOGIN },
      },
    },
    venue: { ...example.venue, url: venue.url, market: XMR1_MARKET },
    addressPool: 8,
  };
  writeFileSync(path, JSON.stringify(edited, null, 2), { mode: 0o600 });
}

test('the page holds every step that a desk needs, each in its place', () => {
  const order = [
    ...['install -d /etc/wherry', 'database-owner', 'config init', 'deny-list', 'operator new', 'seed new'],
    ...['wherry limits', 'migrate', 'signer/public', 'wherry orders'],
  ];
  const found = order.map((words) => FIRST_START.indexOf(stepWith(words)));
  assert.deepEqual(
    found,
    found.toSorted((a, b) => a - b),
  );
  assert.ok(found.every((place) => place >= 0));
});

test('typed word for word, it makes the settings, the operator, the keys and the database, and every check is content', async () => {
  const { typed, type } = server;
  await typed(stepWith('install -d /etc/wherry'));
  await server.makeDatabase();
  await typed(stepWith('database-owner'));
  assert.match(await typed(stepWith('config init')), /desk\.json is an example: edit it, and run this again/);
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
    /ok +sockets: can be given to their groups/,
    /ok +node of Arbitrum: serves chain 42161/,
    /ok +node of Monero: serves chain 0/,
    /ok +venue: has the market, and the same time/,
    /ok +database: is up to date/,
    /ok +operators: ada may come in/,
  ])
    assert.match(checked, line);
  assert.doesNotMatch(checked, /PROBLEM|Warning:/);
});

test('started by the same command, each role as its own user and on its own settings, the desk becomes ready and completes an order', async () => {
  for (const role of ROLES) server.serve(role);
  await Promise.all([arbitrum.setAutomine(500), monero.setAutomine(500)]);
  await desk.untilReady();
  const hot = evmHot(knownTree());
  const keys = JSON.parse(await server.typed(stepWith('signer/public')));
  assert.ok(JSON.stringify(keys).includes(hot), 'the account that the page says to fund');
  for (const { token, native } of arbitrum.network.facts.assets)
    await arbitrum.fund(hot, token, native ? 10n ** 18n : 10_000n * 10n ** 6n);

  const order = await desk.placed();
  const listed = await server.typed(stepWith('wherry orders'));
  assert.ok(listed.includes(order.orderId), listed);
  await order.pay();
  await order.isPaidOnce();
  const { acts } = (await desk.operator('GET', '/operator/audit')) as { acts: { operator: string }[] };
  assert.deepEqual(
    acts.map((act) => act.operator),
    ['ada', 'ada'],
    'the integration and its key',
  );
});

test('whoever is one of the roles reads no other’s secrets, and the api’s user has no way to where things are signed', async (t) => {
  if (server.oneUser) {
    t.skip(server.oneUser);
    return;
  }
  const may = async (role: string, what: string) =>
    (await server.type(`runuser -u wherry-${role} -- ${what}`)).code === 0;
  for (const [role, others] of [
    ['signer', ['engine', 'api']],
    ['engine', ['signer', 'api']],
    ['api', ['signer', 'engine']],
  ] as const) {
    assert.ok(await may(role, `cat /etc/wherry/${role}/settings.json`));
    for (const other of others) assert.ok(!(await may(role, `cat /etc/wherry/${other}/settings.json`)));
    assert.ok(!(await may(role, 'cat /etc/wherry/database-owner')));
    assert.equal(await may(role, 'cat /var/lib/wherry/journal'), role === 'signer');
    assert.equal(await may(role, 'cat /var/lib/wherry/seed'), role === 'signer');
  }
  const answers = 'curl -sf http://signer/public --unix-socket /run/wherry';
  assert.ok(await may('engine', `${answers}/signer.sock`));
  assert.ok(await may('api', `${answers}/signer-api.sock`));
  assert.ok(!(await may('api', `${answers}/signer.sock`)));
  assert.ok(!(await may('engine', `${answers}/signer-api.sock`)));
  assert.equal(statSync(`/proc/${server.pidOf('signer')}`).uid, statSync(server.at('etc', 'signer')).uid);
});

for (const role of ROLES)
  test(`kill -9 of the ${role} while an order is on its way: it is paid, once`, async () => {
    const order = await desk.placed();
    await order.pay();
    await server.killHard(role);
    await order.isPaidOnce();
  });

test('PostgreSQL is stopped and started: customers are told to come again, and what was on its way arrives, once', async () => {
  const order = await desk.placed();
  await order.pay();
  await server.restartDatabase(async () => {
    await desk.until('503', SEEN_WITHIN_MS, async () => {
      const reply = await fetch(`${desk.api}/v2/swaps/${order.orderId}`, {
        headers: { 'x-session-id': order.sessionId },
      });
      return reply.status === 503 && Number(reply.headers.get('retry-after')) > 0;
    });
    assert.notEqual((await desk.readyz()).status, 200);
  });
  await order.isPaidOnce();
  await desk.untilReady();
});

test('a node hangs and the engine is started again: it is named within a minute, other chains go on, and its own orders do afterwards', async () => {
  await desk.operator('PUT', '/operator/bridges/xmr/deposit', { enabled: true });
  const order = await desk.placed();
  const bridge = await desk.bridged();
  isHung = true;
  await server.killHard('engine');
  await Promise.all([order.pay(), bridge.pay()]);
  await desk.until('the node is named', SEEN_WITHIN_MS, async () => (await desk.readyz()).text.includes('Arbitrum'));
  await bridge.isPaidOnce();
  isHung = false;
  await order.isPaidOnce();
  await desk.untilReady();
});

const journalBytes = () => statSync(server.at('lib', 'wherry', 'journal')).size;

const isTold = () =>
  desk.until('what is wrong is told', SEEN_WITHIN_MS, async () => {
    const { status, text } = await desk.readyz();
    return status === 503 && text.includes('cannot write down what it signs');
  });

/** An order is paid for while the journal takes nothing; whoever made it so makes it good again. */
async function withoutJournal(stop: () => Promise<void> | void, goOn: () => Promise<void>): Promise<void> {
  const order = await desk.placed();
  await stop();
  const before = journalBytes();
  await order.pay();
  await isTold();
  assert.ok((await desk.openCases()).some((one) => one.case === 'journal_unwritable'));
  const refused = await desk.swap(await monero.freshDestination());
  assert.equal(refused.status, 503, JSON.stringify(refused.body));
  assert.equal(journalBytes(), before);
  await goOn();
  await order.isPaidOnce();
  await desk.untilReady();
}

test('the disk of the journal is full: nothing is signed, the desk says so and takes nothing in; with room it goes on by itself', async (t) => {
  const { disk } = server;
  if (typeof disk === 'string') {
    t.skip(disk);
    return;
  }
  await withoutJournal(
    () => disk.fill(),
    async () => {
      const before = journalBytes();
      await server.killHard('signer');
      const isThere = async () => (await server.type(stepWith('signer/public'))).code === 0;
      await desk.until('a signer that begins on a full disk', SEEN_WITHIN_MS, isThere);
      await isTold();
      assert.equal(journalBytes(), before);
      disk.makeRoom();
    },
  );
});

test('the journal may not grow although its disk has room: the same holds', () => {
  const mayGrow = async (to: string) => {
    const limit = `prlimit --pid ${server.pidOf('signer')} --fsize=${to}:unlimited`;
    await server.typed(`runuser -u wherry-signer -- ${limit}`);
  };
  return withoutJournal(
    () => mayGrow(String(journalBytes())),
    () => mayGrow('unlimited'),
  );
});

for (const [words, ahead, against] of [
  ['ten minutes back', -TEN_MINUTES, ['computer']],
  ['right again', 0, []],
  ['ten minutes ahead', TEN_MINUTES, ['database', 'venue']],
  // What was done ten minutes ahead was not done in the future: the desk waits until the others have caught up.
  ['right again, from ahead,', 0, ['computer', 'database', 'venue']],
] as const)
  test(`the time of day is set ${words} while an order is on its way: it is paid, once, and the clocks are seen as they are`, async () => {
    const order = await desk.placed();
    await order.pay();
    server.setTime(ahead);
    await order.isPaidOnce();
    await desk.until('the gauges', SEEN_WITHIN_MS, async () => isDeepStrictEqual(await desk.skewed(), against));
  });

test('after all that nothing is missing: every asset is where the books say, and nothing waits for a person', async () => {
  await desk.untilReady();
  const others = async () => (await desk.openCases()).filter((one) => one.case !== 'clock_skew');
  await desk.until('no case but the clock', SEEN_WITHIN_MS, async () => (await others()).length === 0);
  await desk.until('balanced books', SEEN_WITHIN_MS, async () => {
    const { assets } = (await desk.operator('GET', '/operator/ledger')) as { assets: readonly BooksLine[] };
    return assets.length > 0 && astrayIn(assets).length === 0;
  });
  assert.equal(await desk.stillPaidOnce(), typeof server.disk === 'string' ? 12 : 13);
});
