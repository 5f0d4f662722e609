import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { leftOut, openChromium } from './chromium.ts';
import { fixtureDesk } from './fixture-desk.ts';
import { ARABIC, arabicFaultsOf, complaintsOf, ENGLISH, faultsOf, PHONE } from './looks.ts';
import { BUSY, KEY } from './partner-fixtures.ts';
import { PARTNER_VISITS, visitPartner } from './partner-visits.ts';

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

async function opened(options: BrowserContextOptions) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  return { context, page, complaints: complaintsOf(page, desk.url) };
}

/** Everything that is wrong with the pages as this visitor meets them. */
async function faultsBy(
  who: string,
  options: BrowserContextOptions,
  look: (page: Page) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const { context, page, complaints } = await opened(options);
  const found: string[] = [];
  for (const visit of PARTNER_VISITS) {
    await visitPartner(context, page, desk.url, visit);
    found.push(...(await look(page)).map((one) => `${visit.name}, ${who}: ${one}`));
  }
  await context.close();
  return [...found, ...complaints];
}

test('no page of partners has a barrier, in light, dark or Arabic, weighs too much, runs out of a narrow screen or of large letters, or hides anything in forced colours', {
  skip: leftOut,
}, async () => {
  const found = await Promise.all([
    faultsBy('english', ENGLISH, (page) => faultsOf(page, desk.files, 25_000)),
    faultsBy('arabic', ARABIC, arabicFaultsOf),
  ]);
  assert.deepEqual(found.flat(), []);
});

test('pages of partners work without script', { skip: leftOut }, async () => {
  const said = async (page: Page) =>
    ((await page.locator('h1').first().textContent()) ?? '').length > 2 ? [] : ['it does not say what it is'];
  assert.deepEqual(await faultsBy('plain', { viewport: PHONE, javaScriptEnabled: false }, said), []);
});

test('a key is shown once, and a form that is sent twice makes none', { skip: leftOut }, async () => {
  const { context, page } = await opened({ viewport: PHONE, javaScriptEnabled: false });
  const visit = PARTNER_VISITS.find(({ name }) => name === 'partners-key-once');
  assert.ok(visit);
  await visitPartner(context, page, desk.url, visit);
  assert.equal(await page.locator('.secret .code').textContent(), KEY);
  assert.ok(!page.url().includes(KEY));
  await page.goto(`${desk.url}/partners/${BUSY}/keys`);
  assert.ok(!(await page.content()).includes(KEY));
  // As if somebody else had made a key since this form was shown.
  await context.route('**/keys', (route) =>
    route.continue({ postData: (route.request().postData() ?? '').replace('known=3', 'known=2') }),
  );
  await page.locator('form.action button').click();
  await page.getByText('Nothing was done').waitFor();
  assert.equal(await page.locator('.secret').count(), 0);
  await context.close();
});
