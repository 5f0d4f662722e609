import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../src/kernel/fault.ts';
import type { OrderId } from '../../src/kernel/ids.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { LANGUAGES, WORDS } from '../../web/server/language.ts';
import { recoveryCode } from '../../web/server/ownership.ts';
import { EVM_ADDRESS, MONERO_ADDRESS, OTHER_EVM_ADDRESS, OTHER_MONERO_ADDRESS } from './assets.ts';
import { BUY, cookieOf, visiting } from './pages-visit.ts';
import { arrived, expired, payoutRefused, strayed } from './stages.ts';

test('an order is made by a form, and its page is opened by a cookie of its own', async (t) => {
  const { send, get, desk } = await visiting(t);
  const reply = await send('/', BUY);
  assert.equal(reply.statusCode, 303);
  const path = String(reply.headers.location);
  assert.match(path, /^\/order\/sw_[a-z2-7]{32}$/);
  const proof = String(reply.headers['set-cookie']);
  assert.match(proof, new RegExp(`; Path=${path}; Max-Age=7776000; HttpOnly; SameSite=Lax$`));
  const page = await get(path, { cookie: cookieOf(reply) });
  assert.equal(page.statusCode, 200);
  assert.match(page.body, /<h1>Send your payment<\/h1>/);
  assert.equal(page.headers['cache-control'], 'no-store');
  // The session is in the cookie alone.
  assert.ok(!page.body.includes(cookieOf(reply).split('=')[1] ?? ''));
  const stranger = await get(path);
  assert.equal(stranger.statusCode, 404);
  const nobody = await get(`/order/sw_${'a'.repeat(32)}`, { cookie: cookieOf(reply) });
  assert.deepEqual(
    [nobody.statusCode, nobody.body.replaceAll(/sw_[a-z2-7]{32}/g, '')],
    [404, stranger.body.replaceAll(/sw_[a-z2-7]{32}/g, '')],
  );
  assert.equal(desk.watchers(), 0);
});

test('the same form sent again makes one order, and a changed one makes another', async (t) => {
  const { buy } = await visiting(t);
  const [first, again, changed, fresh] = [
    await buy(),
    await buy(),
    await buy({ send: '301' }),
    await buy({ key: 'b' }),
  ];
  assert.equal(first.path, again.path);
  assert.equal(new Set([first.path, changed.path, fresh.path]).size, 3);
});

test('a quote is shown without an address, either amount may be fixed, and the last one typed counts', async (t) => {
  const { get, send } = await visiting(t);
  const valueIn = (body: string, name: string) =>
    new RegExp(`<input id="${name}"[^>]* value="([^"]*)"`).exec(body)?.[1];
  const byInput = await get('/?send=300');
  assert.equal(valueIn(byInput.body, 'receive'), '1');
  const rest = { key: BUY.key, from: BUY.from, to: BUY.to };
  const byOutput = await send('/', {
    ...rest,
    do: 'quote',
    send: '300',
    'shown-send': '300',
    receive: '2',
    'shown-receive': '1',
    fixed: 'send',
  });
  assert.equal(valueIn(byOutput.body, 'receive'), '2');
  assert.match(valueIn(byOutput.body, 'send') ?? '', /^6\d\d/);
  const part = await send('/quote', { ...rest, send: '0,5', receive: '' });
  assert.match(part.body, /^<section id="quote"/);
});

test('a destination is checked before there is an amount, its checksum included', async (t) => {
  const { send } = await visiting(t);
  const typed = { ...BUY, do: '', send: '' };
  const says = async (address: string) => (await send('/quote', { ...typed, address })).body;
  assert.ok(!(await says(MONERO_ADDRESS)).includes('class="error"'));
  const swapped = `${MONERO_ADDRESS.slice(0, 40)}${MONERO_ADDRESS[41]}${MONERO_ADDRESS[40]}${MONERO_ADDRESS.slice(42)}`;
  assert.match(await says(swapped), /class="error">This is not a Monero address\./);
  assert.match(await says(EVM_ADDRESS), /class="error">This looks like an address on Ethereum\./);
  const created = await send('/', { ...BUY, send: '', address: swapped });
  assert.match(created.body, /href="#send">Enter an amount\..*href="#address">This is not a Monero address\./);
});

test('what is missing for the moment is said in the language of the page, and what was typed stays', async (t) => {
  const { send, desk } = await visiting(t);
  desk.runDry();
  for (const [language, says] of [
    ['en', /No address for your payment is ready at this moment\. Nothing was created/],
    ['de', /keine Adresse für deine Zahlung bereit/],
    ['ar', /لا يوجد عنوان جاهز لدفعتك/],
  ] as const) {
    const reply = await send('/', BUY, { 'accept-language': language });
    assert.equal(reply.statusCode, 422);
    assert.match(reply.body, says);
    assert.ok(reply.body.includes(`value="${MONERO_ADDRESS}"`));
  }
  const away = await visiting(t, {}, { quotes: { quote: down, price: down, activation: down } });
  assert.match((await away.send('/', BUY, { 'accept-language': 'de' })).body, /Das geht gerade nicht/);
});

const down = async () => Promise.reject(new Fault('transient', 'venue', 'the venue is down'));

test('a refusal keeps what was typed, and names field, limit and remedy', async (t) => {
  const { send } = await visiting(t);
  const small = await send('/', { ...BUY, send: '1' });
  assert.equal(small.statusCode, 422);
  assert.match(small.body, /href="#send">Too little: send at least 10 USDC\./);
  assert.ok(small.body.includes(`value="${MONERO_ADDRESS}"`));
  const wrong = await send('/', { ...BUY, address: EVM_ADDRESS });
  assert.match(wrong.body, /This looks like an address on Ethereum\. One on Monero is needed here\./);
  const selling = { ...BUY, from: BUY.to, to: BUY.from, send: '1', address: EVM_ADDRESS, refund: EVM_ADDRESS };
  const refund = await send('/', selling);
  assert.match(refund.body, /href="#refund">This looks like an address on Ethereum\. One on Monero is needed here\./);
  const missing = await send('/', { ...BUY, address: '' });
  assert.match(missing.body, /href="#address">Enter the address to pay to\./);
  for (const [typed, says] of [
    ['abc', 'Write the amount in digits'],
    ['1.0000001', 'at most 6 digits'],
    ['0', 'more than zero'],
    ['1e5', 'Write the amount in digits'],
  ] as const) {
    assert.ok((await send('/', { ...BUY, send: typed })).body.includes(says), typed);
  }
});

test('a pasted payment link is understood', async (t) => {
  const { send } = await visiting(t);
  const reply = await send('/', {
    ...BUY,
    send: '',
    do: 'quote',
    address: `monero:${MONERO_ADDRESS}?tx_amount=2&tx_description=x`,
  });
  assert.ok(reply.body.includes(`value="${MONERO_ADDRESS}"`));
  assert.match(reply.body, /<input id="receive"[^>]* value="2"/);
});

test('what is missing of a deposit can be waited for no longer by one button', async (t) => {
  const { buy, get, send, desk } = await visiting(t);
  const { path, id, cookie } = await buy();
  desk.change(id, arrived(100_000_000n, 3));
  const page = await get(path, cookie);
  assert.match(page.body, /Send the rest of 200 USDC to the same address/);
  assert.equal((await send(`${path}/go-on`, {}, cookie)).headers.location, path);
  assert.match((await get(path, cookie)).body, /confirmed|prepared/);
  // Asked again, it leads back to what is true now.
  assert.equal((await send(`${path}/go-on`, {}, cookie)).headers.location, path);
});

test('money that strayed is asked for by chain, confirmed once, and saved for good', async (t) => {
  const { buy, get, send, desk } = await visiting(t);
  const { path, id, cookie } = await buy();
  desk.change(id, strayed);
  const page = await get(path, cookie);
  assert.match(page.body, /0\.1 ETH on Base is yours and is waiting/);
  assert.match(page.body, /It was sent on Base, but asked for on Arbitrum\./);
  const field = 'refund-address';
  const confirm = await send(`${path}/${field}`, { [field]: EVM_ADDRESS }, cookie);
  assert.match(confirm.body, /It cannot be changed once it is saved/);
  const wrong = await send(`${path}/${field}`, { [field]: MONERO_ADDRESS, sure: '1' }, cookie);
  assert.equal(wrong.statusCode, 422);
  assert.match(wrong.body, /This looks like an address on Monero/);
  assert.equal((await send(`${path}/${field}`, { [field]: EVM_ADDRESS, sure: '1' }, cookie)).headers.location, path);
  assert.match((await get(path, cookie)).body, /Being checked/);
  const other = await send(`${path}/${field}`, { [field]: OTHER_EVM_ADDRESS, sure: '1' }, cookie);
  assert.equal(other.headers.location, path);
});

test('a destination that is refused can be replaced', async (t) => {
  const { buy, get, send, desk } = await visiting(t);
  const { path, id, cookie } = await buy();
  desk.change(id, payoutRefused);
  assert.match((await get(path, cookie)).body, /Your address cannot be paid/);
  await send(`${path}/payout-address`, { 'payout-address': OTHER_MONERO_ADDRESS, sure: '1' }, cookie);
  assert.match((await get(path, cookie)).body, new RegExp(`<h1>${WORDS.en.processing.title.paying_out}`));
});

test('the recovery code opens the order elsewhere; a wrong one and an unknown order look alike', async (t) => {
  const { buy, get, send } = await visiting(t);
  const { path, id, cookie } = await buy();
  assert.ok(!(await get(`${path}/recovery`, cookie)).body.includes('wherry-1.sw_'));
  const file = await get(`${path}/recovery.txt`, cookie);
  assert.equal(file.headers['content-disposition'], `attachment; filename="wherry-${id}.txt"`);
  const code = file.body.trim();
  const opened = await send('/recover', { code: `  my order\n${code}\n` });
  assert.equal(opened.headers.location, path);
  assert.equal(cookieOf(opened), cookie.cookie);
  const wrong = await send('/recover', { code: code.slice(0, -1) });
  const unknown = await send('/recover', {
    code: recoveryCode({ id: `sw_${'a'.repeat(32)}`, session: '3f3b7a4e-2a53-4d46-9f0e-0a5a4f1f1c11' }),
  });
  assert.deepEqual([wrong.statusCode, wrong.body], [422, unknown.body]);
});

test('a tracked order is shown without its addresses, and as a feed', async (t) => {
  const { buy, get } = await visiting(t);
  const { path, cookie } = await buy();
  const tracking = /href="(\/track\/[^".]+\.[a-z2-7]{16})"/.exec((await get(path, cookie)).body)?.[1] ?? '';
  const page = await get(tracking);
  assert.equal(page.statusCode, 200);
  assert.match(page.body, /Waiting for the payment/);
  for (const hidden of [MONERO_ADDRESS, EVM_ADDRESS, 'method="post" action="/order'])
    assert.ok(!page.body.includes(hidden), hidden);
  const feed = await get(`${tracking}.atom`);
  assert.match(String(feed.headers['content-type']), /^application\/atom\+xml/);
  assert.match(feed.body, /<entry>\s*<id>tag:wherry,2026:sw_/);
  assert.equal((await get(`${tracking}a`)).statusCode, 404);
});

test('an order that expired is made again by one button, once', async (t) => {
  const { buy, get, send, desk } = await visiting(t);
  const { path, id, cookie } = await buy();
  desk.change(id, ({ expiresAt }) => ({ state: { phase: 'expired', at: expiresAt } }));
  assert.match((await get(path, cookie)).body, /Did you send\?/);
  const [one, two] = [await send(`${path}/again`, {}, cookie), await send(`${path}/again`, {}, cookie)];
  assert.equal(one.headers.location, two.headers.location);
  assert.notEqual(one.headers.location, path);
});

test('an order that paid a bill and expired leads back to the bill: to its partner, and to what the receiver asked for', async (t) => {
  const { get, send, desk } = await visiting(t);
  const bill = { to: BUY.to, amount: '0.5', address: MONERO_ADDRESS, name: 'Ana', ref: 'int_1' };
  const pay = (fields: Record<string, string>, key: string) =>
    send('/pay', { ...fields, from: BUY.from, do: 'create', key });
  const paid = await pay(bill, 'b');
  const path = String(paid.headers.location);
  const cookies = [paid.headers['set-cookie']].flat().map(String);
  for (const one of cookies) assert.match(one, new RegExp(`; Path=${path}; Max-Age=\\d+; HttpOnly; SameSite=Lax$`));
  const cookie = cookies.map((one) => one.split(';')[0]).join('; ');
  desk.change(path.split('/').at(-1) ?? '', expired);
  const again = String((await send(`${path}/again`, {}, { cookie })).headers.location);
  const asked = Object.fromEntries(new URLSearchParams(again.split('?')[1]));
  assert.deepEqual([again.split('?')[0], asked], ['/pay', bill]);
  assert.match((await get(again)).body, /<h1>Pay Ana<\/h1>/);
  const placed = await desk.find(
    String((await pay(asked, 'c')).headers.location)
      .split('/')
      .at(-1) as OrderId,
  );
  assert.equal(placed?.owner.integrationId, 'int_1');
  assert.equal(placed?.order.expected.atoms, 500_000_000_000n);
  // What stands in a cookie leads to a bill, and nowhere else.
  for (const forged of ['//elsewhere.example', '/recover?x=1', '/pay?x=\r\n']) {
    const bad = `${cookies[0]?.split(';')[0]}; wherry_bill=${Buffer.from(forged).toString('base64url')}`;
    assert.match(String((await send(`${path}/again`, {}, { cookie: bad })).headers.location), /^\/order\/sw_/);
  }
});

test('a bridge is made by a form; what is wrong with an address stands at its own field', async (t) => {
  const { get, send } = await visiting(t);
  const page = await get('/bridge?asset=xmr&direction=deposit');
  assert.match(page.body, /<dd><bdi>0\.1 %<\/bdi><\/dd>/);
  const fields = { key: 'a', asset: 'xmr', direction: 'deposit', address: EVM_ADDRESS, refund: MONERO_ADDRESS };
  const wrong = await send('/bridge', { ...fields, refund: OTHER_EVM_ADDRESS });
  assert.match(wrong.body, /href="#refund">This looks like an address on Ethereum/);
  const swapped = await send('/bridge', { ...fields, address: MONERO_ADDRESS });
  assert.match(
    swapped.body,
    /href="#address">This looks like an address on Monero\. One on Hyperliquid is needed here\./,
  );
  const made = await send('/bridge', fields);
  assert.match(String(made.headers.location), /^\/order\/dep_/);
  const order = await get(String(made.headers.location), { cookie: cookieOf(made) });
  assert.match(order.body, /Send any amount of XMR from 0\.1 XMR on/);
});

test('help says the numbers that the desk goes by, and each part of it has an address', async (t) => {
  const { get } = await visiting(t);
  const { body } = await get('/help');
  const minutes = RULES.fundingWindowMs / 60_000;
  assert.match(body, new RegExp(`An order waits ${minutes} min for your payment\\. 99 % of the amount is enough`));
  for (const [, part = ''] of body.matchAll(/<section class="card" id="(\w+)"/g))
    assert.equal((await get(`/help/${part}`)).headers.location, `/help#${part}`);
  assert.match(body, /id="never"/);
});

test('what is kept of a visitor with an order is told on the page about privacy, in every language', async (t) => {
  const { get, buy, desk } = await visiting(t);
  const [one, two] = [await buy(), await buy({ key: 'b' })];
  const hashes = await Promise.all(
    [one, two].map(async ({ id }) => (await desk.find(id as OrderId))?.owner.clientHash),
  );
  assert.equal(hashes[0], hashes[1], 'orders of one network can be told to be');
  const told = {
    en: /keyed hash of it is kept with every order.*from one network/,
    de: /Hash davon wird mit jedem Auftrag aufbewahrt.*von einem Anschluss/,
    es: /hash con clave de ella se guarda con cada orden.*de una misma red/,
    zh: /带密钥的散列随每个订单保存.*来自同一网络/,
    ar: /بصمة مشفّرة منه تُحفظ مع كل طلب.*من شبكة واحدة/,
  } as const;
  for (const language of LANGUAGES) {
    const { body } = await get('/help', { 'accept-language': language });
    assert.match(body.split('id="privacy"')[1]?.split('</section>')[0] ?? '', told[language], language);
  }
});
