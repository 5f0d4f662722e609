import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { portsFrom, secretsOf, writeConfig } from '../../sandbox/config.ts';
import { moneroSettings } from '../../sandbox/families/monero.ts';
import { makeFolders, places } from '../../sandbox/files.ts';
import { checkConfig } from '../../src/app/check-config.ts';
import { type Config, readPrivately } from '../../src/app/config.ts';
import { contractSignaturesOver } from '../../src/app/contract-signatures.ts';
import { ownBinder } from '../../src/app/process-keys.ts';
import { chainsOf } from '../../src/app/wiring/chains.ts';
import { deskChains } from '../../src/app/wiring/desk-assets.ts';
import { notFor } from '../../src/app/wiring/secrets.ts';
import { signerConfigOf } from '../../src/app/wiring/signer.ts';
import { coldStoresOf, stockLevelsOf } from '../../src/app/wiring/stock-levels.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { RpcError } from '../../src/world/outbound/json-rpc.ts';

const dir = mkdtempSync(join(tmpdir(), 'wherry-config-'));
after(() => rmSync(dir, { recursive: true, force: true }));

/** The settings of the sandbox, which are those of a real desk at local addresses. */
function settings() {
  const at = places(dir);
  makeFolders(at);
  const url = 'http://127.0.0.1:1';
  return writeConfig(at, portsFrom(8080), secretsOf(at), {
    database: 'postgres://x',
    chains: {
      evm: [{ chainId: 42161, rpcUrl: url }],
      ...moneroSettings({ daemonUrl: url, spend: url }, 'x'),
    },
    venueUrl: url,
  });
}

test('a receiver on this computer is for rehearsals, and refused wherever somebody else could be', () => {
  const config = settings();
  assert.equal(config.partners?.localReceiver, 'http://127.0.0.1:8082');
  const refused = /localReceiver is for rehearsals/;
  assert.throws(() => checkConfig({ ...config, pages: { publicUrl: 'https://desk.example' } }), refused);
  assert.throws(() => checkConfig({ ...config, pages: { publicUrl: 'http://192.168.1.2:8080' } }), refused);
  assert.throws(() => checkConfig({ ...config, api: { host: '0.0.0.0', port: 80 } }), refused);
  assert.doesNotThrow(() => checkConfig({ ...config, pages: { publicUrl: 'http://127.0.0.1:8080' } }));
  assert.doesNotThrow(() => checkConfig({ ...config, partners: {}, pages: { publicUrl: 'https://desk.example' } }));
  for (const localReceiver of ['https://10.0.0.1:1', 'http://127.0.0.1', 'http://evil.example:80']) {
    assert.throws(() => checkConfig({ ...config, partners: { localReceiver } }), /localReceiver/);
  }
});

test('a second node of Monero is a daemon, one of Zcash has a wallet, and each is looked at by itself', async () => {
  const config = settings();
  const monero = config.chains.monero as object;
  const wallet = { url: 'http://127.0.0.1:3', login: 'eyes:only' };
  const zcash = {
    ...{ nodeUrl: 'http://127.0.0.1:2', viewWallet: wallet, accountUuid: 'x', confirmations: 3 },
    second: { nodeUrl: 'http://127.0.0.1:4', nodeLogin: 'u:p', viewWallet: { ...wallet, url: 'http://127.0.0.1:5' } },
  };
  const chains = { ...config.chains, monero: { ...monero, second: 'http://127.0.0.1:6' }, zcash };
  const seconds = chainsOf(checkConfig({ ...config, chains })).flatMap(({ second }) => second ?? []);
  const asked: string[] = [];
  for (const { look } of seconds)
    await look(async ({ url }) => {
      asked.push(new URL(url).port);
      throw new Fault('transient', 'x', 'away');
    }).catch(() => {});
  assert.deepEqual(new Set(asked), new Set(['4', '6']));
  const wrong = { ...config.chains, zcash: { ...zcash, second: { nodeUrl: 'http://127.0.0.1:4' } } };
  assert.throws(() => checkConfig({ ...config, chains: wrong }), /viewWallet/);
});

test('a wallet of Monero for the engine is refused by its name: there is none any more', () => {
  const config = settings();
  const viewWallet = { url: 'http://127.0.0.1:3', password: 'x' };
  const chains = { ...config.chains, monero: { ...(config.chains.monero as object), viewWallet } };
  assert.throws(() => checkConfig({ ...config, chains }), /\/chains\/monero\/viewWallet/);
});

test('levels of stock and cold stores name assets of the desk, in whole coins and in their order', () => {
  const { fillsUsdPerDay: _, ...signer } = settings().signer;
  const base = { ...settings(), signer };
  const stocked = (
    stock: NonNullable<Config['treasury']['stock']>,
    cold: NonNullable<Config['signer']['cold']> = {},
  ) => ({
    ...{ ...base, treasury: { ...base.treasury, stock }, signer: { ...base.signer, cold } },
  });
  const level = { low: '1', target: '2.5', high: '3' };
  const [read] = stockLevelsOf(stocked({ XMR: level }));
  assert.deepEqual(read, { asset: '0:XMR', low: 10n ** 12n, target: 25n * 10n ** 11n, high: 3n * 10n ** 12n });
  assert.throws(() => stockLevelsOf(stocked({ XMR: { ...level, low: '3' } })), /low must not be above target/);
  assert.throws(() => stockLevelsOf(stocked({ XMR: { ...level, high: '2' } })), /nor target above high/);
  assert.throws(() => stockLevelsOf(stocked({ DOGE: level })), /DOGE is no asset of this desk/);
  assert.throws(() => stockLevelsOf(stocked({ XMR: level, 'XMR@0': level })), /named twice/);
  assert.throws(() => stockLevelsOf(stocked({ USDC: level })), /on several chains: say USDC@42161/);
  const filled = { ...level, fill: { from: 'USDC@42161', mostCostPercent: '1', usdPerDay: '500' } };
  const paying = (stock: NonNullable<Config['treasury']['stock']>) => {
    const config = stocked(stock);
    return { ...config, signer: { ...config.signer, fillsUsdPerDay: '900' } };
  };
  assert.throws(() => stockLevelsOf(stocked({ XMR: filled })), /fillsUsdPerDay does not say how much it may/);
  assert.throws(() => stockLevelsOf(paying({ XMR: filled })), /has no level of 42161:/);
  const [both] = stockLevelsOf(paying({ XMR: filled, 'USDC@42161': level }));
  assert.deepEqual([both?.fill?.usdPerDay, both?.fill?.usdAtOnce], [500_000_000n, 500_000_000n]);
  const once = { ...filled, fill: { ...filled.fill, usdAtOnce: '20.5' } };
  assert.equal(stockLevelsOf(paying({ XMR: once, 'USDC@42161': level }))[0]?.fill?.usdAtOnce, 20_500_000n);
  const traded = { low: '1', target: '2', fill: { ...filled.fill, from: 'USDC@1337' } };
  const [onBook] = stockLevelsOf(stocked({ XMR1: traded, 'USDC@1337': { low: '1', target: '2' } }));
  assert.equal(onBook?.fill?.usdPerDay, 500_000_000n, 'the book is no provider: the limits of trades bound it');
  const stores = coldStoresOf(stocked({}, { 'USDC@42161': { address: '0xcc', perDay: '1.5' } }));
  assert.deepEqual(Object.values(stores), [{ address: '0xcc', perDay: 1_500_000n }]);
  const tooFine = stocked({}, { 'USDC@42161': { address: '0xcc', perDay: '0.0000001' } });
  assert.throws(() => signerConfigOf(tooFine), /USDC has 6 decimals/);
});

test('a contract is asked as EIP-1271 says: the magic value and nothing else is a yes', async () => {
  const asked: unknown[] = [];
  const answering = (answer: unknown) =>
    contractSignaturesOver(async (method, params) => {
      asked.push([method, params]);
      if (answer instanceof Error) throw answer;
      return answer;
    });
  const yes = `0x1626ba7e${'0'.repeat(56)}`;
  const ask = (answer: unknown) => answering(answer)('0xabc', 'hello', '0x1234');
  assert.equal(await ask(yes), true);
  for (const no of ['0x', `0xffffffff${'0'.repeat(56)}`, '0x1626ba7e', null, new RpcError('eth_call', 3, 'reverted')]) {
    assert.equal(await ask(no), false, String(no));
  }
  await assert.rejects(ask(new Error('the node is away')), /away/);
  const [[method, [call, block]]] = asked as [[string, [{ to: string; data: string }, string]]];
  assert.deepEqual([method, call.to, block], ['eth_call', '0xabc', 'latest']);
  // The digest of "\x19Ethereum Signed Message:\n5hello", known from every wallet.
  const digest = '50b2c43fd39106bafbba0da34fc430e1f91e3c96ea2acee2bc34119f92b37750';
  assert.ok(call.data.startsWith(`0x1626ba7e${digest}`), call.data);
});

test('a settings file that others can read, or somebody else can write, is refused with what helps', () => {
  const { config } = places(dir);
  settings();
  assert.equal(statSync(config).mode & 0o777, 0o600, 'as the sandbox writes it');
  for (const mode of [0o600, 0o400, 0o640]) {
    chmodSync(config, mode);
    assert.doesNotThrow(() => readPrivately(config), mode.toString(8));
  }
  for (const mode of [0o644, 0o604, 0o660, 0o602, 0o601]) {
    chmodSync(config, mode);
    const said = new RegExp(`configuration: ${config} holds secrets and has mode 0${mode.toString(8)}; .* chmod 600`);
    assert.throws(() => readPrivately(config), said);
  }
  chmodSync(config, 0o600);
});

test('limits name assets and chains as the desk does: another spelling is refused, and told how it is spelt', () => {
  const config = settings();
  const limited = (assets: object, chains: object = {}): Config => ({
    ...config,
    signer: { ...config.signer, limits: { ...config.signer.limits, assets, chains } as Config['signer']['limits'] },
  });
  const limit = { perTransfer: '1', perDay: '1', floorUsd: '1' };
  const gas = { gas: '1', gasPerDay: '1', cost: '1', costPerDay: '1' };
  const xmr1 = `1337:${config.venue.baseTokenId}`;
  const usdc = '42161:0xaf88d065e77c8cC2239327C5EDb3A432268e5831';
  assert.doesNotThrow(() =>
    signerConfigOf(limited({ [usdc]: limit, [xmr1]: limit, '0:XMR': limit }, { 0: gas, 1337: gas })),
  );
  for (const [given, said] of [
    [xmr1.toUpperCase().replace('0X', '0x'), `is spelt ${xmr1} here`],
    [usdc.toLowerCase(), `is spelt ${usdc} here`],
    ['0:xmr', 'is spelt 0:XMR here'],
    ['000:XMR', 'is spelt 0:XMR here'],
    ['0:XMX', 'is no asset of this desk'],
  ] as const) {
    const message = `configuration: /signer/limits/assets/${given} ${said}`;
    assert.throws(() => signerConfigOf(limited({ [given]: limit })), { name: 'Error', message });
  }
  assert.throws(() => signerConfigOf(limited({}, { '01337': gas })), /limits\/chains\/01337 is no chain of this desk/);
});

test('a role goes without the secrets of others: those that it asks for all the same are missed aloud, those that nobody must have are not', () => {
  const { signer, keys, ...config } = settings();
  const { passphrase: _, ...open } = signer;
  const confirmations = { small: 1, large: 1 };
  const bitcoin = { network: 'mainnet', rpcUrl: 'http://127.0.0.1:1', confirmations };
  const zcash = {
    ...{ nodeUrl: 'http://127.0.0.1:2', accountUuid: 'x', confirmations: 3 },
    viewWallet: { url: 'http://127.0.0.1:3' },
  };
  const engineless = {
    ...config,
    keys,
    signer: { ...open },
    chains: { ...config.chains, bitcoin, zcash },
  };
  assert.throws(
    () => checkConfig(structuredClone(engineless)),
    /\/signer\/passphrase .*\/chains\/zcash\/viewWallet\/login/,
  );
  const ofApi = checkConfig(structuredClone(engineless), notFor('api'));
  // Every chain is known without a login, although one could be given.
  assert.deepEqual(
    deskChains(ofApi).map(({ coin }) => coin.symbol),
    ['XMR', 'ETH', 'BTC', 'ZEC', 'USDC'],
  );
  assert.throws(() => ofApi.signer.passphrase, /\/signer\/passphrase is not in the settings of this role/);
  assert.ok(!JSON.stringify(ofApi).includes('passphrase'));
  assert.throws(() => checkConfig(structuredClone(engineless), notFor('engine')), /\/zcash\/viewWallet\/login/);
});

test('trusted proxies are addresses or networks, and never everybody', () => {
  const config = settings();
  const trusting = (...trustedProxies: string[]) => checkConfig({ ...config, api: { ...config.api, trustedProxies } });
  assert.doesNotThrow(() => trusting('10.0.0.1', '10.0.0.0/8', '::1', '2001:db8::/32', '127.0.0.0/8'));
  for (const wrong of ['0.0.0.0/0', '::/0', '10.0.0.0/33', '::1/129', '999.0.0.1', '10.0.0', 'ab:cd', '10.0.0.1/']) {
    assert.throws(() => trusting('10.0.0.1', wrong), /configuration: \/api\/trustedProxies\/1 /, wrong);
  }
});

/** Without limits of assets that this desk does not have. */
function fewAssets(): Config {
  const config = settings();
  return { ...config, signer: { ...config.signer, limits: { ...config.signer.limits, assets: {}, chains: {} } } };
}

test('each process needs its own key and no other, and the signer must know its public half', () => {
  const config = fewAssets();
  const { api, engine, hash } = config.keys;
  const { binders } = config.signer;
  const keys = (given: object) => checkConfig({ ...config, keys: { hash, ...given } }, ['/keys/api', '/keys/engine']);
  assert.equal(ownBinder(keys({ api }), 'api').publicKey, binders.api[0]);
  assert.equal(ownBinder(keys({ engine }), 'engine').publicKey, binders.engine[0]);
  assert.throws(() => ownBinder(keys({ engine }), 'api'), /\/keys\/api is not in the settings of this role/);
  assert.throws(() => ownBinder(keys({ api }), 'engine'), /\/keys\/engine is not in the settings of this role/);
  const lacks = /\/keys\/api has the public half [0-9a-f]{64}, which \/signer\/binders\/api lacks/;
  assert.throws(() => keys({ api: engine }), lacks);
  assert.throws(() => keys({ binding: api }), /\/keys\/binding/);
  const one = { api: binders.api, engine: [...binders.engine, ...binders.api] };
  const shared = /is the key of two, and API, engine and approvers each need their own/;
  assert.throws(() => checkConfig({ ...config, signer: { ...config.signer, binders: one } }), shared);
  const approving = (approvers: readonly string[]) =>
    checkConfig({ ...config, signer: { ...config.signer, approval: { aboveUsd: '5000', approvers } } });
  for (const taken of [binders.api, binders.engine])
    assert.throws(() => approving(taken), shared, 'nobody approves himself');
  assert.deepEqual(signerConfigOf(approving(['ab'.repeat(32)])).approval, {
    above: 5_000_000_000n,
    approvers: ['ab'.repeat(32)],
  });
  for (const wrong of [{ ...binders, api: [] }, { ...binders, engine: ['00'] }, { api: binders.api }])
    assert.throws(() => checkConfig({ ...config, signer: { ...config.signer, binders: wrong } }), /\/signer\/binders/);
});

test('sockets of the signer: closed to all but its own user, unless the settings say otherwise, and never open to everybody', () => {
  const config = fewAssets();
  const doors = (given: object) =>
    signerConfigOf(checkConfig({ ...config, signer: { ...config.signer, ...given } })).doors;
  const { socket, apiSocket } = config.signer;
  assert.deepEqual(doors({}), [
    { path: socket, mode: 0o600, group: undefined, calls: 'all' },
    { path: apiSocket, mode: 0o600, group: undefined, calls: 'public' },
  ]);
  assert.deepEqual(doors({ socketMode: '0660', socketGroup: 991, apiSocketMode: '0620', apiSocketGroup: 992 }), [
    { path: socket, mode: 0o660, group: 991, calls: 'all' },
    { path: apiSocket, mode: 0o620, group: 992, calls: 'public' },
  ]);
  const [{ group } = {}] = doors({ socketMode: '0660', socketGroup: 'root' });
  assert.equal(group, 0, 'a group of this computer, by its name');
  assert.throws(() => doors({ socketGroup: 'wherry-nobody' }), /this computer has no group wherry-nobody/);
  for (const socketMode of ['0666', '0777', '0602', '660', '0o660', 'rw'])
    assert.throws(() => doors({ socketMode }), /\/signer\/socketMode/, socketMode);
  assert.throws(() => doors({ socketGroup: -1 }), /\/signer\/socketGroup/);
  const { passphrase: _, ...without } = config.signer;
  const forOthers = checkConfig({ ...config, signer: without }, ['/signer/passphrase']);
  assert.throws(() => signerConfigOf(forOthers), /\/signer\/passphrase is not in the settings of this role/);
});

test('what leaves on the engine’s word is limited below what leaves at all', () => {
  const config = fewAssets();
  const { limits } = config.signer;
  const within = (usdPerDay: string) =>
    signerConfigOf({
      ...config,
      signer: { ...config.signer, limits: { ...limits, engine: { usdPerTransfer: '10', usdPerDay } } },
    }).limits.engine;
  assert.deepEqual(within('20'), { usdPerTransfer: 10_000_000n, usdPerDay: 20_000_000n });
  for (const most of [limits.usdPerDay, `${limits.usdPerDay}0`])
    assert.throws(() => within(most), /\/signer\/limits\/engine\/usdPerDay must be below/);
});
