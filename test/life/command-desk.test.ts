import assert from 'node:assert/strict';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { firstDesk, openWherry, type Wherry } from './wherry.ts';

const ROLES = ['signer', 'engine', 'api'] as const;
const DATABASE = 'postgres://nobody:hushhush@127.0.0.1:1/none';

let wherry: Wherry;
before(async () => {
  wherry = await openWherry();
  await firstDesk(wherry, DATABASE);
});
after(() => wherry.close());

const at = (...names: readonly string[]) => wherry.at(...names);
const settings = (role: string) => wherry.settings(role);
const secretsOf = (role: string) => wherry.secretsOf(role);

test('each role gets a file of its own, with the secrets that it needs and no others', () => {
  const names = (role: string) => Object.keys(secretsOf(role)).sort();
  assert.deepEqual(names('signer'), [
    ...['chains-monero-spendWallet-login', 'chains-monero-spendWallet-password', 'signer-passphrase'],
  ]);
  assert.deepEqual(names('engine'), ['database', 'keys-engine']);
  assert.deepEqual(names('api'), ['database', 'keys-api', 'keys-hash']);
  const all = ROLES.flatMap((role) => Object.entries(secretsOf(role)));
  for (const role of ROLES) {
    const own = secretsOf(role);
    const text = readFileSync(at(role, 'settings.json'), 'utf8');
    for (const [name, secret] of all) {
      assert.ok(!text.includes(secret), `${role}: ${name} is not in the settings themselves`);
      assert.ok(name in own || !Object.values(own).includes(secret), `${role} has ${name}`);
    }
    assert.equal(statSync(at(role)).mode & 0o777, 0o700);
    for (const name of readdirSync(at(role))) assert.equal(statSync(at(role, name)).mode & 0o777, 0o600, name);
  }
  assert.equal(secretsOf('signer')['keys-binding'], secretsOf('api')['keys-binding'], 'what is shared is the same');
});

test('limits are written in whole coins by symbol, and become atoms of the very assets', async () => {
  const { assets, chains, trades } = settings('signer').signer.limits;
  assert.deepEqual(assets['0:XMR'], { perTransfer: '20000000000000', perDay: '100000000000000', floorUsd: '150' });
  assert.equal(assets['42161:0xaf88d065e77c8cC2239327C5EDb3A432268e5831'].perDay, '20000000000');
  assert.equal(chains['42161'].cost, '1000000000000000');
  assert.deepEqual([trades.size, trades.notional], ['2000000000', '500000000000']);
  const { unlimited } = (await wherry.run(['config', 'init', '--json'])).json();
  assert.ok(unlimited.includes('USDT@42161'), unlimited.join());
});

test('it may be repeated: what was made once stays, what is edited changes', async () => {
  const before = ROLES.map(secretsOf);
  wherry.edit((desk) => ({ ...desk, largestOrderUsd: 4_321 }));
  assert.equal((await wherry.run(['config', 'init'])).code, 0);
  assert.deepEqual(ROLES.map(secretsOf), before);
  assert.deepEqual(
    ROLES.map((role) => settings(role).largestOrderUsd),
    [4_321, 4_321, 4_321],
  );
});

test('a limit that names nothing, or two things, or too small a part of a coin is refused, and the files stay', async () => {
  const before = readFileSync(at('desk.json'), 'utf8');
  const kept = ROLES.map(settings);
  const limit = { perTransfer: '1', perDay: '1', floorUsd: '1' };
  for (const [name, one, said] of [
    ['XMX', limit, /\/signer\/limits\/assets\/XMX is no asset of this desk/],
    ['USDC', limit, /USDC is on several chains: say USDC@42161 or USDC@1337/],
    ['XMR@0', limit, /\/signer\/limits\/assets\/XMR@0 is named twice/],
    ['USDT', { ...limit, perDay: '0.0000001' }, /USDT\/perDay: USDT has 6 decimals, and 0\.0000001 more/],
    ['USDT', { ...limit, perDay: '-1' }, /\/signer\/limits\/assets\/USDT\/perDay/],
  ] as const) {
    wherry.edit(({ signer, ...desk }) => ({
      ...desk,
      signer: { ...signer, limits: { ...signer.limits, assets: { ...signer.limits.assets, [name]: one } } },
    }));
    const { code, err } = await wherry.run(['config', 'init']);
    assert.equal(code, 1, name);
    assert.match(err, said);
    writeFileSync(at('desk.json'), before, { mode: 0o600 });
  }
  assert.deepEqual(ROLES.map(settings), kept);
});

test('a seed is made once: its words are shown, and make the same file again elsewhere', async () => {
  const made = await wherry.run(['seed', 'new', '--json']);
  const { seedFile, words } = made.json();
  assert.deepEqual([made.code, words.length, statSync(seedFile).mode & 0o777], [0, 24, 0o600]);
  const again = await wherry.run(['seed', 'new']);
  assert.deepEqual([again.code, /there is a seed in .* already/.test(again.err)], [1, true]);
  assert.ok(!readFileSync(seedFile, 'utf8').includes(words[0]));

  const other = await openWherry();
  await firstDesk(other);
  const typed = `  ${words.slice(0, 12).join(' ').toUpperCase()}\n${words.slice(12).join('\n')}\n`;
  const wrong = await other.run(['seed', 'restore'], { input: typed.replace(words[3].toUpperCase(), 'WHERRY') });
  assert.deepEqual([wrong.code, /not BIP-39 words/.test(wrong.err)], [1, true]);
  assert.ok(!existsSync(join(other.dir, 'keys', 'seed')) && !wrong.err.includes(words[1]));
  assert.equal((await other.run(['seed', 'restore'], { input: typed })).code, 0);
  assert.match((await other.run(['config', 'check', 'signer'])).out, /ok +seed: .* opens with the passphrase/);
  other.close();
});

test('a check names every problem of a role, and ends with 3 while there is one', async () => {
  const signer = await wherry.run(['config', 'check', 'signer']);
  assert.deepEqual([signer.code, signer.out.match(/PROBLEM.*/g)?.length], [3, 1], signer.out);
  assert.match(signer.out, /PROBLEM venue: .*ECONNREFUSED/);
  const path = at('signer', 'settings.json');
  const { signer: its, ...rest } = settings('signer');
  const { perHourPercent: _, ...price } = its.limits.trades.price;
  const without = { ...its, limits: { ...its.limits, trades: { ...its.limits.trades, price } } };
  writeFileSync(path, JSON.stringify({ ...rest, signer: without }));
  const content = await wherry.run(['config', 'check', 'signer', '--json']);
  assert.deepEqual([content.code, content.json().problems], [0, 0], content.out);
  writeFileSync(path, JSON.stringify({ ...rest, signer: its }));
  chmodSync(at('signer', 'signer-passphrase'), 0o644);
  const open = await wherry.run(['config', 'check', 'signer']);
  assert.equal(open.code, 3);
  assert.match(
    open.out,
    /PROBLEM settings: .*signer-passphrase holds secrets and has mode 0644.* \(\/signer\/passphrase\)/,
  );
  chmodSync(at('signer', 'signer-passphrase'), 0o600);

  const engine = await wherry.run(['config', 'check', 'engine']);
  assert.equal(engine.code, 3);
  for (const line of [
    /PROBLEM database: .*ECONNREFUSED/,
    /PROBLEM deny list: .* cannot be read/,
    /PROBLEM node of Arbitrum: /,
    /PROBLEM node of Monero: /,
    /look +signer: /,
    /look +limits: nothing of .*USDT@42161/,
  ])
    assert.match(engine.out, line);
  const api = await wherry.run(['config', 'check', 'api']);
  assert.match(api.out, /PROBLEM operators: .*nobody could look at the desk/);
});

test("a role's file that has somebody else's secret is told so, and one that lacks its own is refused", async () => {
  const path = at('api', 'settings.json');
  const before = readFileSync(path, 'utf8');
  const write = (change: object) => writeFileSync(path, JSON.stringify({ ...JSON.parse(before), ...change }));
  write({ signer: { ...settings('api').signer, passphrase: 'a passphrase of some length' } });
  assert.match(
    (await wherry.run(['config', 'check', 'api'])).out,
    /look +secrets: the api does not need \/signer\/passphrase/,
  );
  write({ keys: {} });
  const lacking = await wherry.run(['start', 'api']);
  assert.deepEqual(
    [lacking.code, /configuration: \/keys\/api .*\/keys\/hash/.test(lacking.err)],
    [1, true],
    lacking.err,
  );
  write({ keys: { binding: { env: 'BINDING' }, hash: { file: 'nowhere' } } });
  assert.match((await wherry.run(['start', 'api'])).err, /\/keys\/binding is kept in BINDING, which is not set/);
  assert.match(
    (await wherry.run(['start', 'api'], { env: { BINDING: 'ab'.repeat(32) } })).err,
    /nowhere cannot be read: ENOENT \(\/keys\/hash\)/,
  );
  writeFileSync(path, before);
});

test('a node is known by its chain: another one is a problem', async () => {
  let chainId = '0xa4b1';
  const node = createServer((request, reply) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => reply.end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, result: chainId })));
  });
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  const { port } = node.address() as AddressInfo;
  wherry.edit(({ chains, ...desk }) => ({
    ...desk,
    chains: { ...chains, evm: [{ chainId: 42161, rpcUrl: `http://127.0.0.1:${port}` }] },
  }));
  await wherry.run(['config', 'init']);
  assert.match((await wherry.run(['config', 'check', 'engine'])).out, /ok +node of Arbitrum: serves chain 42161/);
  chainId = '0x1';
  assert.match(
    (await wherry.run(['config', 'check', 'engine'])).out,
    /PROBLEM node of Arbitrum: .*the node serves chain 1/,
  );
  node.close();
});

test('what was said never holds a secret', async () => {
  const lines = [['config', 'init'], ['config', 'check', 'engine'], ['limits'], ['migrate']];
  const started = wherry.run(['start', 'engine'], { until: /"what":"database".*waiting/ });
  const said = (await Promise.all([...lines.map((words) => wherry.run(words)), started]))
    .map(({ out, err }) => out + err)
    .join('\n');
  for (const role of ROLES)
    for (const [name, secret] of Object.entries(secretsOf(role))) assert.ok(!said.includes(secret), name);
  assert.ok(!said.includes('hushhush'));
});
