import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../sandbox/root.ts';
import { packagesOfService } from '../../scripts/build.ts';

const read = (file: string) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'));

const service = packagesOfService();

test('the dependencies are what the built service loads, no more and no less', async () => {
  const { dependencies } = read('package.json') as { dependencies: Record<string, string> };
  const { loaded, later, taken } = await service;
  assert.deepEqual(Object.keys(dependencies).sort(), loaded);
  assert.deepEqual(later, [], 'what was built in has what it loads later with it');
  assert.deepEqual(taken, ['abitype', 'viem']);
});

test('whoever asks for help loads none of them, and the signer no page, no server of pages and no database', async () => {
  const { loadedWith } = await service;
  assert.deepEqual(loadedWith('src/app/main.ts'), []);
  const parts = ['src/app/command/start.ts', 'src/signer/start-signer.ts', 'src/app/wiring/signer.ts'];
  const signer = new Set(parts.flatMap(loadedWith));
  assert.ok(signer.has('@noble/curves') && signer.has('pino'), [...signer].join());
  const others = ['fastify', '@fastify/websocket', '@fastify/swagger', 'pg', 'preact', 'preact-render-to-string', 'qr'];
  assert.deepEqual(
    others.filter((name) => signer.has(name)),
    [],
  );
  assert.ok(loadedWith('src/app/api.ts').includes('fastify'), 'it is seen where it is');
});

test('the lock file says the same, so that an installation without the rest can run', () => {
  const manifest = read('package.json') as Record<string, Record<string, string>>;
  const { packages } = read('package-lock.json') as { packages: Record<string, Record<string, unknown>> };
  for (const kind of ['dependencies', 'devDependencies']) assert.deepEqual(packages['']?.[kind], manifest[kind], kind);
  const marked = Object.keys(manifest.dependencies ?? {}).filter(
    (name) => packages[`node_modules/${name}`]?.dev === true,
  );
  assert.deepEqual(marked, [], 'left out by npm ci --omit=dev');
});

interface Locked {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly engines?: { readonly node?: string };
}

/** What `npm ci --omit=dev` puts on a server, by its place in the lock file. */
const inProduction = (): readonly (readonly [string, Locked])[] =>
  Object.entries((read('package-lock.json') as { packages: Record<string, Locked> }).packages).filter(
    ([place, { dev }]) => place.startsWith('node_modules/') && dev !== true,
  );

test('nothing that a server installs is for development only, or asks for a newer Node than is promised', () => {
  const installed = inProduction();
  assert.ok(installed.length > 50);
  assert.deepEqual(
    installed.filter(([, { devOptional }]) => devOptional).map(([place]) => place),
    [],
  );
  const { engines } = read('package.json') as { engines: { node: string } };
  assert.equal(engines.node, '>=20.19');
  const newer = installed.filter(
    ([, { engines }]) =>
      /(?:>=?|\^)\s*(?:2[1-9]|[3-9]\d)/.test(engines?.node ?? '') && !/\b(?:18|20)\b/.test(engines?.node ?? ''),
  );
  assert.deepEqual(
    newer.map(([place]) => place),
    [],
  );
});

/** The bytes of one package, without those that lie in it and are listed by themselves. */
const bytesOf = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? sum : sum + bytesOf(path);
    return sum + statSync(path).size;
  }, 0);

test('a server installs less than 60 MB', () => {
  const bytes = inProduction().reduce((sum, [place]) => sum + bytesOf(join(ROOT, place)), 0);
  assert.ok(bytes > 10_000_000 && bytes < 60_000_000, `${bytes} bytes`);
});

/** The package server of this build did not have these files, which only other platforms install and only to develop. */
const UNSEEN = /^node_modules\/(@biomejs\/cli-|@foundry-rs\/anvil-)/;

test('whatever is installed is proven by its hash, on every platform, and no server is prescribed', () => {
  const { packages } = read('package-lock.json') as { packages: Record<string, Record<string, unknown>> };
  const foreign = Object.entries(packages).filter(([name]) => name.startsWith('node_modules/'));
  assert.ok(foreign.length > 100);
  assert.deepEqual(
    foreign.filter(([, { resolved, link }]) => !link && resolved !== undefined).map(([name]) => name),
    [],
  );
  const unproven = foreign.filter(([, { link, integrity }]) => !link && !/^sha512-/.test(String(integrity)));
  const excused = unproven.filter(([name, { dev, optional, os }]) => dev && optional && os && UNSEEN.test(name));
  assert.deepEqual(
    unproven.filter((one) => !excused.includes(one)).map(([name]) => name),
    [],
  );
});
