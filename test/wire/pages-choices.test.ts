import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVM_ADDRESS, MONERO_ADDRESS } from './assets.ts';
import { BUY, visiting } from './pages-visit.ts';
import { strayed } from './stages.ts';

/** Where the choice of language and colours on a page leads back to, as a browser follows it. */
const backIn = (body: string): string => (/name="back" value="([^"]*)"/.exec(body)?.[1] ?? '').replaceAll('&amp;', '&');

test('a choice of language leads back to the very page: a bill stays a bill, and the answer to a form leads to its page', async (t) => {
  const { get, send, buy, desk } = await visiting(t);
  const chosenFrom = async (body: string) =>
    String((await send('/choices', { lang: 'de', back: backIn(body) })).headers.location);
  const bill = { to: '0:XMR', amount: '0.5', address: MONERO_ADDRESS, name: 'Ana & Bo', ref: 'int_1' };
  const link = `/pay?${new URLSearchParams(bill)}`;
  const quoted = await send('/pay', { ...bill, from: BUY.from, do: 'quote' });
  for (const { body } of [await get(link), await get(`${link}&lang=ar`), quoted]) {
    const back = await chosenFrom(body);
    assert.deepEqual(Object.fromEntries(new URLSearchParams(back.split('?')[1])), bill);
    const page = await get(back, { cookie: 'lang=de' });
    assert.deepEqual([page.statusCode, /<html lang="de".*<h1>An Ana &amp; Bo zahlen/.test(page.body)], [200, true]);
  }
  const turned = { from: BUY.to, to: BUY.from, receive: '150' };
  const typed = await send('/', { ...turned, address: EVM_ADDRESS, do: 'quote' });
  for (const { body } of [await get(`/?${new URLSearchParams(turned)}`), typed])
    assert.equal(await chosenFrom(body), `/?${new URLSearchParams(turned)}`);
  assert.equal(await chosenFrom((await get('/')).body), '/');
  const { path, id, cookie } = await buy();
  desk.change(id, strayed);
  const confirm = await send(`${path}/refund-address`, { 'refund-address': EVM_ADDRESS }, cookie);
  assert.equal(await chosenFrom(confirm.body), path);
  assert.equal(
    await chosenFrom((await get('/bridge?asset=xmr&direction=deposit')).body),
    '/bridge?asset=xmr&direction=deposit',
  );
});

test('a choice of language leads to no other site, whatever it is told', async (t) => {
  const { send } = await visiting(t);
  for (const back of [
    ...['//elsewhere.example', '/\\elsewhere.example', 'https://elsewhere.example', '/help?a=1\r\nset-cookie: a=b'],
    ...['javascript:alert(1)', '?to=1', '/help?<script>', '/%2f/elsewhere.example', '\t//elsewhere.example'],
  ])
    assert.equal((await send('/choices', { lang: 'en', back })).headers.location, '/', back);
});

test('below the path of a public address, a choice of language leads back there', async (t) => {
  const { get, send } = await visiting(t, { publicUrl: 'https://example.org/desk' });
  for (const path of ['/desk', '/desk?send=300', '/desk/help', '/desk/bridge?asset=xmr&direction=deposit']) {
    const page = await get(path);
    const reply = await send('/desk/choices', { lang: 'de', back: backIn(page.body) });
    const back = String(reply.headers.location);
    assert.equal(back.replace('/desk/?', '/desk?').replace(/\/$/, ''), path);
    assert.equal((await get(back)).statusCode, page.statusCode, back);
  }
});
