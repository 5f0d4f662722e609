/** npm run bench:pages: how soon a page is there on a slow phone and on a line like Tor's, and what a page costs beside JSON. */
import type { CDPSession, Page } from 'playwright-core';
import { openChromium } from '../test/browser/chromium.ts';
import { stagedDesk } from '../test/browser/staged-desk.ts';
import { MONERO_ADDRESS, USDC } from '../test/wire/assets.ts';

interface Line {
  readonly name: string;
  readonly kbit: number;
  readonly latencyMs: number;
  readonly slowdown: number;
}

const LINES: readonly Line[] = [
  { name: 'slow phone (1.6 Mbit/s, 150 ms, CPU ÷ 4)', kbit: 1_600, latencyMs: 150, slowdown: 4 },
  { name: 'like Tor (0.4 Mbit/s, 800 ms)', kbit: 400, latencyMs: 800, slowdown: 1 },
];
interface Vitals {
  readonly lcp: number;
  readonly cls: number;
  readonly usable: number;
  readonly inp: number;
}

const ROUNDS = 3;
const READS = 400;

/** The largest paint so far and the sum of all shifts, as the browser itself saw them. */
const VITALS = `new Promise((tell) => {
  let lcp = 0, cls = 0;
  new PerformanceObserver((list) => { for (const one of list.getEntries()) lcp = one.startTime; }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => { for (const one of list.getEntries()) cls += one.value; }).observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => tell({ lcp, cls, usable: performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd }), 500);
})`;

/** Notes the longest time from a touch or key to the next paint (https://web.dev/articles/inp). */
const WATCH = `window.inp = 0;
  new PerformanceObserver((list) => { for (const one of list.getEntries()) if (one.interactionId) window.inp = Math.max(window.inp, one.duration); }).observe({ type: 'event', durationThreshold: 16, buffered: true });`;

const desk = await stagedDesk();
const url = await desk.listen();
const form = new URLSearchParams({
  do: 'create',
  key: 'x',
  from: `42161:${USDC.token}`,
  to: '0:XMR',
  send: '300',
  address: MONERO_ADDRESS,
});
const made = await desk.call({
  method: 'POST',
  url: '/',
  payload: `${form}`,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
});
const path = String(made.headers.location);
const session = /wherry_proof=([^;]+)/.exec(String(made.headers['set-cookie']))?.[1] ?? '';

const browser = await openChromium();
for (const line of LINES) {
  for (const [name, at] of [
    ['swap', '/?send=300'],
    ['order', path],
  ] as const) {
    const runs: Vitals[] = [];
    for (let n = 0; n < ROUNDS; n += 1) runs.push(await visit(line, at));
    const median = (of: keyof Vitals) => runs.map((run) => run[of]).sort((a, b) => a - b)[1] ?? 0;
    console.log(
      `${line.name}: ${name}: LCP ${Math.round(median('lcp'))} ms, CLS ${median('cls').toFixed(3)}, usable ${Math.round(median('usable'))} ms, INP ${Math.round(median('inp'))} ms`,
    );
  }
}
await browser.close();

const json = await rate(`/v2/swaps/${path.split('/').at(-1)}`, { 'x-session-id': session });
const page = await rate(path, { cookie: `wherry_proof=${session}` });
console.log(
  `order page ÷ JSON read of the same order: ${(page / json).toFixed(2)} (${Math.round(page)} and ${Math.round(json)} a second, one after the other)`,
);
await desk.api.close();

/** A first visit: nothing is kept from the last one. */
async function visit(line: Line, at: string): Promise<Vitals> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  await context.addCookies([{ name: 'wherry_proof', value: session, url: url + path }]);
  const shown = await context.newPage();
  await slow(await context.newCDPSession(shown), line);
  await shown.goto(url + at);
  const seen = (await shown.evaluate(VITALS)) as Omit<Vitals, 'inp'>;
  await shown.evaluate(WATCH);
  await touch(shown);
  const inp = (await shown.evaluate('new Promise((tell) => setTimeout(() => tell(window.inp), 500))')) as number;
  await context.close();
  return { ...seen, inp };
}

/** What people do first: type an amount and open the list of coins, or unfold the details. */
async function touch(page: Page): Promise<void> {
  if ((await page.locator('#send').count()) === 0) return page.locator('summary').first().click();
  await page.locator('#send').click();
  await page.keyboard.type('12', { delay: 80 });
  await page.locator('.picker').first().click();
  await page.keyboard.type('us', { delay: 80 });
}

async function slow(cdp: CDPSession, { kbit, latencyMs, slowdown }: Line): Promise<void> {
  const bytes = (kbit * 1000) / 8;
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: latencyMs,
    downloadThroughput: bytes,
    uploadThroughput: bytes,
  });
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
}

async function rate(at: string, headers: Record<string, string>): Promise<number> {
  const began = performance.now();
  for (let n = 0; n < READS; n += 1) await desk.get(at, headers);
  return READS / ((performance.now() - began) / 1000);
}
