import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { EVM_ADDRESS, MONERO_ADDRESS, USDC } from './assets.ts';
import { BUY_ORDER } from './bench.ts';
import { FORM } from './pages-visit.ts';
import { TAKEN } from './partner-bench.ts';
import { type PartnerPages, partnerPages, textOf } from './partner-visit.ts';

const BTC = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
let desk: PartnerPages;

before(async () => {
  desk = await partnerPages();
});
after(() => desk?.close());

const browser: PartnerPages['browser'] = (cookie) => desk.browser(cookie);
const signedIn: PartnerPages['signedIn'] = (account) => desk.signedIn(account);
const partner: PartnerPages['partner'] = (fields) => desk.partner(fields);

test('somebody signs in without script, by a text that is signed anywhere, and signs out', async () => {
  const { reply, page, message, signature, account, get, post, cookie } = await signedIn();
  assert.match(message, /^127\.0\.0\.1:8080 wants you to sign in with your Ethereum account:\n0x/);
  assert.ok(message.includes(account.address), 'the account is in its one spelling with a checksum');
  assert.match(page.body, /Good until/);
  assert.equal(reply.statusCode, 303, reply.body);
  assert.match(
    String(reply.headers['set-cookie']),
    /^wherry_partner=[a-z2-7]{52}; Path=\/partners; Max-Age=43200; HttpOnly; SameSite=Strict$/,
  );
  assert.match((await get('/partners')).body, /Your integrations/);
  assert.match((await get('/partners')).body, /You have none yet/);
  const session = cookie();
  assert.equal((await post('/partners/sign-out')).headers.location, '/partners');
  assert.match((await browser(session).get('/partners')).body, /Your Ethereum account/);
  const again = await post('/partners/sign-in/signature', { message, signature });
  assert.equal(again.statusCode, 422);
  assert.match(again.body, /too old or was used before/);
});

test('a signature that does not fit leaves the text as it is, and what is no account is said so', async () => {
  const visitor = browser();
  const wrong = await visitor.post('/partners/sign-in', { account: EVM_ADDRESS.slice(0, -1) });
  assert.equal(wrong.statusCode, 422);
  assert.match(wrong.body, /This is not an Ethereum account/);
  const { message } = await signedIn();
  const other = privateKeyToAccount(generatePrivateKey());
  const refused = await visitor.post('/partners/sign-in/signature', {
    message,
    signature: await other.signMessage({ message }),
  });
  assert.equal(refused.statusCode, 422);
  assert.match(refused.body, /was not made by this account/);
  assert.ok(textOf(refused.body).includes(message));
  const foreign = message.replaceAll('127.0.0.1:8080', 'evil.example');
  const elsewhere = await visitor.post('/partners/sign-in/signature', {
    message: foreign,
    signature: await other.signMessage({ message: foreign }),
  });
  assert.match(elsewhere.body, /was made for another site/);
  assert.equal(
    (await visitor.post('/partners/sign-in/signature', { message: 'hello', signature: '0x' })).statusCode,
    422,
  );
  assert.equal((await visitor.post('/partners/sign-in/signature', {})).statusCode, 422);
});

test('pages of an integration are for its members, kept nowhere, and under the policy of all pages', async () => {
  const { path, get } = await partner();
  const [stranger, nobody] = [await signedIn(), browser()];
  for (const room of ['', '/orders', '/fees', '/keys', '/webhooks', '/links', '/team', '/limits', '/history']) {
    const page = await get(path + room);
    assert.equal(page.statusCode, 200, page.body);
    assert.equal(page.headers['cache-control'], 'no-store', room);
    assert.match(String(page.headers['content-security-policy']), /^default-src 'none'; script-src 'self'/);
    assert.equal(page.headers['access-control-allow-origin'], undefined);
    assert.ok(!/\sstyle=|\son\w+=/.test(page.body), room);
    assert.equal((await stranger.get(path + room)).statusCode, 404, room);
    assert.equal((await nobody.get(path + room)).headers.location, '/partners?over=1');
  }
  for (const [room, fields] of [
    ['/fees', { name: 'Mine', feePercent: '5', feeAddress: EVM_ADDRESS }],
    ['/keys', { kind: 'server', known: '0' }],
    ['/webhooks', { url: 'https://evil.example', known: '0' }],
    ['/team', { account: stranger.account.address, role: 'owner' }],
  ] as const)
    assert.equal((await stranger.post(path + room, fields)).statusCode, 404, room);
  const forged = await desk.call({
    ...{ method: 'POST', url: `${path}/keys`, payload: 'kind=server&known=0' },
    headers: { ...FORM, cookie: stranger.cookie(), origin: 'https://evil.example' },
  });
  assert.equal(forged.statusCode, 403);
});

test('fees are set with addresses that are checked for their chain; a change waits and can be taken back', async () => {
  const { path, get, post } = await partner();
  const fields = { name: 'Shop', feePercent: '1.25', feeAddress: EVM_ADDRESS, feeAddressSol: '', feeAddressBtc: '' };
  const wrong = await post(`${path}/fees`, { ...fields, feeAddressSol: BTC });
  assert.equal(wrong.statusCode, 422);
  assert.match(wrong.body, /This looks like an address on Bitcoin/);
  assert.ok(wrong.body.includes('value="1.25"'), 'what was typed is kept');
  for (const feePercent of ['5.1', '-1', '1e0', '0.12345', 'x', ''])
    assert.match(
      (await post(`${path}/fees`, { ...fields, feePercent })).body,
      /Write a number from 0 to 5/,
      feePercent,
    );

  assert.equal(
    (await post(`${path}/fees`, { ...fields, feeAddressBtc: BTC })).headers.location,
    `${path}/fees?done=saved`,
  );
  const other = `0x${'44'.repeat(20)}`;
  await post(`${path}/fees`, { ...fields, feeAddress: other, feeAddressBtc: BTC });
  const waiting = (await get(`${path}/fees`)).body;
  assert.match(waiting, /Takes effect 2 Jan 2030, 00:00 UTC/);
  assert.ok(waiting.includes(`value="${EVM_ADDRESS}"`), 'until then the old one holds');
  // The form shows the old address; saving something else does not take the change back.
  await post(`${path}/fees`, { ...fields, feeAddress: EVM_ADDRESS, feePercent: '2', feeAddressBtc: BTC });
  assert.match((await get(`${path}/fees`)).body, /Takes effect/);
  await post(`${path}/fees/keep`, { field: 'feeAddress' });
  const kept = (await get(`${path}/fees`)).body;
  assert.ok(!kept.includes('Takes effect') && kept.includes('value="2"'));
  assert.match((await get(`${path}/history`)).body, /Integration changed/);
});

test('a key is made, shown once, used and revoked; the form that made it makes no second one', async () => {
  const { path, get, post } = await partner();
  const form = { kind: 'server', name: 'backend', known: '0' };
  const made = await post(`${path}/keys`, form);
  const key = /wh_s_[a-z2-7]{16}_[a-z2-7]{54}/.exec(made.body)?.[0] ?? '';
  assert.equal((await desk.key(key, 'GET', '/v2/integrator/me')).statusCode, 200);
  assert.equal(made.headers['cache-control'], 'no-store');
  const list = (await get(`${path}/keys`)).body;
  assert.ok(!list.includes(key) && list.includes(key.slice(0, 21)), 'only its beginning is shown again');
  const twice = await post(`${path}/keys`, form);
  assert.equal(twice.statusCode, 422);
  assert.ok(!/wh_s_[a-z2-7]{16}_[a-z2-7]{54}/.test(twice.body));
  await post(`${path}/keys/${key.slice(5, 21)}/revoke`);
  desk.wait(11_000);
  assert.equal((await desk.key(key, 'GET', '/v2/integrator/me')).statusCode, 401);
  assert.match((await get(`${path}/keys`)).body, /Revoked/);
});

test('a team has viewers who change nothing, and its last owner stays', async () => {
  const { path, get, post, account } = await partner();
  const viewer = await signedIn();
  assert.equal((await post(`${path}/team`, { account: viewer.account.address, role: 'viewer' })).statusCode, 303);
  const seen = await viewer.get(`${path}/keys`);
  assert.match(seen.body, /only owners change it/);
  assert.equal((await viewer.post(`${path}/keys`, { kind: 'server', known: '0' })).statusCode, 403);
  assert.equal((await viewer.post(`${path}/fees/keep`, { field: 'feeAddress' })).statusCode, 303);
  const alone = await post(`${path}/team/remove`, { account: account.address });
  assert.equal(alone.statusCode, 422);
  assert.match(alone.body, /The last owner stays/);
  await post(`${path}/team/remove`, { account: viewer.account.address });
  assert.equal((await viewer.get(path)).statusCode, 404);
  assert.ok(!(await get(`${path}/team`)).body.includes(viewer.account.address.slice(0, 6)));
});

test('an endpoint is added, its secret shown once, tested, read, sent again, paused and deleted', async () => {
  const { path, get, post } = await partner();
  const refused = await post(`${path}/webhooks`, { url: 'http://10.0.0.1/x', which: 'all', known: '0' });
  assert.equal(refused.statusCode, 422);
  assert.ok(refused.body.includes('http://10.0.0.1/x'));
  const fields = new URLSearchParams({ url: 'https://shop.example/events', which: 'some', known: '0' });
  for (const event of ['order.created', 'webhook.test', 'no.such']) fields.append('event', event);
  const made = await post(`${path}/webhooks`, fields);
  assert.match(made.body, /whsec_[\w+/=]{40,}/);
  const hook = /\/webhooks\/(\w+)"/.exec(made.body)?.[1] ?? '';
  const at = `${path}/webhooks/${hook}`;
  assert.equal((await post(`${at}/test`)).headers.location, `${at}?done=tested`);
  const sent = await desk.deliver(() => ({ status: 500, error: 'status 500', ms: 7 }));
  assert.equal(JSON.parse(sent[0]?.body ?? '').type, 'webhook.test');
  const page = (await get(at)).body;
  assert.ok(!page.includes('whsec_'));
  assert.match(page, /answered 500 after 7 ms/);
  desk.wait(10_000);
  await desk.deliver(() => TAKEN);
  const delivery = /name="delivery" value="([^"]+)"/.exec((await get(at)).body)?.[1] ?? '';
  assert.equal((await post(`${at}/resend`, { delivery })).headers.location, `${at}?done=resent`);
  assert.equal((await desk.deliver(() => TAKEN)).length, 1);
  assert.match((await get(`${at}?state=delivered`)).body, /webhook\.test/);
  assert.match((await get(`${at}?state=failed`)).body, /Nothing here yet/);
  const rotated = (await post(`${at}/rotate`)).body;
  assert.match(rotated, /whsec_[\w+/=]{40,}/);
  assert.ok(rotated.includes(`name="back" value="${at}"`), 'a choice of language leads to the endpoint');
  await post(`${at}/pause`);
  const paused = await post(`${at}/test`);
  assert.equal(paused.statusCode, 422);
  assert.match(paused.body, /The endpoint is not active/);
  await post(`${at}/resume`);
  await post(`${at}/delete`);
  assert.equal((await get(at)).statusCode, 404);
});

test('an order that came by a payment link counts for the integration, with its fee; a link of nobody is paid all the same', async () => {
  const { path, get, post } = await partner();
  const bill = { to: '0:XMR', amount: '0.5', address: MONERO_ADDRESS, name: 'Ana' };
  // A bill that is too small is told in the coin that a payer is offered first, not in any that the list begins with.
  assert.match((await post(`${path}/links`, { ...bill, amount: '0.001' })).body, /at least 10 USDC/);
  const { body } = await post(`${path}/links`, bill);
  assert.ok(!/href="http/.test(body), 'pages of an onion lead nowhere else');
  const link = textOf(body);
  const url = /http:\/\/127\.0\.0\.1:8080(\/pay\?[^"<\s]+)/.exec(link)?.[1] ?? '';
  assert.equal(new URLSearchParams(url.split('?')[1]).get('ref'), path.split('/').at(-1));
  assert.match(link, /<a href="http:\/\/127/);
  const payer = browser();
  const shown = await payer.get(url);
  assert.match(shown.body, /Pay Ana/);
  const ref = path.split('/').at(-1) ?? '';
  const form = { ...bill, from: `42161:${USDC.token}`, do: 'create', key: 'k' };
  const paid = await payer.post('/pay', { ...form, ref });
  assert.match(String(paid.headers.location), /^\/order\/sw_/);
  const orders = (await get(`${path}/orders`)).body;
  assert.ok(orders.includes(String(paid.headers.location).slice('/order/'.length)));
  assert.match(orders, /payment link/);
  assert.match(orders, /to be paid/);
  const csv = await get(`${path}/orders.csv?feeStatus=projected`);
  assert.match(String(csv.headers['content-type']), /^text\/csv/);
  assert.match(csv.body, /^orderId,[^\n]*\r\nsw_/);
  assert.equal((await get(`${path}/orders.csv?feeStatus=paid`)).body.split('\r\n').length, 2);
  for (const wrong of ['int_gone', `wh_p_${'a'.repeat(16)}_${'b'.repeat(54)}`, '<b>']) {
    const page = await payer.get(`/pay?${new URLSearchParams({ ...bill, ref: wrong })}`);
    assert.equal(page.statusCode, 200);
    assert.ok(!page.body.includes('wh_p_'), 'a key is never taken along');
    assert.equal((await payer.post('/pay', { ...form, key: wrong, ref: wrong })).statusCode, 303);
  }
  assert.equal((await get(`${path}/orders?from=yesterday`)).statusCode, 422);
  assert.match((await get(`${path}/orders?to=2029-12-31`)).body, /Nothing here yet/);
});

test('however much an integration has, its pages keep within their weight, and the rest is a page away', async () => {
  const { path, get, cookie, account } = await partner();
  const id = path.split('/').at(-1) ?? '';
  const at = `/partner/integrations/${id}`;
  const name = '<'.repeat(100);
  for (let n = 0; n < 30; n += 1) {
    const made = await desk.as(cookie(), 'POST', `${at}/keys`, { kind: 'public', name });
    assert.equal(made.statusCode, 201);
    await desk.as(cookie(), 'PUT', `${at}/members/0x${`${n}`.padStart(40, '0')}`, { role: 'viewer' });
  }
  for (let n = 0; n < 20; n += 1) {
    const body = { ...BUY_ORDER, integratorFeePercent: 1.2345 };
    const made = await desk.call({
      ...{ method: 'POST', url: '/v2/swaps', payload: body, remoteAddress: '198.51.100.7' },
      headers: { 'x-integrator-ref': id },
    });
    assert.equal(made.statusCode, 201, made.body);
  }
  const url = `https://shop.example/${'x'.repeat(1_900)}`;
  const hook = (await desk.as(cookie(), 'POST', `${at}/webhooks`, { url })).json().webhookId;
  for (let n = 0; n < 20; n += 1) await desk.as(cookie(), 'POST', `${at}/webhooks/${hook}/test`);
  for (let n = 0; n < 8; n += 1) {
    await desk.deliver(() => ({ status: null, error: 'e'.repeat(200), ms: 9_999 }));
    desk.wait(2 * 3_600_000);
  }
  const session = (await signedIn(account)).cookie();
  const again = browser(session);
  for (const room of [
    '',
    '/orders',
    '/fees',
    '/keys',
    '/team',
    '/webhooks',
    `/webhooks/${hook}`,
    '/limits',
    '/history',
  ]) {
    for (const lang of ['en', 'ar']) {
      const page = await again.get(`${path}${room}?lang=${lang}`);
      assert.equal(page.statusCode, 200, page.body);
      assert.ok(Buffer.byteLength(page.body) <= 30_000, `${room} ${lang}: ${Buffer.byteLength(page.body)}`);
    }
  }
  for (const room of ['/orders', '/keys', '/team', `/webhooks/${hook}`, '/history']) {
    const older = /href="([^"]+)">Older</.exec((await again.get(path + room)).body)?.[1] ?? '';
    assert.equal((await again.get(textOf(older))).statusCode, 200, `${room} ${older}`);
    assert.notEqual(older, '', room);
  }
  assert.equal((await get(path)).statusCode, 303, 'the session of before is over');
});
