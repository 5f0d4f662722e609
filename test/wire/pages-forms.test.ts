import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LANGUAGES, WORDS } from '../../web/server/language.ts';
import { EVM_ADDRESS, MONERO_ADDRESS } from './assets.ts';
import { bench } from './bench.ts';
import { BUY, visiting } from './pages-visit.ts';
import { completed, fill, trading } from './stages.ts';

const valueIn = (body: string, name: string) => new RegExp(`<input id="${name}"[^>]* value="([^"]*)"`).exec(body)?.[1];
const chosenIn = (body: string, name: string) =>
  new RegExp(`<select id="${name}".*?<option value="([^"]*)" selected`).exec(body)?.[1];

test('a quote tells rate, fees, limits, time and until when it is valid; its limits fill the field', async (t) => {
  const { get, send } = await visiting(t);
  const { body } = await get('/?send=300');
  assert.match(body, /1 USDC ≈ 0\.00333333 XMR/);
  assert.match(body, /<dt>Takes about<\/dt><dd><bdi>2 min/);
  assert.match(body, /<dt>Price valid until<\/dt><dd><bdi><time dateTime="[^"]+">\d\d:\d\d UTC/i);
  const [least = '', most = ''] = [...body.matchAll(/name="fill" value="([^"]*)"/g)].map(([, value]) => value);
  assert.deepEqual([least, most], ['10', '100000']);
  const filled = await send('/', { ...BUY, do: '', send: '300', receive: '1', 'shown-send': '300', fill: most });
  assert.equal(valueIn(filled.body, 'send'), '100000');
  assert.equal(valueIn(filled.body, 'address'), MONERO_ADDRESS);
});

test('a large order says in how many parts it is traded before it is made', async (t) => {
  const { quotes } = await bench({});
  const twap = { disabled: false, chunkSizeUsd: undefined, intervalMs: undefined };
  const inParts = { ...quotes, quote: (request) => quotes.quote({ ...request, twap }) } as typeof quotes;
  const { get } = await visiting(t, {}, { quotes: inParts });
  assert.match(
    (await get('/?send=20000')).body,
    /traded in 4 parts of about \$5000, so that it hardly moves the price/,
  );
});

test('the pair is turned round by a button, and starts anew', async (t) => {
  const { send } = await visiting(t);
  const { body } = await send('/', { ...BUY, do: '', turn: '1' });
  assert.deepEqual([chosenIn(body, 'from'), chosenIn(body, 'to')], [BUY.to, BUY.from]);
  assert.deepEqual([valueIn(body, 'send'), valueIn(body, 'address')], [undefined, undefined]);
  // Monero shows no sender, so that the field for a refund stands open where it was behind a fold.
  assert.match(body, /Monero shows no sender/);
  assert.ok(!body.includes('<details class="fold">'));
});

test('no address is taken from an address of ours: what a link names of it stays out of the form', async (t) => {
  const { get } = await visiting(t);
  const { body } = await get(`/?send=300&address=${MONERO_ADDRESS}&refund=${EVM_ADDRESS}`);
  assert.equal(valueIn(body, 'send'), '300');
  assert.ok(!body.includes(MONERO_ADDRESS) && !body.includes(EVM_ADDRESS));
});

test('trades come newest first and in pages, and a receipt can be printed', async (t) => {
  const { buy, get, desk } = await visiting(t);
  const { path, id, cookie } = await buy();
  desk.change(id, trading);
  desk.saved.set(
    id,
    [...Array(60).keys()].map((at) => fill(at + 1)),
  );
  const page = await get(path, cookie);
  assert.equal((page.body.match(/<td>300\.5<\/td>/g) ?? []).length, 5);
  assert.ok(page.body.includes(`href="${path}/fills"`));
  const first = await get(`${path}/fills`, cookie);
  assert.equal((first.body.match(/<td>300\.5<\/td>/g) ?? []).length, 50);
  const older = /href="([^"]*\/fills\?cursor=[^"]*)"/.exec(first.body)?.[1] ?? '';
  const second = await get(older.replaceAll('&amp;', '&'), cookie);
  assert.equal((second.body.match(/<td>300\.5<\/td>/g) ?? []).length, 10);
  assert.doesNotMatch(second.body, /href="[^"]*cursor=/);
  desk.change(id, completed);
  const receipt = (await get(`${path}/receipt`, cookie)).body;
  for (const part of [id, '300 USDC · Arbitrum', MONERO_ADDRESS, 'class="no-print"'])
    assert.ok(receipt.includes(part), part);
  assert.equal((await get(`${path}/receipt`)).statusCode, 404);
});

test('a bridge that is off says so on the page about the state of the desk, and since when', async (t) => {
  const { deps } = await bench({});
  let isOn = true;
  const { get, wait } = await visiting(t, {}, { bridges: { ...deps.bridges, isOn: async () => isOn } });
  assert.match((await get('/status')).body, /XMR to XMR1<\/th><td><span class="on">/);
  isOn = false;
  wait(60_000);
  await get('/status');
  wait(300_000);
  const off = /XMR to XMR1<\/th><td><span class="off">off<small>switched off by the desk; seen so since 00:01 UTC/;
  assert.match((await get('/status')).body, off);
});

test('no language promises the receiver of a bill a sum, neither to the payer nor to the partner', () => {
  const says = {
    en: ['about', /exactly/],
    de: ['etwa', /genau/],
    es: ['unos', /exacta/],
    zh: ['约', /恰好|正是/],
    ar: ['نحو', /بالضبط/],
  } as const;
  for (const language of LANGUAGES) {
    const [about, exactly] = says[language];
    const { pay, links } = WORDS[language];
    assert.ok(pay.gets('0.5 XMR', 'Monero').includes(about), language);
    for (const line of [pay.gets('0.5 XMR', 'Monero'), links.line]) assert.doesNotMatch(line, exactly, language);
  }
});

test('whoever pays a bill picks what to send; the receiver’s side is locked and said in words', async (t) => {
  const { get, send } = await visiting(t);
  const bill = { to: '0:XMR', amount: '0.5', address: MONERO_ADDRESS, name: 'Ana' };
  const { body } = await get(`/pay?${new URLSearchParams(bill)}`);
  // What is paid out is what the trade yields, so that no sum is promised.
  assert.match(body, /The receiver gets about 0\.5 XMR on Monero\. The market decides/);
  assert.match(body, /<h1>Pay Ana<\/h1>/);
  for (const name of ['amount', 'address', 'to'])
    assert.match(body, new RegExp(`<input type="hidden" name="${name}"`), name);
  assert.equal(chosenIn(body, 'from'), BUY.from);
  const inDollars = { to: BUY.from, amount: '50', address: EVM_ADDRESS };
  assert.equal(chosenIn((await get(`/pay?${new URLSearchParams(inDollars)}`)).body, 'from'), '0:XMR');
  const made = await send('/pay', { ...bill, from: BUY.from, do: 'create', key: 'b' });
  assert.match(String(made.headers.location), /^\/order\/sw_/);
  const cookie = String(made.headers['set-cookie']).split(';')[0] ?? '';
  assert.match((await get(String(made.headers.location), { cookie })).body, /about 0\.5 XMR/);
  const broken = await get('/pay?to=0:XMR&amount=x');
  assert.deepEqual([broken.statusCode, /This payment link is not complete/.test(broken.body)], [400, true]);
});
