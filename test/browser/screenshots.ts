/** npx tsx test/browser/screenshots.ts <folder> [part of a name …]: every page and state, to be looked at. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openChromium } from './chromium.ts';
import { fixtureDesk } from './fixture-desk.ts';
import { PARTNER_VISITS, visitPartner } from './partner-visits.ts';
import { ORDERS, PAPERS, PATHS } from './paths.ts';

const SIZES = { 360: { width: 360, height: 740 }, 1280: { width: 1280, height: 900 } } as const;
const LOOKS = {
  light: { colorScheme: 'light', locale: 'en' },
  dark: { colorScheme: 'dark', locale: 'en' },
  ar: { colorScheme: 'light', locale: 'ar' },
} as const;

const [folder = 'screenshots', ...parts] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const [browser, desk] = await Promise.all([openChromium(), fixtureDesk()]);
for (const [size, viewport] of Object.entries(SIZES)) {
  for (const [look, how] of Object.entries(LOOKS)) {
    const context = await browser.newContext({ viewport, ...how });
    await context.addCookies([{ name: 'wherry_proof', value: 'x', url: `${desk.url}/order/` }]);
    const page = await context.newPage();
    for (const path of [...PATHS, ...PAPERS, ...ORDERS]) {
      const name = `${path.replaceAll(/[^a-z0-9]+/gi, '-').slice(1, 44) || 'swap'}-${size}-${look}`;
      if (parts.length > 0 && !parts.some((part) => name.includes(part))) continue;
      await page.goto(desk.url + path);
      await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
    }
    for (const visit of PARTNER_VISITS) {
      const name = `${visit.name}-${size}-${look}`;
      if (parts.length > 0 && !parts.some((part) => name.includes(part))) continue;
      await visitPartner(context, page, desk.url, visit);
      await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
    }
    await context.close();
  }
}
await browser.close();
await desk.close();
