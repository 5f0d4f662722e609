import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import type { Box } from '../e2e/box.ts';
import { patiently } from '../run/patience.ts';

export type Script = 'on' | 'off';

export interface Wish {
  readonly from: string;
  readonly to: string;
  readonly send?: string;
  readonly receive?: string;
  readonly address: string;
  readonly refund?: string;
}

/** On a machine that is free; a busy one is waited for. */
const WITHIN_MS = 90_000;
/** The most that one step of the browser may take, however busy the machine. */
const STEP_MS = 300_000;
/** A person who waits loads a page again no more often, and looks at one that changes by itself now and then. */
const AGAIN_MS = 2_000;
const LOOK_MS = 500;
const PHONE = { width: 360, height: 740 };
let visitors = 0;

/** Somebody with a phone, from an address of their own, with or without script. Everything they load is noted. */
export async function openVisitor(browser: Browser, box: Box, script: Script) {
  visitors += 1;
  const context = await browser.newContext({
    viewport: PHONE,
    locale: 'en',
    javaScriptEnabled: script === 'on',
    extraHTTPHeaders: { 'x-forwarded-for': `198.51.100.${visitors}` },
  });
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_MS);
  const loaded: string[] = [];
  const complaints: string[] = [];
  context.on('request', (request) => loaded.push(request.url()));
  page.on('console', (message) => {
    if (/Content.Security.Policy|trusted/i.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  const go = (path: string) => page.goto(box.info.apiUrl + path);
  return { script, context, page, loaded, complaints, go, ...ways(page, script, go), close: () => context.close() };
}

export type Visitor = Awaited<ReturnType<typeof openVisitor>>;

function ways(page: Page, script: Script, go: (path: string) => Promise<unknown>) {
  /** Coins are chosen from a list, which can be searched where there is script. */
  async function choose(name: 'from' | 'to', label: string): Promise<void> {
    const chosen = await page.locator(`select[name=${name}] option:checked`).textContent();
    if (chosen === label) return;
    if (script === 'off') {
      await page.locator(`select[name=${name}]`).selectOption({ label });
      return;
    }
    await page.locator(`select[name=${name}] + .picker`).click();
    await page.locator('dialog input').fill(label.replace(' · ', ' '));
    // The page is made anew around the other coin.
    await Promise.all([page.waitForEvent('load'), page.locator('dialog input').press('Enter')]);
  }

  async function fill({ from, to, send, receive, address, refund }: Wish): Promise<void> {
    await go('/');
    await choose('from', from);
    await choose('to', to);
    if (send) await page.locator('#send').fill(send);
    if (receive) await page.locator('#receive').fill(receive);
    if (script === 'off')
      await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Show quote' }).last().click()]);
    await page.locator('#quote dl').waitFor();
    await page.locator('#address').fill(address);
    if (refund) await page.locator('#refund').fill(refund);
  }

  async function create(wish: Wish): Promise<string> {
    await fill(wish);
    await page.getByRole('button', { name: 'Create order' }).click();
    return created();
  }

  /** The order's page. A form that comes back instead says why, and that is what fails. */
  async function created(): Promise<string> {
    await page.locator('live-order, #troubles').first().waitFor();
    assert.deepEqual(await page.locator('#troubles').allTextContents(), [], 'the form came back');
    assert.match(page.url(), /\/order\//);
    return page.url();
  }

  /** Waits for the headline on an order's page: by itself where there is script, else by loading the page again, as a person would. */
  const sees = (headline: string | RegExp): Promise<void> =>
    comes(page.locator('h1', { hasText: headline }), `${headline}`);
  const finds = (selector: string): Promise<void> => comes(page.locator(selector).first(), selector);

  const comes = (wanted: Locator, what: string): Promise<void> =>
    patiently(what, WITHIN_MS, async (bound) => {
      // Asked now and then: whoever waits for an element looks at every frame, and eight of them are the work of a processor.
      while ((await wanted.count()) === 0) {
        assert.ok(!bound.isOver(), `${what} is not seen: ${await page.locator('h1').textContent()}`);
        await pause(script === 'on' ? LOOK_MS : AGAIN_MS);
        if (script === 'off' && (await hasNews())) await page.reload();
      }
    });

  /** Asked without the work of a browser: an order that tells what the page shows need not be drawn again. */
  async function hasNews(): Promise<boolean> {
    const shown = await page.locator('#state').getAttribute('data-mark');
    const reply = await page.context().request.get(`${page.url()}/state`);
    return /data-mark="([^"]+)"/.exec(await reply.text())?.[1] !== shown;
  }

  const depositAddress = async (): Promise<string> =>
    ((await page.locator('.deposit .address').first().textContent()) ?? '').trim();

  /** The form for an address asks twice. */
  async function giveAddress(kind: 'refund-address' | 'payout-address', address: string): Promise<void> {
    await page.locator(`#${kind}`).fill(address);
    await page.locator(`form[action$="/${kind}"] button`).click();
    await page.getByRole('button', { name: /^Yes, (?:return|pay) it there$/ }).click();
    await page.waitForURL(/\/order\/[^/]+$/);
  }

  return { choose, fill, create, created, sees, finds, depositAddress, giveAddress };
}

/** The control page of the sandbox, as a person uses it. */
export async function pressPay(context: BrowserContext, box: Box, orderUrl: string, button: string): Promise<void> {
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_MS);
  await page.goto(box.info.controlUrl);
  const id = orderUrl.split('/').at(-1);
  const row = page.locator('li', { has: page.locator(`input[value="${id}"]`) });
  await Promise.all([page.waitForEvent('load'), row.getByRole('button', { name: button, exact: true }).click()]);
  await page.close();
}
