import { chromium } from 'playwright-core';
const api = process.argv[2]!; const shots = '/tmp/person';
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en' })).newPage();
const began = performance.now(); let n = 0;
const note = async (what: string) => { await page.screenshot({ path: `${shots}-${++n}.png`, fullPage: true }); console.log(`${((performance.now() - began) / 1000).toFixed(1)} s ${what} ${page.url()}`); };
await page.goto(api); await note('swap page');
await page.locator('.banner a').click(); await page.getByText('to receive at').click();
const address = (await page.locator('li', { hasText: /^Monero/ }).locator('code').textContent())!; await note('address taken');
await page.goBack(); await page.locator('#send').fill('100'); await page.locator('#quote dl').waitFor(); await note('quote');
await page.locator('#address').fill(address); await page.getByRole('button', { name: 'Create order' }).click(); await page.locator('live-order').waitFor(); await note('order');
await page.locator('.banner a').click(); await note('control'); await page.getByRole('button', { name: 'pay all' }).first().click(); await page.waitForEvent('load').catch(() => {});
await page.goBack(); await page.goBack().catch(() => {}); if (!/order/.test(page.url())) { await page.goto(api + '/orders'); await page.locator('own-orders li a').first().click(); }
await page.locator('live-order').waitFor(); await note('order again');
await page.locator('h1', { hasText: 'Done' }).waitFor({ timeout: 300_000 }); await note('done');
await browser.close();
