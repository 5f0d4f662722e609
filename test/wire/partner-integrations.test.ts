import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { isRefusal } from '../../src/kernel/refusal.ts';
import { patiently } from '../run/patience.ts';
import { FEE_ADDRESS, type PartnerBench, partnerBench } from './partner-bench.ts';

const DAY = 86_400_000;
const OTHER = '0x4444444444444444444444444444444444444444';
const THIRD = '0x3333333333333333333333333333333333333333';
const BTC = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa';
const SOL = 'So11111111111111111111111111111111111111112';
const NEW = { name: 'Shop', feePercent: 0.5, feeAddress: FEE_ADDRESS };

let bench: PartnerBench;
before(async () => {
  bench = await partnerBench();
});
after(() => bench.close());

/** An owner with a fresh integration. */
async function owner(change: object = {}) {
  const { account, cookie } = await bench.member();
  const made = await bench.as(cookie, 'POST', '/partner/integrations', { ...NEW, ...change });
  assert.equal(made.statusCode, 201, made.body);
  const path = `/partner/integrations/${made.json().integrationId}`;
  return { account, cookie, made: made.json(), path };
}

const codeOf = (reply: { readonly statusCode: number; json(): { readonly code?: string } }) => [
  reply.statusCode,
  reply.json().code,
];

test('an integration is active at once, its maker owns it, and it is known by its members alone', async () => {
  const { account, cookie, made, path } = await owner();
  assert.deepEqual(made, {
    integrationId: made.integrationId,
    ...NEW,
    status: 'active',
    feeAddressSol: null,
    feeAddressBtc: null,
    pendingChange: null,
    limits: {
      requestLimitPerMin: 600,
      createLimitPerMin: 60,
      quoteLimitPerMin: 600,
      keyRequestLimitPerMin: 300,
      maxOpenOrders: 200,
      openOrderWindowMinutes: 1440,
    },
    members: [{ address: account.address, role: 'owner' }],
    createdAt: made.createdAt,
  });
  assert.deepEqual((await bench.as(cookie, 'GET', path)).json(), made);
  const { integrations } = (await bench.as(cookie, 'GET', '/partner/me')).json();
  assert.deepEqual(integrations, [{ integrationId: made.integrationId, name: 'Shop', role: 'owner' }]);
  const stranger = await bench.member();
  const paths = [path, `${path}/keys`, `${path}/report`, `${path}/orders`, `${path}/audit`, `${path}/webhooks`];
  for (const one of paths) {
    assert.deepEqual(codeOf(await bench.as(stranger.cookie, 'GET', one)), [404, 'not_found'], one);
    assert.deepEqual(codeOf(await bench.as(undefined, 'GET', one)), [401, 'not_signed_in'], one);
  }
  assert.deepEqual(codeOf(await bench.as(stranger.cookie, 'PATCH', path, { name: 'Mine' })), [404, 'not_found']);
  assert.deepEqual(codeOf(await bench.as(cookie, 'GET', '/partner/integrations/int_none')), [404, 'not_found']);
});

test('what is wrong with an integration has a name', async () => {
  const { cookie } = await bench.member();
  const make = async (change: object) =>
    codeOf(await bench.as(cookie, 'POST', '/partner/integrations', { ...NEW, ...change }));
  assert.deepEqual(await make({ feePercent: 5.1 }), [400, 'fee_too_high']);
  assert.deepEqual(await make({ feePercent: -0.5 }), [400, 'invalid_request']);
  assert.deepEqual(await make({ feeAddress: `0x${'0'.repeat(40)}` }), [400, 'address_refused']);
  assert.deepEqual(await make({ feeAddressSol: '11111111111111111111111111111111' }), [400, 'address_refused']);
  assert.deepEqual(await make({ feeAddressBtc: '1111111111111111111114oLvT2' }), [400, 'address_refused']);
  assert.deepEqual(await make({ feeAddress: 'nowhere' }), [400, 'invalid_address']);
  assert.deepEqual(await make({ feeAddressSol: '0x1' }), [400, 'invalid_address']);
  assert.deepEqual(await make({ feeAddressBtc: SOL }), [400, 'invalid_address']);
  assert.deepEqual(await make({ feeAddress: null }), [400, 'invalid_request']);
  assert.deepEqual(await make({ name: '' }), [400, 'invalid_request']);
  assert.deepEqual(await make({ name: 'a\u0000b' }), [400, 'invalid_request']);
  assert.deepEqual(await make({ limits: {} }), [400, 'invalid_request'], 'limits are the operator’s');
  assert.deepEqual(await make({ feePercent: '1' }), [400, 'invalid_request']);
});

test('each field of an integration that is wrong is named', async () => {
  const { cookie } = await bench.member();
  const wish = { ...NEW, feePercent: 9, feeAddressSol: '0x1', feeAddressBtc: SOL };
  const { details } = (await bench.as(cookie, 'POST', '/partner/integrations', wish)).json();
  const named = details.errors.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`);
  const wrong = ['feePercent fee_too_high', 'feeAddressSol invalid_address', 'feeAddressBtc invalid_address'];
  assert.deepEqual(named, wrong);
});

test('where the operator approves, an integration waits and its keys open nothing', async () => {
  const other = await partnerBench({ asksApproval: true });
  const { cookie } = await other.member();
  const made = (await other.as(cookie, 'POST', '/partner/integrations', NEW)).json();
  assert.equal(made.status, 'pending');
  const { key } = (
    await other.as(cookie, 'POST', `/partner/integrations/${made.integrationId}/keys`, { kind: 'server' })
  ).json();
  assert.deepEqual(codeOf(await other.key(key, 'GET', '/v2/integrator/me')), [401, 'invalid_key']);
  const by = { actor: 'operator', at: other.now() };
  await other.room.book.change(made.integrationId, { atOnce: { approved: true }, wait: {}, takeBack: [] }, by);
  other.wait(10_000);
  assert.equal((await other.key(key, 'GET', '/v2/integrator/me')).json().integrator.status, 'active');
  await other.close();
});

test('name and fee change at once, an address that is set a day later, each at its own time', async () => {
  const { cookie, path } = await owner();
  const patch = async (change: object) => (await bench.as(cookie, 'PATCH', path, change)).json();
  const first = await patch({ name: 'Store', feePercent: 1.25, feeAddress: OTHER, feeAddressBtc: BTC });
  assert.deepEqual([first.name, first.feePercent, first.feeAddress], ['Store', 1.25, FEE_ADDRESS]);
  assert.equal(first.feeAddressBtc, BTC, 'what was never set is set at once');
  const due = new Date(bench.now() + DAY).toISOString();
  assert.deepEqual(first.pendingChange, { feeAddress: { value: OTHER, effectiveAt: due } });
  bench.wait(60_000);
  const second = await patch({ feeAddressBtc: null });
  const later = new Date(bench.now() + DAY).toISOString();
  assert.deepEqual(second.pendingChange, {
    feeAddress: { value: OTHER, effectiveAt: due },
    feeAddressBtc: { value: null, effectiveAt: later },
  });
});

test('a change of address takes effect when its time has come, for quotes too, and not before', async () => {
  const { cookie, made, path } = await owner({ feeAddressBtc: BTC });
  const { key } = (await bench.as(cookie, 'POST', `${path}/keys`, { kind: 'server' })).json();
  await bench.as(cookie, 'PATCH', path, { feeAddress: OTHER, feeAddressBtc: null });
  const seen = async () => {
    const partner = await bench.deps.partners.caller(key);
    assert.ok(partner && !isRefusal(partner));
    return [partner.feeAddress, partner.feeAddressBtc];
  };
  bench.wait(DAY - 1);
  assert.deepEqual(await seen(), [FEE_ADDRESS, BTC]);
  bench.wait(1);
  assert.deepEqual(await seen(), [OTHER, undefined], 'whether or not anybody has written it down');
  await bench.room.book.settle(bench.now());
  bench.wait(10_000);
  assert.deepEqual(await seen(), [OTHER, undefined]);
  const kept = await bench.room.book.find(made.integrationId);
  assert.deepEqual([kept?.feeAddress, kept?.feeAddressBtc, kept?.pending], [OTHER, undefined, {}]);
  const [last] = await bench.room.book.audit(made.integrationId, 1);
  assert.deepEqual([last?.actor, last?.action], ['service', 'integration.address_effective']);
});

test('sending the old address again takes a change back, another one begins its own wait', async () => {
  const { cookie, path } = await owner();
  const patch = async (change: object) => (await bench.as(cookie, 'PATCH', path, change)).json().pendingChange;
  const { effectiveAt } = (await patch({ feeAddress: OTHER })).feeAddress;
  bench.wait(60_000);
  assert.equal(
    (await patch({ feeAddress: OTHER })).feeAddress.effectiveAt,
    effectiveAt,
    'asking again does not delay it',
  );
  const third = (await patch({ feeAddress: THIRD })).feeAddress;
  assert.deepEqual([third.value, Date.parse(third.effectiveAt) - Date.parse(effectiveAt)], [THIRD, 60_000]);
  assert.equal(await patch({ feeAddress: FEE_ADDRESS }), null);
  assert.deepEqual(codeOf(await bench.as(cookie, 'PATCH', path, { feeAddress: null })), [400, 'invalid_request']);
});

test('members have roles: viewers look, owners change, and the last owner stays', async () => {
  const { account, cookie, path } = await owner();
  const viewer = await bench.member();
  const at = (address: string) => `${path}/members/${address}`;
  const put = await bench.as(cookie, 'PUT', at(viewer.account.address.toLowerCase()), { role: 'viewer' });
  assert.equal(put.statusCode, 200);
  assert.deepEqual(put.json().members, [
    { address: account.address, role: 'owner' },
    { address: viewer.account.address, role: 'viewer' },
  ]);
  for (const read of ['', '/keys', '/report', '/orders', '/audit', '/webhooks']) {
    assert.equal((await bench.as(viewer.cookie, 'GET', path + read)).statusCode, 200, read);
  }
  const changes = [
    ['PATCH', '', { name: 'x' }],
    ['POST', '/keys', { kind: 'server' }],
    ['DELETE', '/keys/none', undefined],
    ['PUT', `/members/${account.address}`, { role: 'viewer' }],
    ['DELETE', `/members/${account.address}`, undefined],
    ['POST', '/webhooks', { url: 'https://example.org' }],
    ['DELETE', '/webhooks/none', undefined],
  ] as const;
  for (const [method, suffix, body] of changes) {
    const reply = await bench.as(viewer.cookie, method, path + suffix, body);
    assert.deepEqual(codeOf(reply), [403, 'forbidden'], method + suffix);
  }
  assert.deepEqual(codeOf(await bench.as(cookie, 'DELETE', at(account.address))), [409, 'last_owner']);
  assert.deepEqual(codeOf(await bench.as(cookie, 'PUT', at(account.address), { role: 'viewer' })), [409, 'last_owner']);
  assert.equal((await bench.as(cookie, 'PUT', at(viewer.account.address), { role: 'owner' })).statusCode, 200);
  const left = await bench.as(cookie, 'DELETE', at(account.address));
  assert.deepEqual([left.statusCode, left.body], [204, '']);
  assert.equal((await bench.as(cookie, 'GET', path)).statusCode, 404);
  assert.deepEqual(codeOf(await bench.as(viewer.cookie, 'DELETE', at(account.address))), [404, 'not_found']);
  assert.deepEqual(codeOf(await bench.as(viewer.cookie, 'PUT', at('0x12'), { role: 'owner' })), [
    400,
    'invalid_request',
  ]);
});

test('of two owners who leave at once one stays', async () => {
  const { account, cookie, path } = await owner();
  const second = await bench.member();
  await bench.as(cookie, 'PUT', `${path}/members/${second.account.address}`, { role: 'owner' });
  const left = await Promise.all([
    bench.as(cookie, 'DELETE', `${path}/members/${account.address}`),
    bench.as(second.cookie, 'DELETE', `${path}/members/${second.account.address}`),
  ]);
  assert.deepEqual(left.map(({ statusCode }) => statusCode).toSorted(), [204, 409]);
});

test('a key is shown once, has a name and a kind, tells when it was used, and is revoked again and again', async () => {
  const { cookie, path } = await owner();
  const made = await bench.as(cookie, 'POST', `${path}/keys`, { kind: 'server', name: 'backend' });
  assert.equal(made.statusCode, 201);
  const { keyId, key, prefix, kind, name, createdAt } = made.json();
  assert.deepEqual([kind, name], ['server', 'backend']);
  assert.ok(key.startsWith(`${prefix}_`) && prefix.startsWith('wh_s_'));
  const open = (await bench.as(cookie, 'POST', `${path}/keys`, { kind: 'public' })).json();
  assert.ok(open.prefix.startsWith('wh_p_') && open.name === null);
  const keys = async () => (await bench.as(cookie, 'GET', `${path}/keys`)).json().keys;
  const shown = (await keys()).find((one: { keyId: string }) => one.keyId === keyId);
  assert.deepEqual(shown, { keyId, kind, name, prefix, createdAt, lastUsedAt: null, revokedAt: null });
  assert.ok(!JSON.stringify(await keys()).includes(key));

  assert.equal((await bench.key(key, 'GET', '/v2/integrator/me')).statusCode, 200);
  // It is noted beside the answer, which does not wait for it.
  await patiently('the time of its use', 10_000, async ({ isOver }) => {
    for (;;) {
      const [used] = await bench.db.query(
        { name: 'test_used', text: 'SELECT last_used_at FROM integration_key WHERE id = $1' },
        [keyId],
      );
      if (used?.last_used_at !== null || isOver()) return assert.equal(Number(used?.last_used_at), bench.now());
    }
  });

  for (const _ of [1, 2]) assert.equal((await bench.as(cookie, 'DELETE', `${path}/keys/${keyId}`)).statusCode, 204);
  bench.wait(10_000);
  assert.deepEqual(codeOf(await bench.key(key, 'GET', '/v2/integrator/me')), [401, 'invalid_key']);
  const other = await owner();
  assert.deepEqual(codeOf(await bench.as(other.cookie, 'DELETE', `${other.path}/keys/${keyId}`)), [404, 'not_found']);
});

test('every change leaves its trace, an operator’s too, newest first and in pages', async () => {
  const { account, cookie, made, path } = await owner();
  const guest = privateKeyToAccount(generatePrivateKey());
  await bench.as(cookie, 'PATCH', path, { feePercent: 2, feeAddress: OTHER });
  await bench.as(cookie, 'PUT', `${path}/members/${guest.address}`, { role: 'viewer' });
  const { keyId } = (await bench.as(cookie, 'POST', `${path}/keys`, { kind: 'public', name: 'app' })).json();
  await bench.as(cookie, 'DELETE', `${path}/keys/${keyId}`);
  const by = { actor: 'operator', at: bench.now() };
  await bench.room.book.change(made.integrationId, { atOnce: { suspended: true }, wait: {}, takeBack: [] }, by);
  const all = (await bench.as(cookie, 'GET', `${path}/audit`)).json();
  const told = all.entries.map(({ actor, action }: { actor: string; action: string }) => [actor, action]);
  assert.deepEqual(told, [
    ['operator', 'integration.changed'],
    [account.address, 'key.revoked'],
    [account.address, 'key.created'],
    [account.address, 'member.set'],
    [account.address, 'integration.changed'],
    [account.address, 'integration.created'],
  ]);
  assert.deepEqual(all.entries[4].details, {
    changed: { feePercent: 2 },
    waiting: { feeAddress: { value: OTHER, effectiveAt: bench.now() + DAY } },
  });
  assert.equal(all.nextCursor, null);
  const walked: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = cursor === '' ? '?limit=4' : `?limit=4&cursor=${cursor}`;
    const page: { entries: unknown[]; nextCursor: string | null } = (
      await bench.as(cookie, 'GET', `${path}/audit${query}`)
    ).json();
    walked.push(...page.entries);
    cursor = page.nextCursor;
  }
  assert.deepEqual(walked, all.entries);
  assert.deepEqual(codeOf(await bench.as(cookie, 'GET', `${path}/audit?cursor=x.y`)), [400, 'invalid_cursor']);
  assert.equal((await bench.as(cookie, 'GET', path)).json().status, 'suspended');
});

test('the contract of the partner calls is there, names every call, and stays out of the contract of v2', async () => {
  const { paths, components } = (await bench.as(undefined, 'GET', '/partner/openapi.json')).json();
  assert.ok(paths['/partner/sign-in'].post && paths['/partner/integrations/{id}'].patch);
  assert.ok(paths['/partner/integrations/{id}/webhooks/{webhookId}/deliveries/{deliveryId}/resend'].post);
  assert.equal(Object.values(paths).flatMap((methods) => Object.keys(methods as object)).length, 24);
  assert.ok(components.schemas.Integration.properties.pendingChange);
  assert.ok(components.schemas.Error.properties.code.enum.includes('sign_in_refused'));
  const v2 = (await bench.as(undefined, 'GET', '/v2/openapi.json')).body;
  assert.ok(!v2.includes('/partner/') && !v2.includes('/v2/integrator/'));
  const wrong = await bench.as(undefined, 'DELETE', '/partner/me');
  assert.deepEqual(codeOf(wrong), [405, 'method_not_allowed']);
  assert.deepEqual(codeOf(await bench.as(undefined, 'GET', '/partner/nothing')), [404, 'not_found']);
});
