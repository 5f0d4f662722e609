import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { leftOut, openChromium } from './chromium.ts';
import { fixtureDesk } from './fixture-desk.ts';
import { barriersOf, complaintsOf, LOOKS, PHONE, smallTargets, tooWide } from './looks.ts';
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

for (const look of ['light', 'dark', 'arabic'] as const) {
  test(`no page of partners has a barrier, ${look}`, { skip: leftOut }, async () => {
    const { context, page, complaints } = await opened(LOOKS[look]);
    const barriers: string[] = [];
    for (const visit of PARTNER_VISITS) {
      await visitPartner(context, page, desk.url, visit);
      barriers.push(...(await barriersOf(page, look)).map((found) => `${visit.name} ${found}`));
    }
    assert.deepEqual(barriers, []);
    assert.deepEqual(complaints, []);
    await context.close();
  });
}

test('pages of partners work without script, fit a narrow screen and keep within their weight', {
  skip: leftOut,
}, async () => {
  const gz = (name: string) => desk.files[name]?.gzip.length ?? Number.POSITIVE_INFINITY;
  assert.ok(gz('partners.js') <= 25_000, `script ${gz('partners.js')}`);
  assert.ok(gz('style.css') + gz('partners.css') <= 12_000, `style ${gz('style.css') + gz('partners.css')}`);
  for (const javaScriptEnabled of [false, true]) {
    const { context, page, complaints } = await opened({ viewport: { width: 320, height: 640 }, javaScriptEnabled });
    for (const visit of PARTNER_VISITS) {
      await visitPartner(context, page, desk.url, visit);
      const html = (await page.content()).length;
      assert.ok(html <= 30_000, `${visit.name}: ${html} bytes of HTML`);
      assert.ok(((await page.locator('h1').first().textContent()) ?? '').length > 2, visit.name);
      if (!javaScriptEnabled) continue;
      assert.equal(await tooWide(page), 0, `${visit.name} is too wide`);
      assert.deepEqual(await smallTargets(page), [], visit.name);
    }
    assert.deepEqual(complaints, []);
    await context.close();
  }
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
