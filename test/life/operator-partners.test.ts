import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { instant } from '../../src/kernel/clock.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { isRefusal } from '../../src/kernel/refusal.ts';
import { ACME, EVM, type OperatorRoom, openRoom } from './operator-room.ts';

let room: OperatorRoom;
before(async () => {
  room = await openRoom();
});
after(() => room.close());

interface Partner {
  readonly integrationId: string;
  readonly keyId: string;
  readonly key: string;
}

async function newPartner(more: object = {}): Promise<Partner> {
  const { integrationId } = (await room.ask('POST', '/operator/integrations', { ...ACME, ...more })).json();
  const key = (await room.ask('POST', `/operator/integrations/${integrationId}/keys`, { kind: 'server' })).json();
  return { integrationId, ...key };
}

/** Who the door lets in, after it has forgotten what it knew. */
async function callerOf(key: string) {
  room.wait(10_000);
  const caller = await room.door.caller(key);
  return isRefusal(caller) ? caller.refusal : caller;
}

test('a new partner with a key is known at the door, with its wishes over the defaults', async () => {
  const partner = await newPartner({
    limits: { createLimitPerMin: 7 },
    feeAddressSol: 'So11111111111111111111111111111111111111112',
  });
  const caller = await callerOf(partner.key);
  assert.ok(typeof caller === 'object');
  assert.equal(caller.integrationId, partner.integrationId);
  assert.equal(caller.keyId, partner.keyId);
  assert.deepEqual([caller.kind, caller.feePercent, caller.feeAddress], ['server', 0.5, EVM]);
  assert.deepEqual([caller.limits.createLimitPerMin, caller.limits.requestLimitPerMin], [7, 600]);
  const stored = await room.db.query({ name: 'test_keys', text: 'SELECT hash FROM integration_key WHERE id = $1' }, [
    partner.keyId,
  ]);
  assert.ok(!JSON.stringify(stored).includes(partner.key));
});

test('a change touches what it names and nothing else', async () => {
  const { integrationId, key } = await newPartner({
    limits: { createLimitPerMin: 7 },
    feeAddressBtc: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
  });
  const change = { feePercent: 1.25, limits: { maxOpenOrders: 0 }, feeAddressBtc: null };
  const changed = await room.ask('PATCH', `/operator/integrations/${integrationId}`, change);
  assert.equal(changed.status, 200);
  const caller = await callerOf(key);
  assert.ok(typeof caller === 'object');
  assert.deepEqual([caller.name, caller.feePercent, caller.feeAddressBtc], ['Acme', 1.25, undefined]);
  assert.deepEqual([caller.limits.createLimitPerMin, caller.limits.maxOpenOrders], [7, 0]);
});

test('forwarding is switched off by that word alone, and keeps its servers', async () => {
  const forwarding = { enabled: true, approvedServerIps: ['203.0.113.7'], limits: { createLimitPerMin: 9 } };
  const { integrationId } = await newPartner({ forwarding });
  const path = `/operator/integrations/${integrationId}`;
  const changed = await room.ask('PATCH', path, { forwarding: { enabled: false } });
  assert.equal(changed.status, 200, changed.text);
  const { enabled, approvedServerIps, limits } = changed.json().forwarding;
  assert.deepEqual([enabled, approvedServerIps, limits.createLimitPerMin], [false, ['203.0.113.7'], 9]);
  const refused = await room.ask('PATCH', path, { forwarding: { enabled: true } });
  assert.deepEqual([refused.status, /approvedServerIps/.test(refused.json().error)], [400, true]);
});

test('forwarding can be given and taken away', async () => {
  const forwarding = { enabled: true, approvedServerIps: ['203.0.113.7'], limits: { createLimitPerMin: 9 } };
  const { integrationId, key } = await newPartner({ forwarding });
  const before = await callerOf(key);
  assert.ok(typeof before === 'object');
  assert.deepEqual(before.forwarding, {
    ...forwarding,
    limits: { requestLimitPerMin: 50, createLimitPerMin: 9, maxOpenOrders: 20 },
  });
  await room.ask('PATCH', `/operator/integrations/${integrationId}`, { forwarding: null });
  const later = await callerOf(key);
  assert.ok(typeof later === 'object' && later.forwarding === undefined);
});

test('a suspended integration and a revoked key are turned away, and suspension can be lifted', async () => {
  const { integrationId, keyId, key } = await newPartner();
  await room.ask('PATCH', `/operator/integrations/${integrationId}`, { suspended: true });
  assert.equal(await callerOf(key), 'invalid_key');
  await room.ask('PATCH', `/operator/integrations/${integrationId}`, { suspended: false });
  assert.equal(typeof (await callerOf(key)), 'object');
  assert.equal((await room.ask('DELETE', `/operator/keys/${keyId}`)).status, 200);
  assert.equal((await room.ask('DELETE', `/operator/keys/${keyId}`)).status, 200);
  assert.equal(await callerOf(key), 'invalid_key');
});

test('an operator lists partners, lets those in who wait, and reads what was changed by whom', async () => {
  const { integrationId, key } = await newPartner({ approved: false });
  assert.equal(await callerOf(key), 'invalid_key');
  const { integrations } = (await room.ask('GET', '/operator/integrations')).json();
  const listed = integrations.find((one: { integrationId: string }) => one.integrationId === integrationId);
  assert.deepEqual([listed.status, listed.limits.createLimitPerMin], ['pending', 60]);
  await room.ask('PATCH', `/operator/integrations/${integrationId}`, {
    approved: true,
    limits: { createLimitPerMin: 3 },
  });
  const caller = await callerOf(key);
  assert.ok(typeof caller === 'object');
  assert.equal(caller.limits.createLimitPerMin, 3);
  const one = (await room.ask('GET', `/operator/integrations/${integrationId}`)).json();
  assert.deepEqual([one.status, one.members], ['active', []]);
  const { entries } = (await room.ask('GET', `/operator/integrations/${integrationId}/audit`)).json();
  assert.deepEqual(
    entries.map(({ actor, action }: { actor: string; action: string }) => [actor, action]),
    [
      ['operator', 'integration.changed'],
      ['operator', 'key.created'],
      ['operator', 'integration.created'],
    ],
  );
  assert.deepEqual(entries[0].details, { changed: { approved: true, limits: { createLimitPerMin: 3 } } });
  for (const path of ['', '/audit']) {
    assert.equal((await room.ask('GET', `/operator/integrations/int_none${path}`)).status, 404);
  }
});

test('an operator’s address holds at once, over a change that waits', async () => {
  const { integrationId, key } = await newPartner();
  const other = `0x${'cd'.repeat(20)}`;
  const third = `0x${'ef'.repeat(20)}`;
  const effectiveAt = room.clock.now() + 86_400_000;
  await room.book.change(
    integrationId,
    { atOnce: {}, wait: { feeAddress: { value: other as Address, effectiveAt: instant(effectiveAt) } }, takeBack: [] },
    { actor: 'somebody', at: room.clock.now() },
  );
  await room.ask('PATCH', `/operator/integrations/${integrationId}`, { feeAddress: third });
  room.wait(86_400_000);
  const caller = await callerOf(key);
  assert.ok(typeof caller === 'object');
  assert.equal(caller.feeAddress, third);
});
