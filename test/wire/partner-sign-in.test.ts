import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { memoryQuota } from './bench.ts';
import { HERE, type PartnerBench, partnerBench, signInMessage } from './partner-bench.ts';

let bench: PartnerBench;
before(async () => {
  bench = await partnerBench();
});
after(() => bench.close());

const wallet = () => privateKeyToAccount(generatePrivateKey());
const newNonce = async (): Promise<string> =>
  (await bench.as(undefined, 'POST', '/partner/sign-in/nonce')).json().nonce;
const signIn = (message: unknown, signature: unknown, headers: Record<string, string> = {}) =>
  bench.as(undefined, 'POST', '/partner/sign-in', { message, signature }, headers);

async function tryToSignIn(change: object = {}, account = wallet()) {
  const message = signInMessage(account, await newNonce(), bench.now(), change);
  return signIn(message, await account.signMessage({ message }));
}

const reasonOf = (reply: Awaited<ReturnType<typeof signIn>>) => {
  assert.deepEqual([reply.statusCode, reply.json().code], [401, 'sign_in_refused'], reply.body);
  assert.equal(reply.headers['set-cookie'], undefined);
  return reply.json().details.reason;
};

test('a wallet signs in, is known by its cookie, and signs out for good', async () => {
  const account = wallet();
  const asked = await bench.as(undefined, 'POST', '/partner/sign-in/nonce');
  const { nonce, expiresAt } = asked.json();
  assert.match(nonce, /^[a-zA-Z0-9]{8,}$/);
  assert.equal(Date.parse(expiresAt) - bench.now(), 300_000);
  const message = signInMessage(account, nonce, bench.now());
  const reply = await signIn(message, await account.signMessage({ message }));
  assert.deepEqual([reply.statusCode, reply.json()], [200, { address: account.address, integrations: [] }]);
  const cookie = String(reply.headers['set-cookie']);
  for (const part of ['HttpOnly', 'SameSite=Strict', 'Path=/partner', 'Max-Age=43200']) {
    assert.ok(cookie.split('; ').includes(part), part);
  }
  assert.ok(!cookie.includes('Secure'), 'the sandbox is not https');
  const held = cookie.split(';')[0];
  assert.equal((await bench.as(held, 'GET', '/partner/me')).json().address, account.address);
  const out = await bench.as(held, 'POST', '/partner/sign-out');
  assert.deepEqual([out.statusCode, out.body], [204, '']);
  const gone = await bench.as(held, 'GET', '/partner/me');
  assert.deepEqual([gone.statusCode, gone.json().code], [401, 'not_signed_in']);
  assert.match(String(gone.headers['x-request-id']), /^[0-9a-f]{24}$/);
  assert.equal((await bench.as(undefined, 'POST', '/partner/sign-out')).statusCode, 204);
});

test('the cookie is for https alone where the desk is, and made for its host', async () => {
  const other = await partnerBench({ place: { domain: 'desk.example', origin: 'https://desk.example' } });
  const account = wallet();
  const { nonce } = (await other.as(undefined, 'POST', '/partner/sign-in/nonce')).json();
  const place = { domain: 'desk.example', uri: 'https://desk.example' };
  const message = signInMessage(account, nonce, other.now(), place);
  const signature = await account.signMessage({ message });
  const reply = await other.as(undefined, 'POST', '/partner/sign-in', { message, signature });
  assert.equal(reply.statusCode, 200);
  assert.match(String(reply.headers['set-cookie']), /; Secure/);
  await other.close();
});

test('a nonce is good for one sign-in within five minutes', async () => {
  const account = wallet();
  const message = signInMessage(account, await newNonce(), bench.now());
  const signature = await account.signMessage({ message });
  assert.equal((await signIn(message, signature)).statusCode, 200);
  assert.equal(reasonOf(await signIn(message, signature)), 'wrong_nonce');
  const late = signInMessage(account, await newNonce(), bench.now());
  bench.wait(300_000);
  assert.equal(reasonOf(await signIn(late, await account.signMessage({ message: late }))), 'wrong_nonce');
  const foreign = signInMessage(account, 'abcdefgh12345678', bench.now());
  assert.equal(reasonOf(await signIn(foreign, await account.signMessage({ message: foreign }))), 'wrong_nonce');
});

test('of eight that use a nonce at once one gets in', async () => {
  const account = wallet();
  const message = signInMessage(account, await newNonce(), bench.now());
  const signature = await account.signMessage({ message });
  const replies = await Promise.all(Array.from({ length: 8 }, () => signIn(message, signature)));
  assert.equal(replies.filter(({ statusCode }) => statusCode === 200).length, 1);
});

test('messages for another site, of another time, or that are none have their reasons', async () => {
  assert.equal(reasonOf(await tryToSignIn({ domain: 'evil.example' })), 'wrong_domain');
  assert.equal(reasonOf(await tryToSignIn({ uri: 'http://evil.example' })), 'wrong_domain');
  assert.equal(reasonOf(await tryToSignIn({ expirationTime: new Date(bench.now()) })), 'expired');
  assert.equal(reasonOf(await tryToSignIn({ notBefore: new Date(bench.now() + 1000) })), 'expired');
  assert.equal((await tryToSignIn({ statement: 'Welcome.', requestId: 'x' })).statusCode, 200);
  const account = wallet();
  const good = signInMessage(account, await newNonce(), bench.now());
  for (const message of ['', 'hello', good.replace('Version: 1', 'Version: 2'), `${good}\nmore`, `x\n${good}`]) {
    assert.equal(reasonOf(await signIn(message, await account.signMessage({ message }))), 'malformed', message);
  }
});

test('signatures have 65 bytes, a lower half and the right signer', async () => {
  const account = wallet();
  const message = signInMessage(account, await newNonce(), bench.now());
  const signature = await account.signMessage({ message });
  const [r, s, v] = [signature.slice(2, 66), BigInt(`0x${signature.slice(66, 130)}`), signature.slice(130)];
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const hex = (n: bigint) => n.toString(16).padStart(64, '0');
  const other = v === '1b' ? '1c' : '1b';
  const bad = [
    `0x${r}${hex(order - s)}${other}`,
    signature.slice(0, -2),
    `${signature}00`,
    signature.slice(2),
    `0x${r}${hex(s)}1d`,
    `0x${'0'.repeat(128)}1b`,
    await wallet().signMessage({ message }),
    await account.signMessage({ message: `${message} ` }),
    'nonsense',
  ];
  for (const one of bad) assert.equal(reasonOf(await signIn(message, one)), 'bad_signature', one);
  const short = `0x${r}${hex(s)}${v === '1b' ? '00' : '01'}`;
  assert.equal((await signIn(message, short)).statusCode, 200, 'v may be 0 or 1');
});

test('a body of the wrong shape is no sign-in', async () => {
  for (const [message, signature] of [[1, 'x'], ['x'], [null, null]]) {
    const reply = await signIn(message, signature);
    assert.deepEqual([reply.statusCode, reply.json().code], [400, 'invalid_request']);
  }
});

test('a contract account is asked itself, where there is a node', async () => {
  const asked: string[] = [];
  const contractSignatures = async (address: string, _: string, signature: string) => {
    asked.push(address);
    return signature === '0xc0ffee';
  };
  const other = await partnerBench({ contractSignatures });
  const account = wallet();
  const enter = async (signature: string) => {
    const { nonce } = (await other.as(undefined, 'POST', '/partner/sign-in/nonce')).json();
    return other.as(undefined, 'POST', '/partner/sign-in', {
      message: signInMessage(account, nonce, other.now()),
      signature,
    });
  };
  assert.equal((await enter('0xc0ffee')).statusCode, 200);
  assert.equal(reasonOf(await enter('0xdecaf0')), 'bad_signature');
  assert.equal(reasonOf(await enter('no bytes')), 'bad_signature');
  assert.deepEqual(asked, [account.address, account.address]);
  await other.close();
});

test('a session ends half an hour after its last use, and after half a day in any case', async () => {
  const { cookie } = await bench.member();
  const isIn = async () => (await bench.as(cookie, 'GET', '/partner/me')).statusCode === 200;
  bench.wait(30 * 60_000 - 1);
  assert.ok(await isIn());
  bench.wait(30 * 60_000);
  assert.ok(!(await isIn()));
  const { cookie: busy } = await bench.member();
  let used = 0;
  for (; used < 40; used += 1) {
    bench.wait(20 * 60_000);
    if ((await bench.as(busy, 'GET', '/partner/me')).statusCode !== 200) break;
  }
  assert.equal(used, 35, 'the thirty-sixth look is twelve hours after signing in');
});

test('another site’s page changes nothing and reads nothing', async () => {
  const { cookie } = await bench.member();
  const body = { name: 'x', feePercent: 0, feeAddress: `0x${'1'.repeat(40)}` };
  for (const origin of ['https://evil.example', 'null', `${HERE}.evil.example`]) {
    const reply = await bench.as(cookie, 'POST', '/partner/integrations', body, { origin });
    assert.deepEqual([reply.statusCode, reply.json().code], [403, 'forbidden'], origin);
  }
  assert.equal(
    (await bench.as(cookie, 'POST', '/partner/sign-out', undefined, { origin: 'https://evil.example' })).statusCode,
    403,
  );
  const own = await bench.as(cookie, 'POST', '/partner/integrations', body, { origin: HERE });
  assert.equal(own.statusCode, 201);
  const read = await bench.as(cookie, 'GET', '/partner/me', undefined, { origin: 'https://evil.example' });
  assert.deepEqual([read.statusCode, read.headers['access-control-allow-origin']], [200, undefined]);
});

test('signing in is limited by network as creation is, nonces included', async () => {
  const other = await partnerBench({}, { quota: memoryQuota() });
  const ask = (path: string, body?: object) => other.as(undefined, 'POST', `/partner/sign-in${path}`, body);
  for (let n = 0; n < 3; n += 1) assert.equal((await ask('/nonce')).statusCode, 200);
  for (let n = 0; n < 2; n += 1) assert.equal((await ask('', { message: 'x', signature: 'y' })).statusCode, 401);
  for (const reply of [await ask('/nonce'), await ask('', { message: 'x', signature: 'y' })]) {
    assert.deepEqual([reply.statusCode, reply.headers['x-ratelimit-resource']], [429, 'creates']);
    assert.equal(reply.headers['retry-after'], '60');
  }
  assert.equal((await other.as(undefined, 'GET', '/partner/me')).statusCode, 401, 'reads have limits of their own');
  other.wait(60_000);
  assert.equal((await ask('/nonce')).statusCode, 200);
  await other.close();
});

test('what is stored of a session opens nothing', async () => {
  const { cookie } = await bench.member();
  const rows = await bench.db.query({ name: 'test_sessions', text: 'SELECT * FROM partner_session' });
  assert.ok(!JSON.stringify(rows).includes(cookie.split('=')[1] ?? '?'));
});
