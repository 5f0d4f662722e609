import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContext, Page, Route } from 'playwright-core';
import { leftOut, openChromium } from './chromium.ts';
import { fixtureDesk } from './fixture-desk.ts';
import { FIXTURES } from './fixtures.ts';
import { ARABIC, arabicFaultsOf, complaintsOf, ENGLISH, faultsOf, PHONE, tooHeavy } from './looks.ts';
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

const VISITORS = {
  english: ENGLISH,
  arabic: ARABIC,
  plain: { viewport: PHONE, javaScriptEnabled: false },
} as const;

/** A browser that holds the key to every fixture, and notes what its pages complain about. */
async function visitor(
  look: keyof typeof VISITORS = 'english',
): Promise<{ context: BrowserContext; page: Page; complaints: string[] }> {
  const context = await browser.newContext(VISITORS[look]);
  await context.addCookies([{ name: 'wherry_proof', value: 'x', url: `${desk.url}/order/` }]);
  const page = await context.newPage();
  const complaints = complaintsOf(page, desk.url);
  return { context, page, complaints };
}

const faults = (page: Page, path: string) => faultsOf(page, desk.files, path.startsWith('/order/') ? 8_000 : 18_000);

/** Everything that is wrong with one of these pages. Each is loaded twice: in English, and in Arabic. */
async function faultsIn(paths: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  const look = async (who: 'english' | 'arabic', at: (page: Page, path: string) => Promise<readonly string[]>) => {
    const { context, page, complaints } = await visitor(who);
    for (const path of paths) {
      await page.goto(desk.url + path);
      found.push(...(await at(page, path)).map((one) => `${path}, ${who}: ${one}`));
    }
    found.push(...complaints);
    await context.close();
  };
  await Promise.all([look('english', faults), look('arabic', arabicFaultsOf)]);
  return found;
}

test('no page has a barrier, in light, dark or Arabic, weighs too much, runs out of a narrow screen or of large letters, or hides anything in forced colours', {
  skip: leftOut,
}, async () => {
  assert.deepEqual(await faultsIn(PATHS), []);
});

test('no state of an order has a barrier, in light, dark or Arabic, weighs too much, runs out of a narrow screen or of large letters, or hides anything in forced colours', {
  skip: leftOut,
}, async () => {
  assert.deepEqual(await faultsIn(ORDERS), []);
});

/** As if somebody had built it so: everything that is looked for is wrong with it. */
const BROKEN = `<div style="width: 500px; height: 2em; overflow: hidden; font-size: 1rem">
  <img src="data:,"><button type="button" class="round" style="width: 10px; height: 10px; min-height: 0; padding: 0; border: 0"></button>
  <p style="color: #777; background: #888; transition: color 1s">${'It cannot be read. '.repeat(40)}</p>
</div>${[1, 2, 3].map((n) => `<script src="/assets/none-${n}.js"></script>`).join('')}<!-- ${'x'.repeat(45_000)} -->`;

test('a page that is broken in every way is found to be, in every way', { skip: leftOut }, async () => {
  const { context, page } = await visitor();
  await page.goto(`${desk.url}/help`);
  assert.deepEqual(await faults(page, '/help'), []);
  await context.route(`${desk.url}/help`, async (route) => {
    const reply = await route.fetch();
    const headers = { ...reply.headers(), 'content-security-policy': '' };
    const body = (await reply.text()).replace(/<h1>[^<]*<\/h1>/, '<h1></h1>').replace('</main>', `${BROKEN}</main>`);
    await route.fulfill({ status: 200, headers, body });
  });
  await page.goto(`${desk.url}/help`);
  const found = await faults(page, '/help');
  for (const wrong of [
    ...[/^html: \d+ of 30000$/, /^requests: \d of 4$/, /^all: \d+ of 45000$/, /^it does not say what it is$/],
    ...[/^image-alt: /, /^button-name: /, /^color-contrast: /, /^dark: color-contrast: /],
    ...[/^unseen in forced colours: /, /^it moves: /, /^it is too wide$/, /^too small to touch: /, /^cut off: /],
  ])
    assert.ok(
      found.some((one) => wrong.test(one)),
      `${wrong} is not among ${found.join('\n')}`,
    );
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

test('a state of a newer desk is shown plainly, without a button that leads nowhere', { skip: leftOut }, async () => {
  const { context, page } = await visitor();
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
  const { context, page } = await visitor();
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

test('what is typed before the script of the page is there is quoted all the same', { skip: leftOut }, async () => {
  const context = await browser.newContext(ENGLISH);
  const page = await context.newPage();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/swap-\w+\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(desk.url, { waitUntil: 'commit' });
  await page.locator('#send').fill('300');
  release();
  await page.locator('#quote dl').waitFor();
  assert.equal(await page.locator('#receive').inputValue(), '1');
  await context.close();
});

test('where the desk gives no quote for a new amount, the old one does not stand under it, and the page says so', {
  skip: leftOut,
}, async () => {
  const { context, page } = await visitor();
  await page.goto(`${desk.url}/?send=300`);
  await page.locator('#quote dl').waitFor();
  for (const [amount, fail] of [
    ['400', (route: Route) => route.fulfill({ status: 429, body: '' })],
    ['500', (route: Route) => route.abort()],
  ] as const) {
    await page.route(/\/quote$/, fail);
    await page.locator('#send').fill(amount);
    await page.locator('#quote', { hasText: 'The desk was not reached' }).waitFor();
    assert.equal(await page.locator('#quote dl').count(), 0);
    assert.equal(await page.locator('#quote').getAttribute('aria-busy'), null);
    assert.equal(await page.locator('#receive').inputValue(), '');
    await page.unroute(/\/quote$/);
    await page.locator('#send').fill('300');
    await page.locator('#quote[data-receive="1"] dl').waitFor();
  }
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
  const { context, page } = await visitor();
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
  const { context, page } = await visitor();
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
