import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { leftOut, openChromium } from './chromium.ts';
import { fixtureDesk } from './fixture-desk.ts';
import { FIXTURES } from './fixtures.ts';
import {
  barriersOf,
  complaintsOf,
  LOOKS,
  type Look,
  movesOf,
  PHONE,
  smallTargets,
  tooHeavy,
  tooWide,
  troubleWithLargeLetters,
  unseenInForcedColours,
} from './looks.ts';
import { ORDERS, PATHS } from './paths.ts';
import { scanned } from './scan-story.ts';

let browser: Browser;
let desk: Awaited<ReturnType<typeof fixtureDesk>>;

before(async () => {
  if (leftOut) return;
  [browser, desk] = await Promise.all([openChromium(), fixtureDesk()]);
});
after(async () => {
  await browser?.close();
  await desk?.close();
});

const OTHER_LOOKS = {
  plain: { viewport: PHONE, javaScriptEnabled: false },
  forced: { viewport: PHONE, forcedColors: 'active', reducedMotion: 'reduce' },
} as const;

/** A browser that holds the key to every fixture, and notes what its pages complain about. */
async function visitor(
  look: Look | keyof typeof OTHER_LOOKS,
): Promise<{ context: BrowserContext; page: Page; complaints: string[] }> {
  const context = await browser.newContext({ ...LOOKS, ...OTHER_LOOKS }[look]);
  await context.addCookies([{ name: 'wherry_proof', value: 'x', url: `${desk.url}/order/` }]);
  const page = await context.newPage();
  const complaints = complaintsOf(page, desk.url);
  return { context, page, complaints };
}

test('a barrier that is planted is found', { skip: leftOut }, async () => {
  const { context, page } = await visitor('light');
  await page.goto(`${desk.url}/help`);
  assert.deepEqual(await barriersOf(page), []);
  await page.evaluate(`document.querySelector('main').append(
    Object.assign(document.createElement('img'), { src: 'data:,' }),
    Object.assign(document.createElement('button'), { type: 'button' }),
  )`);
  const found = (await barriersOf(page)).map((one) => one.split(':')[0]);
  assert.deepEqual([...new Set(found)].sort(), ['button-name', 'image-alt']);
  await context.close();
});

test('a weight that is planted is found', () => {
  const light = { html: 20_000, style: 8_000, script: 6_000, requests: 3 };
  assert.deepEqual(tooHeavy(light, 8_000), []);
  assert.deepEqual(tooHeavy({ ...light, html: 30_001 }, 8_000), ['html: 30001 of 30000']);
  assert.deepEqual(tooHeavy({ ...light, script: 8_001, requests: 5 }, 8_000), [
    'script: 8001 of 8000',
    'requests: 5 of 4',
  ]);
  assert.deepEqual(tooHeavy({ html: 29_000, style: 9_000, script: 8_000, requests: 4 }, 8_000), [
    'all: 46000 of 45000',
  ]);
});

for (const look of ['light', 'dark', 'arabic'] as const) {
  test(`no page and no state has a barrier, ${look}`, { skip: leftOut }, async () => {
    const { context, page, complaints } = await visitor(look);
    const barriers: string[] = [];
    for (const path of [...PATHS, ...ORDERS]) {
      await page.goto(desk.url + path);
      barriers.push(...(await barriersOf(page, look)).map((found) => `${path} ${found}`));
    }
    assert.deepEqual(barriers, []);
    assert.deepEqual(complaints, []);
    await context.close();
  });
}

test('every page says what it is, keeps within its weight, fits a narrow screen and letters twice as large', {
  skip: leftOut,
}, async () => {
  const { files, url } = desk;
  const gz = (name: string) => files[name]?.gzip.length ?? Number.POSITIVE_INFINITY;
  const weighs = (path: string, html: number, requests: number) =>
    /^\/order\//.test(path)
      ? tooHeavy({ html, requests, style: gz('style.css'), script: gz('order.js') }, 8_000)
      : tooHeavy({ html, requests, style: gz('style.css'), script: gz('swap.js') }, 18_000);
  const { context, page, complaints } = await visitor('light');
  const [seen, troubles]: [string[], string[]] = [[], []];
  page.on('response', (response) => {
    if (/^http/.test(response.url()) && !/\/(?:live|state)$/.test(response.url())) seen.push(response.url());
  });
  for (const path of [...PATHS, ...ORDERS]) {
    seen.length = 0;
    await page.setViewportSize({ width: 320, height: 640 });
    const reply = await page.goto(url + path);
    const html = (await reply?.body())?.length ?? 0;
    const found = [...weighs(path, html, new Set(seen).size)];
    if (((await page.locator('h1').first().textContent()) ?? '').length <= 3) found.push('it does not say what it is');
    if ((await tooWide(page)) !== 0) found.push('it is too wide');
    found.push(...(await smallTargets(page)));
    await page.setViewportSize(PHONE);
    found.push(...(await troubleWithLargeLetters(page)));
    troubles.push(...found.map((one) => `${path}: ${one}`));
  }
  assert.deepEqual([...troubles, ...complaints], []);
  await context.close();
});

test('in the few colours of the system everything that can be pressed has a line around it, and nothing moves for those who ask for that', {
  skip: leftOut,
}, async () => {
  const { context, page } = await visitor('forced');
  for (const path of [...PATHS, ...ORDERS]) {
    await page.goto(desk.url + path);
    assert.deepEqual(await unseenInForcedColours(page), [], path);
    assert.deepEqual(await movesOf(page), [], path);
  }
  await context.close();
});

test('a state of a newer desk is shown plainly, without a button that leads nowhere', { skip: leftOut }, async () => {
  const { context, page } = await visitor('light');
  for (const name of ['unheard_of', 'coinflip']) {
    await page.goto(`${desk.url}/order/${name}`);
    assert.equal(await page.locator('#state form').count(), 0);
    assert.equal(await page.locator('h1').textContent(), 'Your order is being looked after');
  }
  await page.goto(`${desk.url}/order/refund_unlisted`);
  assert.equal(await page.locator('#state b').count(), 0);
  assert.ok(!((await page.locator('#state').textContent()) ?? '').includes('\u202e'));
  await context.close();
});

test('the code to scan holds a coin’s payment link, and of a token the bare address', { skip: leftOut }, async () => {
  const { context, page } = await visitor('light');
  const reader = await browser.newPage();
  for (const [name, order] of Object.entries(FIXTURES).filter(([name]) => /^awaiting|^below_expected/.test(name))) {
    await page.goto(`${desk.url}/order/${name}`);
    const read = await scanned(page.locator('.qr').first(), reader);
    const isCoin = ['XMR', 'ZEC'].includes(order.fromToken);
    assert.equal(read, isCoin ? order.depositUri : order.depositAddress, name);
    assert.ok(((await page.locator('.qr').getAttribute('alt')) ?? '').includes(order.depositAddress), name);
  }
  await reader.close();
  await context.close();
});

test('without script nothing is hidden that is needed, and reloading is asked for, never forced', {
  skip: leftOut,
}, async () => {
  const { context, page } = await visitor('plain');
  await page.goto(`${desk.url}/order/confirming`);
  assert.equal(await page.locator('meta[http-equiv=refresh]').count(), 0);
  await page.getByText('Reload every 20 seconds').click();
  assert.equal(await page.locator('meta[http-equiv=refresh]').getAttribute('content'), '20');
  await page.goto(`${desk.url}/order/refund_wanted?reload=1`);
  assert.equal(await page.locator('meta[http-equiv=refresh]').count(), 0);
  assert.equal(await page.locator('copy-text button:visible').count(), 0);
  await page.goto(`${desk.url}/`);
  assert.ok(await page.getByRole('button', { name: 'Show quote' }).last().isVisible());
  await context.close();
});

test('by keyboard alone a quote is had, and the trouble of a form gets the focus', { skip: leftOut }, async () => {
  const { context, page } = await visitor('light');
  await page.goto(`${desk.url}/`);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate('document.activeElement.className'), 'skip');
  await page.keyboard.press('Enter');
  await page.locator('#send').focus();
  await page.keyboard.type('300');
  await page.locator('#quote[data-receive="1"]').waitFor();
  await page.locator('button[value=create]').focus();
  await page.keyboard.press('Enter');
  await page.waitForSelector('#troubles');
  assert.equal(await page.evaluate('document.activeElement.id'), 'troubles');
  assert.equal(await page.locator('#send').inputValue(), '300');
  await context.close();
});

test('an address is kept on this device where its box is ticked, offered again, and forgotten', {
  skip: leftOut,
}, async () => {
  const { context, page } = await visitor('light');
  await page.goto(`${desk.url}/?send=300`);
  const submit = () =>
    Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Create order' }).click()]);
  await page.locator('#address').fill('4nobody');
  await submit();
  assert.equal(await page.evaluate('localStorage.getItem("wherry-addresses")'), null);
  await page.getByLabel('Keep this address on this device').check();
  await submit();
  assert.equal(await page.locator('#own-addresses option').first().getAttribute('value'), '4nobody');
  await page.goto(`${desk.url}/orders`);
  await page.locator('address-list').getByRole('button', { name: 'Forget' }).click();
  assert.equal(await page.evaluate('localStorage.getItem("wherry-addresses")'), '[]');
  await context.close();
});
