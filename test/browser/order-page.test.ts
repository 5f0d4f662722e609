import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { EVM_ADDRESS, OTHER_EVM_ADDRESS } from '../wire/assets.ts';
import { BUY_ORDER } from '../wire/bench.ts';
import { arrived, completed, confirming, refunded, strayed } from '../wire/stages.ts';
import { leftOut, openChromium } from './chromium.ts';
import { PHONE } from './looks.ts';
import { stagedDesk } from './staged-desk.ts';

let browser: Browser;
let desk: Awaited<ReturnType<typeof stagedDesk>>;
let url: string;

before(async () => {
  if (leftOut) return;
  [browser, desk] = await Promise.all([openChromium(), stagedDesk()]);
  url = await desk.listen();
});
after(async () => {
  await browser?.close();
  await desk?.api.close();
});

/** Somebody with a phone, and as many orders of their own. */
async function owner(orders: number, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: PHONE, locale: 'en', ...options });
  const made = [];
  for (let n = 0; n < orders; n += 1) {
    const { orderId, sessionId } = (await desk.post('/v2/swaps', BUY_ORDER)).json();
    const at = `${url}/order/${orderId}`;
    await context.addCookies([
      { name: 'wherry_proof', value: sessionId, domain: '127.0.0.1', path: `/order/${orderId}` },
    ]);
    made.push({ id: orderId as string, session: sessionId as string, at });
  }
  const [first] = made;
  assert.ok(first);
  return { context, page: await context.newPage(), made, first };
}

const NOTICES = `window.noted = [];
window.Notification = class {
  constructor(title) { window.noted.push(title); }
  static permission = 'default';
  static async requestPermission() { window.noted.push('asked'); return 'granted'; }
}`;

test('title and icon tell the state as it changes, and the system is used for a notice only after a click', {
  skip: leftOut,
}, async () => {
  const { context, page, first } = await owner(1);
  await context.addInitScript(NOTICES);
  await page.goto(first.at);
  const icon = () => page.locator('link[rel=icon]').getAttribute('href');
  const [titleBefore, iconBefore] = [await page.title(), await icon()];
  assert.match(titleBefore, /^Send your payment/);
  desk.desk.change(first.id, confirming);
  await page.locator('h1', { hasText: 'Your payment is' }).waitFor();
  assert.match(await page.title(), /^Your payment is/);
  assert.notEqual(await icon(), iconBefore);
  assert.match((await page.locator('#news').textContent()) ?? '', /^Your payment is/);
  assert.deepEqual(await page.evaluate('noted'), []);
  await page.getByRole('button', { name: 'Tell me' }).click();
  desk.desk.change(first.id, completed);
  await page.locator('h1', { hasText: 'Done' }).waitFor();
  assert.deepEqual(await page.evaluate('noted'), ['asked', await page.title()]);
  assert.ok(await page.locator('tell-me').isHidden(), 'nothing more is to be told');
  await context.close();
});

test('a form that is being filled is not replaced, and the page says that there is news', {
  skip: leftOut,
}, async () => {
  const { context, page, first } = await owner(1);
  desk.desk.change(first.id, strayed);
  await page.goto(first.at);
  await page.locator('#refund-address').fill(OTHER_EVM_ADDRESS);
  desk.desk.change(first.id, refunded);
  await page.locator('#moved:visible').waitFor();
  assert.equal(await page.locator('#refund-address').inputValue(), OTHER_EVM_ADDRESS);
  await page.locator('#moved a').click();
  await page.locator('h1', { hasText: 'Returned to you' }).waitFor();
  await context.close();
});

test('a state that says the same is not put in its place: what was refused and why stays, until there is news', {
  skip: leftOut,
}, async () => {
  const { context, page, first } = await owner(1);
  desk.desk.change(first.id, strayed);
  await page.goto(first.at);
  await page.locator('#refund-address').fill('nowhere');
  const told = page
    .waitForEvent('websocket', { predicate: (socket) => socket.url().endsWith('/live') })
    .then((socket) => socket.waitForEvent('framereceived'));
  await page.locator('#refund-address').press('Enter');
  await page.locator('input[name=sure] ~ .buttons button').click();
  await told;
  // Frames are taken one after the other: whatever the first one did to the page is done once another turn has passed.
  await page.evaluate('new Promise((done) => setTimeout(done))');
  assert.equal(await page.locator('#refund-address').inputValue(), 'nowhere');
  assert.ok(await page.locator('#refund-address[aria-invalid=true]').isVisible());
  assert.ok(await page.locator('#moved').isHidden());
  desk.desk.change(first.id, refunded);
  await page.locator('h1', { hasText: 'Returned to you' }).waitFor();
  await context.close();
});

test('a socket that is silent for a minute is not believed: the page reads', { skip: leftOut }, async () => {
  const { context, page, first } = await owner(1);
  await page.clock.install();
  await new Promise<void>((opened, failed) => {
    // It is opened, and says nothing.
    page
      .routeWebSocket(/\/live$/, () => opened())
      .then(() => page.goto(first.at))
      .catch(failed);
  });
  const reads: string[] = [];
  page.on('request', (request) => reads.push(new URL(request.url()).pathname));
  desk.desk.change(first.id, confirming);
  await page.clock.runFor(59_000);
  assert.deepEqual(reads, []);
  assert.match(await page.title(), /^Send your payment/);
  await page.clock.runFor(1_000);
  await page.locator('h1', { hasText: 'Your payment is' }).waitFor();
  assert.deepEqual(reads, [`/order/${first.id}/state`]);
  await context.close();
});

test('the focus of the keyboard stays where it was as the state changes, or goes to the headline where that is gone', {
  skip: leftOut,
}, async () => {
  const { context, page, first } = await owner(1);
  await page.goto(first.at);
  const focused = () =>
    page.evaluate(
      '[document.activeElement.tagName, document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent.trim()]',
    );
  await page.getByRole('button', { name: 'Copy: Address' }).first().focus();
  desk.desk.change(first.id, arrived(100_000_000n, 3));
  await page.locator('h1', { hasText: 'Part of it has arrived' }).waitFor();
  assert.deepEqual(await focused(), ['BUTTON', 'Copy: Address']);
  await page.locator('#state summary', { hasText: 'Details' }).focus();
  await page.keyboard.press('Enter');
  desk.desk.change(first.id, confirming);
  await page.locator('h1', { hasText: 'Your payment is' }).waitFor();
  assert.deepEqual(await focused(), ['SUMMARY', 'Details']);
  await page.getByRole('button', { name: 'Copy: Link to follow along' }).first().focus();
  const label = await focused();
  desk.desk.change(first.id, completed);
  await page.locator('h1', { hasText: 'Done' }).waitFor();
  assert.deepEqual(await focused(), label);
  await context.close();
});

test('a button that the next state has not leaves the focus to the headline', { skip: leftOut }, async () => {
  const { context, page, first } = await owner(1);
  await page.goto(first.at);
  await page.getByRole('button', { name: 'Copy: Address' }).first().focus();
  desk.desk.change(first.id, completed);
  await page.locator('h1', { hasText: 'Done' }).waitFor();
  assert.deepEqual(await page.evaluate('[document.activeElement.tagName, document.activeElement.textContent]'), [
    'H1',
    'Done',
  ]);
  // Whoever is elsewhere on the page is left there.
  const other = await owner(1);
  await other.page.goto(other.first.at);
  await other.page.locator('.order-links a').first().focus();
  desk.desk.change(other.first.id, completed);
  await other.page.locator('h1', { hasText: 'Done' }).waitFor();
  assert.ok(await other.page.evaluate("document.activeElement.matches('.order-links a')"));
  await context.close();
  await other.context.close();
});

test('what is copied is the raw text, and that is announced', { skip: leftOut }, async () => {
  const { context, page, first } = await owner(1, { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.goto(first.at);
  const copied = () => page.evaluate('navigator.clipboard.readText()');
  await page.getByRole('button', { name: 'Copy: Address' }).first().click();
  await page.locator('#news', { hasText: 'Copied' }).waitFor({ state: 'attached' });
  assert.equal(await copied(), EVM_ADDRESS);
  await page
    .getByRole('button', { name: /^Copy: Amount/ })
    .first()
    .click();
  await page.waitForFunction("navigator.clipboard.readText().then((text) => text === '300')");
  // Selected by hand it is whole, too: the groups are set apart by style alone.
  assert.equal(
    await page.evaluate(`(() => {
      getSelection().selectAllChildren(document.querySelector('.deposit .address'));
      return String(getSelection());
    })()`),
    EVM_ADDRESS,
  );
  await context.close();
});

test('orders of this device are listed here alone, their codes saved, one forgotten, then all', {
  skip: leftOut,
}, async () => {
  const { context, page, made, first } = await owner(2);
  for (const { at } of made) await page.goto(at);
  await page.goto(`${url}/orders`);
  assert.equal(await page.locator('own-orders li').count(), 2);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save all recovery codes' }).click(),
  ]);
  const saved = readFileSync(await file.path(), 'utf8');
  for (const { id, session } of made) assert.ok(saved.includes(`wherry-1.${id}.${session}.`), id);
  await page.getByRole('button', { name: 'Forget', exact: true }).first().click();
  assert.equal(await page.locator('own-orders li').count(), 1);
  await page.getByRole('button', { name: 'Forget all' }).click();
  assert.ok(await page.getByText('No orders on this device yet').isVisible());
  // A code behind the sign is filled in, and is in no request.
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const code = saved.match(new RegExp(`wherry-1\\.${first.id}\\.\\S+`))?.[0] ?? '';
  await context.clearCookies();
  await page.goto(`${url}/recover#${code}`);
  assert.equal(await page.locator('#code').inputValue(), code);
  assert.ok(!asked.some((one) => one.includes(first.session)) && !page.url().includes(first.session));
  await page.getByRole('button', { name: 'Open the order' }).click();
  await page.waitForURL(first.at);
  await context.close();
});

test('a desk that is asked too often for codes is waited for, and an order without a code is named on the page and in the file', {
  skip: leftOut,
}, async () => {
  const { context, page, made } = await owner(3);
  for (const { at } of made) await page.goto(at);
  const [busy, gone, plain] = made;
  assert.ok(busy && gone && plain);
  let asked = 0;
  await page.route(`${busy.at}/recovery.txt`, async (route) => {
    asked += 1;
    if (asked > 1) return route.continue();
    return route.fulfill({ status: 429, headers: { 'retry-after': '1' }, body: 'Too many requests' });
  });
  await context.clearCookies({ path: `/order/${gone.id}` });
  await page.goto(`${url}/orders`);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save all recovery codes' }).click(),
  ]);
  const saved = readFileSync(await file.path(), 'utf8');
  for (const { id, session } of [busy, plain]) assert.ok(saved.includes(`wherry-1.${id}.${session}.`), id);
  assert.ok(!saved.includes(`wherry-1.${gone.id}`));
  assert.match(saved, new RegExp(`No code could be had for these orders.*\\n.*${gone.id}`));
  assert.equal(asked, 2);
  const named = page.locator('[data-part=missing]');
  await named.getByText('No code could be had for these orders').waitFor();
  assert.deepEqual(
    await page.evaluate("[...document.querySelectorAll('[data-part=missing] a')].map((one) => one.pathname)"),
    [`/order/${gone.id}`],
  );
  await context.close();
});
