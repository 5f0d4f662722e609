import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
export const PHONE = { width: 360, height: 740 };
/** How a page is looked at: every page is, in each of these ways. */
export const LOOKS = {
  light: { viewport: PHONE, colorScheme: 'light', locale: 'en' },
  dark: { viewport: PHONE, colorScheme: 'dark', locale: 'en' },
  arabic: { viewport: PHONE, colorScheme: 'light', locale: 'ar' },
} as const;
export type Look = keyof typeof LOOKS;

interface Found {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

export async function barriersOf(page: Page): Promise<readonly string[]> {
  // Evaluated past the page's policy, which lets no foreign script in.
  await page.evaluate(AXE);
  const ran = `axe.run({ runOnly: ${JSON.stringify(RULES)} }).then((r) => r.violations)`;
  const found = (await page.evaluate(ran)) as readonly Found[];
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

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
export const tooWide = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** Buttons and fields smaller than 24 by 24; links within text may be (WCAG 2.2, 2.5.8). */
export const smallTargets = async (page: Page): Promise<readonly string[]> =>
  (await page.evaluate(SMALL_TARGETS)) as readonly string[];

const SMALL_TARGETS = `[...document.querySelectorAll('button:not(.unseen), select, input:not([type=hidden]), nav a, summary')]
  .filter((one) => one.offsetParent !== null)
  .map((one) => [one, one.getBoundingClientRect()])
  .filter(([, { width, height }]) => width < 24 || height < 24)
  .map(([one]) => one.outerHTML.slice(0, 120))`;
