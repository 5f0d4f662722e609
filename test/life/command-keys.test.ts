import assert from 'node:assert/strict';
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { sha256Hex } from '../../src/kernel/secret.ts';
import { firstDesk, openWherry, type Wherry } from './wherry.ts';

let wherry: Wherry;
before(async () => {
  wherry = await openWherry();
  await firstDesk(wherry);
});
after(() => wherry.close());

const at = (...names: readonly string[]) => wherry.at(...names);
const settings = (role: string) => wherry.settings(role);
const secretsOf = (role: string) => wherry.secretsOf(role);

test('operators get tokens one by one: only hashes are kept, and an old one ends when it is retired', async () => {
  const first = (await wherry.run(['operator', 'new', '--name', 'ada', '--json'])).json();
  const file = at('ada-token');
  assert.equal((await wherry.run(['operator', 'new', '--name', 'ada', '--token-to', file])).code, 0);
  assert.equal((await wherry.run(['operator', 'new', '--name', 'guest', '--read-only'])).code, 0);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const second = readFileSync(file, 'utf8').trim();
  const people = () => settings('api').operator.people;
  const [hash, newHash] = [first.token, second].map(sha256Hex);
  assert.deepEqual(people()[0], { name: 'ada', tokenHashes: [newHash, hash] });
  assert.deepEqual([people()[1].name, people()[1].readOnly], ['guest', true]);
  assert.ok(!readFileSync(at('desk.json'), 'utf8').includes(second));
  assert.match((await wherry.run(['config', 'check', 'api'])).out, /ok +operators: ada, guest may come in/);
  await wherry.run(['operator', 'retire', '--name', 'ada']);
  assert.deepEqual(people()[0], { name: 'ada', tokenHashes: [newHash] });
  await wherry.run(['operator', 'retire', '--name', 'ada', '--all']);
  assert.equal(people().length, 1);
  const missing = await wherry.run(['operator', 'retire', '--name', 'eve']);
  assert.deepEqual([missing.code, /there is no operator eve/.test(missing.err)], [1, true]);
});

test("a new token changes nothing of what its owner may do, and what would be refused leaves the desk's file alone", async () => {
  const people = (): readonly { name: string; readOnly?: boolean; tokenHashes: string[] }[] =>
    settings('api').operator.people;
  const asNew = (...more: string[]) => wherry.run(['operator', 'new', '--name', ...more]);
  assert.equal((await asNew('reader', '--read-only')).code, 0);
  const { readOnly } = (await asNew('reader', '--json')).json();
  const reader = people().find(({ name }) => name === 'reader');
  assert.deepEqual([readOnly, reader?.readOnly, reader?.tokenHashes.length], [true, true, 2]);

  assert.equal((await asNew('acts')).code, 0);
  const desk = () => readFileSync(at('desk.json'), 'utf8');
  const before = desk();
  const demoted = await asNew('acts', '--read-only');
  assert.deepEqual(
    [demoted.code, /acts may act: .*retire --name acts --all/.test(demoted.err)],
    [2, true],
    demoted.err,
  );
  const shared = await asNew('operator');
  assert.deepEqual([shared.code, /the name operator that is taken/.test(shared.err)], [1, true], shared.err);
  assert.equal(desk(), before);

  for (const _ of [2, 3, 4]) assert.equal((await asNew('acts')).code, 0);
  const full = desk();
  const fifth = await asNew('acts');
  assert.deepEqual([fifth.code, /acts has 4 tokens: .*retire/.test(fifth.err)], [2, true], fifth.err);
  assert.equal(desk(), full);
  assert.equal((await wherry.run(['config', 'init'])).code, 0, 'everything goes on');
});

test('the key that hides things at rest is replaced, and the old one goes with the api until it is retired', async () => {
  const before = secretsOf('api')['keys-hash'];
  assert.equal((await wherry.run(['key', 'rotate'])).code, 0);
  const rotated = secretsOf('api');
  assert.deepEqual([rotated['keys-oldHashes-1'], rotated['keys-hash'] === before], [before, false]);
  assert.ok(!('oldHashes' in settings('engine').keys) && !('oldHashes' in settings('signer').keys));
  assert.equal((await wherry.run(['config', 'init'])).code, 0);
  assert.deepEqual(secretsOf('api'), rotated, 'it stays so');
  await wherry.run(['key', 'rotate']);
  assert.equal(secretsOf('api')['keys-oldHashes-2'], before);
  assert.deepEqual((await wherry.run(['key', 'retire', '--json'])).json(), { ended: 2 });
  const left = [...readdirSync(wherry.dir), ...readdirSync(at('api'))].filter((name) => /old|before/.test(name));
  assert.deepEqual(left, []);
});

test("an engine's key that was replaced goes with the engine, and with nobody else", async () => {
  const old = secretsOf('engine')['keys-engine'] ?? '';
  const [publicHalf] = settings('signer').signer.binders.engine;
  const moved = at('keys-engine-before');
  renameSync(at('engine', 'keys-engine'), moved);
  wherry.edit(({ signer, ...desk }) => ({
    ...desk,
    keys: { ...(desk['keys'] as object | undefined), oldEngines: [{ file: 'keys-engine-before' }] },
    signer: { ...signer, binders: { engine: [publicHalf] } },
  }));
  const { code, err } = await wherry.run(['config', 'init']);
  assert.equal(code, 0, err);
  const now = secretsOf('engine');
  assert.deepEqual([now['keys-oldEngines-1'], now['keys-engine'] === old], [old, false]);
  assert.equal(settings('signer').signer.binders.engine.length, 2);
  for (const role of ['api', 'signer']) assert.ok(!Object.values(secretsOf(role)).includes(old), role);
});

test('what will be in the environment of a role stays there, and what is there already is checked', async () => {
  const before = readFileSync(at('desk.json'), 'utf8');
  wherry.edit(({ chains, ...desk }) => ({
    ...desk,
    database: { owner: { env: 'OWNERS_DB' }, engine: { env: 'ENGINES_DB' }, api: { env: 'APIS_DB' } },
    operator: { ...(desk['operator'] as object), token: { env: 'OPERATORS' } },
    chains: { ...chains, evm: [{ chainId: 42161, rpcUrl: { env: 'NODE' } }] },
    providers: { bridge: { url: 'http://127.0.0.1:1', key: 'our key at another desk' } },
  }));
  const { code, err } = await wherry.run(['config', 'init']);
  assert.equal(code, 0, err);
  assert.deepEqual(settings('engine').database, { env: 'ENGINES_DB' });
  assert.deepEqual(settings('api').database, { env: 'APIS_DB' });
  assert.deepEqual(settings('engine').chains.evm[0].rpcUrl, { env: 'NODE' });
  assert.deepEqual(
    [settings('api').operator.token, settings('engine').operator.token],
    [{ env: 'OPERATORS' }, undefined],
  );
  assert.match((await wherry.run(['start', 'engine'])).err, /is kept in \w+, which is not set/);

  const wrong = await wherry.run(['config', 'init'], { env: { NODE: 'ftp://127.0.0.1' } });
  assert.deepEqual([wrong.code, /\/chains\/evm\/0\/rpcUrl/.test(wrong.err)], [1, true], wrong.err);

  assert.equal(secretsOf('engine')['providers-bridge-key'], 'our key at another desk');
  for (const role of ['signer', 'api'])
    assert.ok(!readFileSync(at(role, 'settings.json'), 'utf8').includes('our key at another desk'), role);
  writeFileSync(at('desk.json'), before, { mode: 0o600 });
  assert.equal((await wherry.run(['config', 'init'])).code, 0);
});

test("an api's key in the environment is bound by what the file says of it, or by itself where it is there", async () => {
  const before = readFileSync(at('desk.json'), 'utf8');
  const kept = secretsOf('api')['keys-api'] ?? '';
  const [publicHalf] = settings('signer').signer.binders.api;
  wherry.edit((desk) => ({ ...desk, keys: { ...(desk['keys'] as object), api: { env: 'APIS_KEY' } } }));
  const there = await wherry.run(['config', 'init'], { env: { APIS_KEY: kept } });
  assert.equal(there.code, 0, there.err);
  assert.ok(settings('signer').signer.binders.api.includes(publicHalf));
  assert.deepEqual(settings('api').keys.api, { env: 'APIS_KEY' });
  const nobodys = await wherry.run(['config', 'init']);
  assert.deepEqual([nobodys.code, /\/signer\/binders\/api/.test(nobodys.err)], [1, true], nobodys.err);
  writeFileSync(at('desk.json'), before, { mode: 0o600 });
  assert.equal((await wherry.run(['config', 'init'])).code, 0);
});
