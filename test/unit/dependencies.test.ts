import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadedPackages } from '../../scripts/build.ts';

const read = (file: string) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'));

test('the dependencies are what the built service loads, no more and no less', async () => {
  const { dependencies } = read('package.json') as { dependencies: Record<string, string> };
  assert.deepEqual(Object.keys(dependencies).sort(), await loadedPackages());
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

/** The package server of this build did not have these files, which only other platforms install and only to develop. */
const UNSEEN = /^node_modules\/(@biomejs\/cli-|@foundry-rs\/anvil-)/;

test('whatever is installed is proven by its hash, on every platform, and no server is prescribed', () => {
  const { packages } = read('package-lock.json') as { packages: Record<string, Record<string, unknown>> };
  const foreign = Object.entries(packages).filter(([name]) => name !== '');
  assert.ok(foreign.length > 100);
  assert.deepEqual(
    foreign.filter(([, { resolved }]) => resolved !== undefined).map(([name]) => name),
    [],
  );
  const unproven = foreign.filter(([, { link, integrity }]) => !link && !/^sha512-/.test(String(integrity)));
  const excused = unproven.filter(([name, { dev, optional, os }]) => dev && optional && os && UNSEEN.test(name));
  assert.deepEqual(
    unproven.filter((one) => !excused.includes(one)).map(([name]) => name),
    [],
  );
});
