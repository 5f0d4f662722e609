import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import type { AssetFiles } from '../../web/server/assets.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rule that costs most, and the only one that colours alone can break. */
const CONTRAST = 'color-contrast';
export const PHONE = { width: 360, height: 740 };
const NARROW = { width: 320, height: 640 };
export const ENGLISH = { viewport: PHONE, colorScheme: 'light', locale: 'en' } as const;
export const ARABIC = { viewport: PHONE, colorScheme: 'light', locale: 'ar' } as const;
type Look = 'light' | 'dark' | 'arabic';

/** What is wrong with the page that is loaded in English, in every way of looking at it that needs no other one. */
export async function faultsOf(page: Page, files: AssetFiles, scriptMost: number): Promise<readonly string[]> {
  const heavy = tooHeavy(await weightOf(page, files), scriptMost);
  const said = ((await page.locator('h1').first().textContent()) ?? '').trim();
  const light = await barriersOf(page);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  const dark = await barriersOf(page, 'dark');
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce', forcedColors: 'active' });
  const unseen = await unseenInForcedColours(page);
  const moving = await movesOf(page);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference', forcedColors: 'none' });
  await page.setViewportSize(NARROW);
  const isTooWide = (await tooWide(page)) !== 0;
  const small = await smallTargets(page);
  await page.setViewportSize(PHONE);
  return [
    ...heavy,
    ...(said.length > 2 ? [] : ['it does not say what it is']),
    ...light,
    ...dark.map((one) => `dark: ${one}`),
    ...unseen.map((one) => `unseen in forced colours: ${one}`),
    ...moving.map((one) => `it moves: ${one}`),
    ...(isTooWide ? ['it is too wide'] : []),
    ...small.map((one) => `too small to touch: ${one}`),
    ...(await troubleWithLargeLetters(page)),
  ];
}

interface Found {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Every rule in the light look; of the others what they can break: dark its contrast, Arabic all but that of the same colours. */
const ASKED: Readonly<Record<Look, object>> = {
  light: { runOnly: RULES },
  dark: { runOnly: [CONTRAST] },
  arabic: { runOnly: RULES, rules: { [CONTRAST]: { enabled: false } } },
};

async function barriersOf(page: Page, look: Look = 'light'): Promise<readonly string[]> {
  // Evaluated past the page's policy, which lets no foreign script in.
  await page.evaluate(`window.axe ?? (() => {${AXE}})()`);
  const asked = { ...ASKED[look], resultTypes: ['violations'] };
  const ran = `axe.run(${JSON.stringify(asked)}).then((r) => r.violations)`;
  const found = (await page.evaluate(ran)) as readonly Found[];
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

/** What is wrong with the page that is loaded in Arabic. */
export const arabicFaultsOf = async (page: Page): Promise<readonly string[]> => [
  ...(await barriersOf(page, 'arabic')),
  ...(await mirroredIn(page)),
];

/** Amounts and times of a page from right to left that would be read as "XMR 0.998": each needs a direction of its own. */
const mirroredIn = async (page: Page): Promise<readonly string[]> =>
  ((await page.evaluate(MIRRORED)) as readonly string[]).map((text) => `mirrored: ${text}`);

const MIRRORED = `(() => {
  const found = [];
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.textContent.replaceAll(/\\u2066[^\\u2069]*\\u2069|\\u2068[^\\u2069]*\\u2069/g, '').trim();
    // A date of the language itself says its direction by marks of its own.
    if (text.includes('\\u200f')) continue;
    const isAtRisk = /\\d\\s+[A-Za-z]/.test(text) || /\\d-\\d|:\\/\\//.test(text);
    if (isAtRisk && getComputedStyle(node.parentElement).direction === 'rtl') found.push(text);
  }
  return found;
})()`;

/** What the page complains about: errors, and requests to anybody else. */
export function complaintsOf(page: Page, url: string): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // The order's socket is refused here, since a fixture does not change.
    if (message.type() === 'error' && !/WebSocket|status of (?:4\d\d)/.test(message.text()))
      complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (!/^data:/.test(request.url()) && new URL(request.url()).host !== new URL(url).host)
      complaints.push(`a request to ${request.url()}`);
  });
  return complaints;
}

/** How much wider the page is than its window. */
const tooWide = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** Buttons and fields smaller than 24 by 24; links within text may be (WCAG 2.2, 2.5.8). */
const smallTargets = async (page: Page): Promise<readonly string[]> =>
  (await page.evaluate(SMALL_TARGETS)) as readonly string[];

const SMALL_TARGETS = `[...document.querySelectorAll('button:not(.unseen), select, input:not([type=hidden]), nav a, summary')]
  .filter((one) => one.offsetParent !== null)
  .map((one) => [one, one.getBoundingClientRect()])
  .filter(([, { width, height }]) => width < 24 || height < 24)
  .map(([one]) => one.outerHTML.slice(0, 120))`;

/** What is cut off or runs out of the window when letters are twice as large (WCAG 1.4.4). */
async function troubleWithLargeLetters(page: Page): Promise<readonly string[]> {
  await page.evaluate("document.documentElement.style.fontSize = '200%'");
  const found = (await page.evaluate(CUT_OFF)) as readonly string[];
  await page.evaluate("document.documentElement.style.fontSize = ''");
  return found;
}

const CUT_OFF = `[
  ...(document.documentElement.scrollWidth > document.documentElement.clientWidth
    ? ['with large letters it is too wide: ' + [...document.querySelectorAll('body *')]
        .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1 && !one.firstElementChild)
        .map((one) => one.outerHTML.slice(0, 80)).slice(0, 3).join(' ')]
    : []),
  ...[...document.querySelectorAll('main *')]
    .filter((one) => one.clientHeight > 1 && !one.classList.contains('unseen') && !one.matches('select, input, textarea'))
    .filter((one) => ['hidden', 'clip'].includes(getComputedStyle(one).overflowY) && one.scrollHeight > one.clientHeight + 1)
    .map((one) => 'cut off: ' + one.outerHTML.slice(0, 120)),
]`;

/** What still moves though the visitor asked that nothing does. */
const movesOf = async (page: Page): Promise<readonly string[]> => (await page.evaluate(MOVES)) as readonly string[];

const MOVES = `[...document.querySelectorAll('body *')]
  .filter((one) => {
    const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(one);
    return (animationName !== 'none' && one.getAnimations().length > 0) || scrollBehavior === 'smooth'
      || transitionDuration.split(',').some((time) => parseFloat(time) > 0.01);
  })
  .map((one) => one.outerHTML.slice(0, 120))`;

/** Buttons and fields that nobody could see where the system's few colours replace ours: they need a line around them. */
const unseenInForcedColours = async (page: Page): Promise<readonly string[]> =>
  (await page.evaluate(UNSEEN)) as readonly string[];

const UNSEEN = `[...document.querySelectorAll('.button, button:not(.unseen):not(.link), input:not([type=hidden]), select, .choice, .steps .now')]
  .filter((one) => one.offsetParent !== null)
  .filter((one) => {
    const style = getComputedStyle(one);
    // A box to tick is drawn by the system itself.
    if (['checkbox', 'radio'].includes(one.type) && style.appearance !== 'none') return false;
    const isOutlined = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
    return parseFloat(style.borderTopWidth) === 0 && !isOutlined && style.textDecorationLine === 'none';
  })
  .map((one) => one.outerHTML.slice(0, 120))`;

/** What a first view loads: bytes of HTML as they are, of style and script as they are packed. */
interface Weight {
  readonly html: number;
  readonly style: number;
  readonly script: number;
  readonly requests: number;
}

/** As the browser counts it; what keeps an order's page true is not of its first view. */
const LOADED = `({
  html: performance.getEntriesByType('navigation')[0].decodedBodySize,
  loaded: performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => !/^data:|\\/(?:live|state)$/.test(name)),
})`;

async function weightOf(page: Page, files: AssetFiles): Promise<Weight> {
  const { html, loaded } = (await page.evaluate(LOADED)) as {
    readonly html: number;
    readonly loaded: readonly string[];
  };
  const packed = (kind: string) =>
    Object.values(files)
      .filter(({ name }) => name.endsWith(kind) && loaded.some((url) => url.endsWith(`/${name}`)))
      .reduce((sum, { gzip }) => sum + gzip.length, 0);
  return { html, style: packed('.css'), script: packed('.js'), requests: 1 + new Set(loaded).size };
}

/** What is too heavy of a page, whose script may weigh this much. */
export function tooHeavy({ html, style, script, requests }: Weight, scriptMost: number): readonly string[] {
  const bounds = { html: 30_000, style: 12_000, script: scriptMost, requests: 4, all: 45_000 };
  const all = html + style + script;
  return Object.entries({ html, style, script, requests, all }).flatMap(([name, is]) => {
    const most = bounds[name as keyof typeof bounds];
    return is <= most ? [] : [`${name}: ${is} of ${most}`];
  });
}
