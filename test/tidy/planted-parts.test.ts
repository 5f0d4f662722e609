import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build, stop } from 'esbuild';
import { inOneFile } from '../../sandbox/bundle.ts';
import { familiesNamedElsewhere } from './family-names.ts';
import { readRepository } from './source.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A copy of the house in which new parts are planted, to see which places would have to know them. */
let copy: string;

before(async () => {
  copy = await mkdtemp(join(tmpdir(), 'wherry-planted-'));
  for (const part of ['src', 'sandbox', 'scripts', 'sdk', 'web', 'tsconfig.json', 'package.json'])
    await cp(join(ROOT, part), join(copy, part), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
});

after(async () => {
  await stop();
  await rm(copy, { recursive: true, force: true });
});

async function plant(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(copy, path)), { recursive: true });
  await writeFile(join(copy, path), text);
}

/** The one place in a file that must be there for the plant to mean anything. */
async function change(path: string, from: RegExp, to: string): Promise<void> {
  const text = await readFile(join(copy, path), 'utf8');
  assert.match(text, from, path);
  await plant(path, text.replace(from, to));
}

function run(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: copy, maxBuffer: 2 ** 24 }, (_, out, trouble) => resolve(out + trouble));
  });
}

/** What a script that stands in the copy prints, as JSON. */
async function ask(script: string): Promise<unknown> {
  await plant('asked.ts', script);
  const program = join(copy, 'dist/asked.js');
  await build(inOneFile(join(copy, 'asked.ts'), program));
  const told = await run(process.execPath, [program]);
  try {
    return JSON.parse(told);
  } catch {
    return assert.fail(told.slice(0, 2_000));
  }
}

const RULES = `{
  facts: {
    id: chainId(4711), name: 'Dummy', family: 'dummy', nativeSymbol: 'DUM', minSwapUsd: 1, addressExample: 'dum',
    assets: [{ id: assetId(chainId(4711), 'DUM' as TokenId), chainId: chainId(4711), token: 'DUM' as TokenId,
      symbol: 'DUM', name: 'Dummy', decimals: 8, native: true }],
    deposits: 'top_up', collectsTokens: false, feePayer: 'sender', feeField: undefined, requiredConfirmations: 1,
    largeConfirmations: 1, depositSeconds: 1, payoutSeconds: 1, stuck: { afterMs: 1000, remedy: 'send_again' },
  },
  parseAddress: (text) => (text === 'dum' ? ('dum' as Address) : undefined),
  parseToken: () => undefined,
  refusesDestination: () => undefined,
  depositUri: (address) => address,
}`;

/** The three parts that a family brings: its chains, its keys and rail, and its place in the sandbox. */
const FAMILY = {
  'src/world/chains/dummy/family.ts': `
import { Type } from '@sinclair/typebox';
import { type Address, assetId, chainId, type TokenId } from '../../../kernel/ids.ts';
import { exact, Url } from '../../settings-shapes.ts';
import type { ChainRules } from '../chain.ts';
import type { Family } from '../family.ts';
const rules: ChainRules = ${RULES};
export const dummy: Family = {
  name: 'dummy',
  settings: { dummy: Type.Optional(exact({ url: Url })) },
  chains: (settings: { dummy?: { url: string } }) =>
    settings.dummy ? [{ rules, scanFrom: undefined, look: async () => {}, open: () => Promise.reject(new Error('planted')) }] : [],
};`,
  'src/signer/rails/dummy.ts': `
import type { Address, AssetId } from '../../kernel/ids.ts';
import { chainId } from '../../kernel/ids.ts';
import type { RailFamily } from '../family.ts';
export const dummy: RailFamily = {
  name: 'dummy',
  open: (settings: { dummy?: unknown }, { tree }) => {
    if (!settings.dummy) return [];
    const keys = tree.branch("m/44'/4711'/0'/0", "m/44'/4711'/1'/0/0");
    const planted = () => { throw new Error('planted'); };
    return [{
      family: 'dummy',
      rail: {
        chains: [chainId(4711)], hasNonces: false, nativeAsset: () => '4711:DUM' as AssetId, canonical: () => undefined,
        addressOf: () => 'dum' as Address, objection: () => undefined, outbids: () => false,
        sign: planted, tell: planted, giveBack: async () => {},
      },
      publicKeys: async () => ({ hot: 'dum' as Address, xpub: keys.xpub }),
    }];
  },
};`,
  'sandbox/families/dummy.ts': `
import type { BoxFamily } from '../family.ts';
export const dummy: BoxFamily = {
  name: 'dummy',
  real: { missing: () => 'a dummy node' },
  limits: [{ chainId: 4711, assets: [{ id: '4711:DUM', decimals: 8 }], gas: '0', cost: '7' }],
  freshAddress: () => 'dum',
  start: () => Promise.reject(new Error('planted')),
};`,
};

/** One line each, and the import that goes with it. */
const LISTS = {
  'src/world/chains/index.ts': ["import { dummy } from './dummy/family.ts';", /(FAMILIES: readonly Family\[\] = \[)/],
  'src/signer/rails/index.ts': ["import { dummy } from './dummy.ts';", /(RAIL_FAMILIES: readonly RailFamily\[\] = \[)/],
  'sandbox/families.ts': [
    "import { dummy } from './families/dummy.ts';",
    /(BOX_FAMILIES: readonly BoxFamily\[\] = \[)/,
  ],
} as const;

const KNOWN = `
import { chooseNodes } from './sandbox/node-choice.ts';
import { freshAddresses } from './sandbox/fresh-addresses.ts';
import { portsFrom, secretsOf, writeConfig } from './sandbox/config.ts';
import { makeFolders, places } from './sandbox/files.ts';
import { evmSettings } from './sandbox/families/evm.ts';
import { moneroSettings } from './sandbox/families/monero.ts';
import { knownTree } from './sandbox/seed.ts';
import { hotAddresses, rulesOf } from './src/app/wiring/chains.ts';
import type { PublicKeys } from './src/signer/request.ts';
import { RAIL_FAMILIES } from './src/signer/rails/index.ts';
const url = 'http://localhost:1';
const at = places('box');
makeFolders(at);
const secrets = secretsOf(at);
const told = (work: () => unknown) => { try { return work(); } catch (error) { return String(error); } };
const monero = { daemonUrl: url, view: url, spend: url };
const chains = {
  ...evmSettings([{ chainId: 42161, rpcUrl: url }]),
  ...moneroSettings(monero, secrets.walletPassword),
  dummy: { url },
};
const settings = () => writeConfig(at, portsFrom(9000), secrets, { database: 'postgres://x', chains, venueUrl: url });
const around = { tree: knownTree(), isPromised: () => false, outbound: () => Promise.reject(new Error('nobody')) };
const rails = RAIL_FAMILIES.flatMap((family) => family.open({ evm: [], dummy: { url } }, around));
const keys = Object.fromEntries(await Promise.all(rails.map(async (one) => [one.family, await one.publicKeys()])));
const every = { monero: { hot: 'm' }, evm: { hot: 'e' }, venue: { hot: 'v' }, ...keys } as unknown as PublicKeys;
const config = told(settings) as ReturnType<typeof settings>;
console.log(JSON.stringify({
  settings: typeof config === 'string' ? config : 'taken',
  chains: typeof config === 'string' ? [] : rulesOf(config).map(({ facts }) => facts.name),
  hot: typeof config === 'string' ? '' : hotAddresses(config, every).get(4711 as never),
  limits: typeof config === 'string' ? '' : config.signer.limits.chains['4711'],
  keys: Object.keys(keys),
  nodes: chooseNodes('simulated').dummy,
  address: told(() => freshAddresses()(4711)),
}));`;

test('a family of chains is known once its three lines are in the three lists, and nobody else names it', async () => {
  for (const [path, text] of Object.entries(FAMILY)) await plant(path, text);
  const before = (await ask(KNOWN)) as Record<string, unknown>;
  assert.match(String(before.settings), /chains\/dummy Unexpected property/);
  assert.deepEqual([before.keys, before.nodes], [['evm'], undefined]);
  assert.match(String(before.address), /addresses of chain 4711/);

  for (const [path, [line, list]] of Object.entries(LISTS)) {
    await change(path, list, '$1dummy, ');
    await change(path, /^/, `${line}\n`);
  }
  assert.deepEqual(await ask(KNOWN), {
    settings: 'taken',
    chains: ['Dummy', 'Monero', 'Arbitrum'],
    hot: 'dum',
    limits: { gas: '0', gasPerDay: '0', cost: '7', costPerDay: '70000' },
    keys: ['dummy', 'evm'],
    nodes: 'simulated',
    address: 'dum',
  });
  assert.deepEqual(familiesNamedElsewhere(readRepository(copy)), []);
});

const NETWORK = `
  {
    id: 4712,
    name: 'Dummy Network',
    coin: ['DUM', 'Dummy'],
    tokens: [usdc('0x1111111111111111111111111111111111111111')],
    finality: { small: { depth: 1 }, large: { depth: 2 } },
    depositSeconds: 1,
    payoutSeconds: 1,
    stuckSeconds: 1,
  },`;

test('an EVM network is known by its one line', async () => {
  const asking = `
import { BOX_FAMILIES } from './sandbox/families.ts';
import { FAMILIES } from './src/world/chains/index.ts';
const settings = { evm: [{ chainId: 4712, rpcUrl: 'http://localhost:1' }] };
const told = (work: () => unknown) => { try { return work(); } catch (error) { return String(error); } };
console.log(JSON.stringify({
  facts: told(() => FAMILIES.filter(({ name }) => name === 'evm').flatMap((one) => one.chains(settings)).map(({ rules }) => [
    rules.facts.name, rules.facts.assets.map(({ symbol }) => symbol), rules.facts.largeConfirmations])),
  played: BOX_FAMILIES.flatMap(({ limits }) => limits).some(({ chainId }) => chainId === 4712),
}));`;
  const before = (await ask(asking)) as Record<string, unknown>;
  assert.match(String(before.facts), /4712/);
  assert.equal(before.played, false);
  await change('src/world/chains/evm/networks.ts', /(const LINES: readonly NetworkLine\[\] = \[)/, `$1${NETWORK}`);
  assert.deepEqual(await ask(asking), { facts: [['Dummy Network', ['DUM', 'USDC'], 2]], played: true });
});

test('the compiler leads from a new phase to the places that docs/TASKS.md names, and to no other', async () => {
  const [, chapter = ''] =
    /## An order state\n([\s\S]*?)\n## /.exec(await readFile(join(ROOT, 'docs/TASKS.md'), 'utf8')) ?? [];
  const named = [...chapter.matchAll(/`((?:src|test)\/[^`]+\.ts)`/g)].map(([, path]) => path);
  await change('src/life/order/state.ts', /(export type State =\n)/, "$1  | { readonly phase: 'dummy' }\n");
  await change('tsconfig.json', /"include": \[[^\]]*\]/, '"include": ["src"]');
  const errors = await run(join(ROOT, 'node_modules/.bin/tsc'), ['--noEmit', '--pretty', 'false']);
  const places = new Set([...errors.matchAll(/^(src\/[^(]+)\(\d+,\d+\): error/gm)].map(([, path = '']) => path));
  assert.ok(places.size > 0, 'the compiler finds no place');
  assert.deepEqual(
    [...places].filter((path) => !named.includes(path)),
    [],
    'places that docs/TASKS.md does not name',
  );
});
