import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isoTime } from '../../src/kernel/clock.ts';
import { sha256Hex } from '../../src/kernel/secret.ts';
import { openOperatorActs } from '../../src/store/operator-acts.ts';
import { ACME, type Method, OPERATORS, type OperatorRoom, openRoom, roomOver, TOKEN, TOKENS } from './operator-room.ts';

let room: OperatorRoom;
before(async () => {
  room = await openRoom();
});
after(() => room.close());

interface ShownAct {
  readonly id: string;
  readonly operator: string;
  readonly act: string;
  readonly reason?: string;
  readonly details: object;
  readonly result: string;
}

const bearer = (token: string) => `Bearer ${token}`;
const as = (token: string, method: Method, path: string, body?: unknown) => room.ask(method, path, body, bearer(token));
const acts = async (query = ''): Promise<readonly ShownAct[]> =>
  (await as(TOKEN, 'GET', `/operator/audit${query}`)).json().acts;
const newest = async () => (await acts('?limit=1'))[0];
const PAYOUTS = '/operator/breakers/payouts';

describe('operators by name', () => {
  test('everybody comes in by a token of their own, and an old one holds until it is taken out', async () => {
    for (const token of [TOKEN, TOKENS.ada, TOKENS.grace, TOKENS.graceNew, TOKENS.guest]) {
      assert.equal((await as(token, 'GET', '/operator/ledger')).status, 200);
    }
    const rotated = OPERATORS.map((one) => ({ ...one, tokenHashes: one.tokenHashes.slice(0, 1) }));
    const later = roomOver(room.url, { operators: rotated });
    const enters = async (token: string) =>
      (await later.ask('GET', '/operator/bridges', undefined, bearer(token))).status;
    assert.deepEqual([await enters(TOKENS.grace), await enters(TOKENS.graceNew)], [401, 200]);
    await later.close();
  });

  test('who has read the settings has no token: its hash opens nothing', async () => {
    for (const { tokenHashes } of OPERATORS)
      for (const hash of tokenHashes) {
        assert.equal((await as(hash, 'GET', '/operator/ledger')).status, 401);
        assert.equal((await as(sha256Hex(hash), 'GET', '/operator/ledger')).status, 401);
      }
  });

  test('who may only look sees everything and changes nothing, and the attempt is kept', async () => {
    for (const path of ['orders', 'audit', 'ledger', 'cases', 'bridges', 'breakers', 'integrations'])
      assert.equal((await as(TOKENS.guest, 'GET', `/operator/${path}`)).status, 200, path);
    assert.equal((await as(TOKENS.guest, 'GET', '/metrics')).status, 200);
    const tried: [Method, string, unknown][] = [
      ['POST', '/operator/integrations', ACME],
      ['PATCH', '/operator/integrations/int_x', { suspended: true }],
      ['POST', '/operator/integrations/int_x/keys', { kind: 'server' }],
      ['DELETE', '/operator/keys/k', undefined],
      ['PUT', '/operator/bridges/xmr/deposit', { enabled: true }],
      ['PUT', PAYOUTS, { open: true, reason: 'mischief' }],
      ['POST', '/operator/cases/1/close', { reason: 'mischief' }],
      ['POST', '/operator/cases/1/retry', undefined],
      ['POST', '/operator/cases/1/send-again', undefined],
      ['POST', '/operator/cases/1/raise-fee', undefined],
      ['POST', '/operator/cases/1/give-back', { reason: 'mischief' }],
      ['POST', '/operator/cases/1/settle', { txHash: '0x1', reason: 'mischief' }],
      ['POST', '/operator/nowhere', {}],
    ];
    for (const [method, path, body] of tried) {
      const { status, json } = await as(TOKENS.guest, method, path, body);
      assert.deepEqual([status, typeof json().error], [403, 'string'], `${method} ${path}`);
      const { operator, act, result } = (await newest()) ?? assert.fail();
      assert.deepEqual([operator, act, result], ['guest', `${method} ${path}`, 'refused']);
    }
    assert.equal(await room.breakers.isOpen('payouts'), undefined);
    assert.deepEqual((await as(TOKEN, 'GET', '/operator/integrations')).json().integrations, []);
    // The same call by somebody who may act: it is the right that was missing, nothing else.
    assert.equal((await as(TOKENS.ada, 'PUT', PAYOUTS, { open: true, reason: 'to see' })).status, 200);
    assert.equal((await as(TOKENS.ada, 'PUT', PAYOUTS, { open: false })).status, 200);
  });
});

describe('the audit log', () => {
  test('says of every act who did it, when, what, for which reason and what came of it', async () => {
    await as(TOKENS.ada, 'PUT', PAYOUTS, { open: true, reason: 'the node is forked' });
    const at = isoTime(room.clock.now());
    room.wait(1_000);
    await as(TOKENS.grace, 'PUT', '/operator/bridges/zec/deposit', { enabled: true, reason: 'the wallet is back' });
    await as(TOKENS.graceNew, 'DELETE', '/operator/keys/nothing', { reason: 'it leaked' });
    await as(TOKEN, 'POST', '/operator/integrations', ACME);
    const [made, deleted, switched, opened] = await acts('?limit=4');
    const { id: _, ...whole } = opened ?? assert.fail();
    assert.deepEqual(whole, {
      at,
      operator: 'ada',
      act: `PUT ${PAYOUTS}`,
      details: { open: true },
      reason: 'the node is forked',
      result: 'done',
      status: 200,
    });
    const shown = [switched, deleted, made].map((one) => [one?.operator, one?.act, one?.reason, one?.result]);
    assert.deepEqual(shown, [
      ['grace', 'PUT /operator/bridges/zec/deposit', 'the wallet is back', 'done'],
      ['grace', 'DELETE /operator/keys/nothing', 'it leaked', 'refused'],
      ['operator', 'POST /operator/integrations', undefined, 'done'],
    ]);
    assert.deepEqual(made?.details, ACME);
    await as(TOKENS.ada, 'PUT', PAYOUTS, { open: false });
  });

  test('has no secret in it: a key that was made is in the answer alone', async () => {
    const { integrationId } = (await as(TOKENS.ada, 'POST', '/operator/integrations', ACME)).json();
    const { key } = (
      await as(TOKENS.ada, 'POST', `/operator/integrations/${integrationId}/keys`, { kind: 'server' })
    ).json();
    const { text } = await as(TOKEN, 'GET', '/operator/audit?limit=2');
    assert.ok(text.includes(integrationId) && !text.includes(key) && !text.includes(TOKENS.ada), text);
  });

  test('looking is no act, and neither is what no call takes', async () => {
    const before = await newest();
    await as(TOKENS.ada, 'GET', '/operator/cases');
    await as(TOKENS.ada, 'PUT', PAYOUTS, { open: 'yes' });
    await as(TOKENS.ada, 'POST', '/operator/cases/1/retry', { because: 'misspelt' });
    await room.ask('PUT', PAYOUTS, { open: true, reason: 'a stranger' }, bearer('nobody'));
    assert.deepEqual(await newest(), before);
  });

  test('is read page by page and by name', async () => {
    const everything = await acts('?limit=1000');
    const paged: ShownAct[] = [];
    for (let before = ''; ; ) {
      const { acts: page, next } = (await as(TOKEN, 'GET', `/operator/audit?limit=3${before}`)).json();
      paged.push(...page);
      if (next === null) break;
      before = `&before=${next}`;
    }
    assert.deepEqual(paged, everything);
    const ofGrace = await acts('?operator=grace');
    assert.deepEqual(
      ofGrace,
      everything.filter(({ operator }) => operator === 'grace'),
    );
    for (const wrong of ['?limit=0', '?limit=1001', '?before=x', '?colour=red'])
      assert.equal((await as(TOKEN, 'GET', `/operator/audit${wrong}`)).status, 400, wrong);
  });

  test('nothing is done that cannot be written down first', async () => {
    const unable = async () => Promise.reject(new Error('the disk is full'));
    const there = openOperatorActs(room.db);
    const blind = roomOver(room.url, { acts: { ...there, begin: unable } });
    const answer = await blind.ask('PUT', PAYOUTS, { open: true, reason: 'unseen' }, bearer(TOKENS.ada));
    assert.deepEqual([answer.status, blind.troubles.length], [503, 1]);
    const { breakers } = (await blind.ask('GET', '/operator/breakers')).json();
    assert.equal(breakers.find(({ scope }: { scope: string }) => scope === 'payouts').open, false);
    await blind.close();
    // What was done, but whose end could not be written, is told as done and kept as begun.
    const forgetful = roomOver(room.url, { acts: { ...there, end: unable } });
    const done = await forgetful.ask('PUT', PAYOUTS, { open: false, reason: 'cut off' }, bearer(TOKENS.ada));
    assert.deepEqual([done.status, forgetful.troubles.length], [200, 1]);
    const { reason, result } = (await newest()) ?? assert.fail();
    assert.deepEqual([reason, result], ['cut off', 'unknown']);
    await forgetful.close();
  });

  test('is not changed afterwards, not even by a statement', async () => {
    const before = await acts('?limit=1000');
    for (const text of [
      `UPDATE operator_act SET operator = 'somebody else'`,
      'UPDATE operator_act SET status = 200',
      'DELETE FROM operator_act',
      'TRUNCATE operator_act',
    ])
      await assert.rejects(room.db.query({ name: text, text }), /not changed afterwards/, text);
    assert.deepEqual(await acts('?limit=1000'), before);
  });
});

describe('who did it', () => {
  const breaker = async (token: string, body: object) => as(token, 'PUT', PAYOUTS, body);

  test('of those who share a token, whoever says so: in the audit log, on the breaker and in the trail of an integration', async () => {
    const open = (await breaker(TOKEN, { open: true, reason: 'forked', by: 'Lin' })).json();
    assert.equal(open.by, 'Lin');
    assert.deepEqual((await newest())?.details, { open: true, by: 'Lin' });
    assert.equal(
      (await breaker(TOKEN, { open: false, reason: '' })).status,
      200,
      'nobody need say who, or why it is closed',
    );
    assert.equal((await as(TOKEN, 'PUT', '/operator/bridges/xmr/deposit', { enabled: true, by: 'Lin' })).status, 200);
    const { integrationId } = (await as(TOKEN, 'POST', '/operator/integrations', { ...ACME, by: 'Lin' })).json();
    await as(TOKENS.ada, 'PATCH', `/operator/integrations/${integrationId}`, { suspended: true });
    await as(TOKEN, 'PATCH', `/operator/integrations/${integrationId}`, { suspended: false });
    const { keyId } = (
      await as(TOKENS.ada, 'POST', `/operator/integrations/${integrationId}/keys`, { kind: 'server' })
    ).json();
    await as(TOKEN, 'DELETE', `/operator/keys/${keyId}`, { by: 'Lin' });
    const { entries } = (await as(TOKEN, 'GET', `/operator/integrations/${integrationId}/audit`)).json();
    assert.deepEqual(
      entries.map(({ actor, by, action }: Record<string, string>) => [actor, by, action]),
      [
        ['operator', 'Lin', 'key.revoked'],
        ['operator', 'ada', 'key.created'],
        ['operator', undefined, 'integration.changed'],
        ['operator', 'ada', 'integration.changed'],
        ['operator', 'Lin', 'integration.created'],
      ],
    );
    assert.ok(!JSON.stringify(entries.at(-1).details).includes('Lin'), 'what the partner may read names nobody');
  });

  test('whoever has a token of their own is nobody else', async () => {
    const refused = await breaker(TOKENS.ada, { open: true, reason: 'x', by: 'Lin' });
    assert.deepEqual([refused.status, /ada's/.test(refused.json().error)], [400, true]);
    assert.equal(await room.breakers.isOpen('payouts'), undefined);
    assert.equal((await newest())?.operator, 'ada');
  });

  test('every call that changes something takes a name', async () => {
    const calls: [Method, string, object][] = [
      ['POST', '/operator/cases/1/retry', {}],
      ['POST', '/operator/cases/1/send-again', {}],
      ['POST', '/operator/cases/1/raise-fee', {}],
      ['PUT', '/operator/cold/0:XMRR', { atoms: '1', reason: 'counted' }],
    ];
    for (const [method, path, body] of calls)
      assert.equal((await as(TOKEN, method, path, { ...body, by: 'Lin' })).status, 404, path);
  });
});

test('a case is closed by whoever the token names; of those who share one, "by" says which', async () => {
  const ORDERLESS = { case: 'venue_row_unexpected', row: 'row 1' } as const;
  const close = async (token: string, body: object) => {
    await room.cases.raise('treasury', ORDERLESS);
    const { cases } = (await as(TOKEN, 'GET', '/operator/cases')).json();
    const { status, json } = await as(token, 'POST', `/operator/cases/${cases[0].id}/close`, body);
    return [status, status === 200 ? json().asked : json().error];
  };
  assert.deepEqual(await close(TOKENS.ada, { reason: 'seen' }), [200, 'closed by ada']);
  assert.deepEqual(await close(TOKENS.ada, { by: 'ada', reason: 'seen' }), [200, 'closed by ada']);
  const [status, why] = await close(TOKENS.ada, { by: 'grace', reason: 'seen' });
  assert.deepEqual([status, /ada's/.test(why)], [400, true]);
  assert.equal((await close(TOKEN, { reason: 'seen' }))[0], 400);
  assert.deepEqual(await close(TOKEN, { by: 'Ada', reason: 'seen' }), [200, 'closed by Ada']);
});
