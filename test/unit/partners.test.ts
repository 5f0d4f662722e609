import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base32nopad } from '@scure/base';
import fc from 'fast-check';
import { instant } from '../../src/kernel/clock.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { isRefusal } from '../../src/kernel/refusal.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { claimedKey, hashOfKey, isTypedRight, newKey } from '../../src/partners/api-key.ts';
import type { FeeAddressParsers } from '../../src/partners/fee-address.ts';
import {
  checkChange,
  DEFAULT_LIMITS,
  type Integration,
  type IntegrationChange,
} from '../../src/partners/integration.ts';
import { openKeyAuthentication } from '../../src/partners/key-authentication.ts';
import type { KeyRecord } from '../../src/partners/partner-records.ts';
import { parseBitcoinAddress } from '../../src/world/chains/bitcoin/address-codec.ts';
import { BITCOIN } from '../../src/world/chains/bitcoin/networks.ts';
import { parseSolanaAddress } from '../../src/world/chains/solana/address-codec.ts';

const HASH_KEY = new Secret(new Uint8Array(32).fill(7));
let next = 0;
const random = (length: number) =>
  Uint8Array.from({ length }, () => {
    next = (next * 31 + 17) % 251;
    return next;
  });

const ACME: Integration = {
  integrationId: 'int_acme',
  name: 'Acme',
  status: 'active',
  createdAt: instant(0),
  feePercent: 0.5,
  feeAddress: '0xfee' as Address,
  feeAddressSol: undefined,
  feeAddressBtc: undefined,
  pending: {},
  limits: DEFAULT_LIMITS,
  forwarding: undefined,
};

const parsers: FeeAddressParsers = {
  feeAddress: (text) => (text.startsWith('0x') ? (text as Address) : undefined),
  feeAddressSol: parseSolanaAddress,
  feeAddressBtc: (text) => parseBitcoinAddress(BITCOIN, text),
};

const parsedKey = (text: string) => (isTypedRight(text) ? claimedKey(text) : undefined);

test('a key names its kind and id, and every typing error is found', () => {
  const key = newKey('server', random);
  assert.match(key.text, /^wh_s_[a-z2-7]{16}_[a-z2-7]{54}$/);
  assert.deepEqual(parsedKey(key.text), { kind: 'server', keyId: key.keyId });
  assert.equal(parsedKey(newKey('public', random).text)?.kind, 'public');
  for (let at = 0; at < key.text.length; at += 1) {
    const other = key.text[at] === 'a' ? 'b' : 'a';
    assert.equal(parsedKey(key.text.slice(0, at) + other + key.text.slice(at + 1)), undefined, `at ${at}`);
  }
  assert.equal(parsedKey(key.text.slice(0, -1)), undefined);
  assert.equal(parsedKey(`${key.text}a`), undefined);
  assert.equal(parsedKey('wh_s_'.repeat(1_000_000)), undefined);
});

test('no text at all breaks the parser', () =>
  fc.assert(fc.property(fc.string(), (text) => parsedKey(text) === undefined)));

test('two keys share nothing, and their hashes depend on the secret of the desk', () => {
  const [one, two] = [newKey('server', random), newKey('server', random)];
  assert.notEqual(one.keyId, two.keyId);
  assert.notEqual(hashOfKey(HASH_KEY, one.text), hashOfKey(HASH_KEY, two.text));
  assert.notEqual(hashOfKey(HASH_KEY, one.text), hashOfKey(new Secret(new Uint8Array(32)), one.text));
});

/** A door over a book that a test can change, with the number of look-ups. */
function doorOver(records: Map<string, KeyRecord>) {
  let now = 0;
  let lookups = 0;
  const findKey = async (keyId: string) => {
    lookups += 1;
    return records.get(keyId);
  };
  const door = openKeyAuthentication({ findKey, touchKey: async () => {}, find: async () => undefined }, [HASH_KEY], {
    now: () => instant(now),
  });
  return { caller: door.caller, lookups: () => lookups, wait: (ms: number) => (now += ms) };
}

function issued(kind: 'server' | 'public' = 'server') {
  const key = newKey(kind, random);
  const record: KeyRecord = { ...key, hash: hashOfKey(HASH_KEY, key.text), revoked: false, integration: ACME };
  return { key, record, records: new Map([[key.keyId, record]]) };
}

const kindOf = (answer: unknown) => (isRefusal(answer) ? answer.refusal : answer);

test('the door knows the partner behind a key, and nobody without one', async () => {
  const { key, records } = issued('public');
  const door = doorOver(records);
  assert.equal(await door.caller(undefined), undefined);
  const { status: _, createdAt: __, pending: ___, ...partner } = ACME;
  assert.deepEqual(await door.caller(key.text), { keyId: key.keyId, kind: 'public', ...partner });
});

test('a wrong, malformed, unknown or foreign key is invalid', async () => {
  const { key, records } = issued();
  const door = doorOver(records);
  assert.equal(kindOf(await door.caller('')), 'invalid_key');
  assert.equal(kindOf(await door.caller('wh_s_x')), 'invalid_key');
  assert.equal(door.lookups(), 0);
  assert.equal(kindOf(await door.caller(newKey('server', random).text)), 'invalid_key');
  const forged = { ...issued().record, keyId: key.keyId };
  assert.equal(kindOf(await doorOver(new Map([[key.keyId, forged]])).caller(key.text)), 'invalid_key');
});

test('a key that was proven before proves no other with its name', async () => {
  const { key, records } = issued();
  const door = doorOver(records);
  assert.equal(isRefusal(await door.caller(key.text)), false);
  const secret = key.text.slice(-54, -6);
  const other = key.text.replace(
    secret,
    secret.replace(/^./, (first) => (first === 'a' ? 'b' : 'a')),
  );
  assert.equal(kindOf(await door.caller(other)), 'invalid_key');
  const named = newKey('server', (length) =>
    length === 10 ? base32nopad.decode(key.keyId.toUpperCase()) : random(length),
  );
  assert.equal(named.keyId, key.keyId);
  assert.notEqual(parsedKey(named.text), undefined);
  assert.equal(kindOf(await door.caller(named.text)), 'invalid_key');
  assert.equal(isRefusal(await door.caller(key.text)), false);
  assert.equal(door.lookups(), 1);
});

test('revoking and suspending are seen within ten seconds', async () => {
  const { key, record, records } = issued();
  const door = doorOver(records);
  await door.caller(key.text);
  records.set(key.keyId, { ...record, revoked: true });
  door.wait(9_999);
  assert.equal(isRefusal(await door.caller(key.text)), false);
  assert.equal(door.lookups(), 1);
  door.wait(1);
  assert.equal(kindOf(await door.caller(key.text)), 'invalid_key');
  records.set(key.keyId, { ...record, integration: { ...ACME, status: 'suspended' } });
  door.wait(10_000);
  assert.equal(kindOf(await door.caller(key.text)), 'invalid_key');
});

test('a book that failed once is asked again', async () => {
  const { key, record } = issued();
  let isDown = true;
  const findKey = async () => {
    if (isDown) throw new Error('down');
    return record;
  };
  const door = openKeyAuthentication({ findKey, touchKey: async () => {}, find: async () => undefined }, [HASH_KEY], {
    now: () => instant(0),
  });
  await assert.rejects(door.caller(key.text), /down/);
  isDown = false;
  assert.equal(isRefusal(await door.caller(key.text)), false);
});

test('fees reach from 0 to 5 with four decimals', async () => {
  const kind = (feePercent: number) => checkChange({ feePercent }, parsers).then(kindOf);
  for (const good of [0, 0.5, 0.1234, 5]) assert.notEqual(await kind(good), 'fee_too_high');
  for (const high of [5.0001, 50, Number.POSITIVE_INFINITY]) assert.equal(await kind(high), 'fee_too_high', `${high}`);
  for (const none of [-1, -0.0001, Number.NEGATIVE_INFINITY, 0.00001, 1e-7, Number.NaN])
    assert.equal(await kind(none), 'invalid_request', `${none}`);
});

test('fee addresses are checked by family', async () => {
  const kind = (change: IntegrationChange) => checkChange(change, parsers).then(kindOf);
  const sol = 'So11111111111111111111111111111111111111112';
  const btc = [
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
  ];
  assert.notEqual(await kind({ feeAddress: '0x1', feeAddressSol: sol }), 'invalid_address');
  for (const feeAddressBtc of btc) assert.notEqual(await kind({ feeAddressBtc }), 'invalid_address', feeAddressBtc);
  assert.notEqual(await kind({ feeAddressSol: null }), 'invalid_address');
  assert.equal(await kind({ feeAddress: 'nowhere' }), 'invalid_address');
  for (const feeAddressSol of ['', '0x1', `${sol}1`, '1'.repeat(100_000)])
    assert.equal(await kind({ feeAddressSol }), 'invalid_address');
  const wrong = [
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5',
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb',
    'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
    'bc1QW508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    sol,
  ];
  for (const feeAddressBtc of wrong) assert.equal(await kind({ feeAddressBtc }), 'invalid_address', feeAddressBtc);
});

test('approved servers are literal addresses, and forwarding has the limits of a client without a key', async () => {
  const change = (...approvedServerIps: string[]) =>
    checkChange({ forwarding: { enabled: true, approvedServerIps } }, parsers);
  assert.equal(kindOf(await change('10.0.0.0/8')), 'invalid_request');
  assert.equal(kindOf(await change('example.org')), 'invalid_request');
  const good = await change('203.0.113.7', '2001:db8::1');
  assert.ok(!isRefusal(good));
  assert.deepEqual(good.forwarding?.limits, { requestLimitPerMin: 50, createLimitPerMin: 5, maxOpenOrders: 20 });
});
