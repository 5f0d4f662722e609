import type { BrowserContext, Page } from 'playwright-core';
import { EVM_ADDRESS, USDC } from '../wire/assets.ts';
import { BUSY, FRESH, MEMBER_TOKEN, OWNER, PARTNER_PATHS } from './partner-fixtures.ts';

/** A page, and what is done on it before it is looked at. */
export interface PartnerVisit {
  readonly name: string;
  readonly path: string;
  readonly isSignedOut?: boolean;
  readonly act?: (page: Page) => Promise<void>;
}

const press = (page: Page, form: string) =>
  Promise.all([page.waitForEvent('load'), page.locator(`form[action$="${form}"] button[type=submit]`).last().click()]);

/** Every page of partners, those included that answer a form. */
export const PARTNER_VISITS: readonly PartnerVisit[] = [
  { name: 'sign-in', path: '/partners?over=1', isSignedOut: true },
  {
    name: 'sign-in-text',
    path: '/partners',
    isSignedOut: true,
    act: async (page) => {
      await page.locator('#account').fill(OWNER);
      await press(page, '/partners/sign-in');
    },
  },
  {
    name: 'sign-in-wrong',
    path: '/partners',
    isSignedOut: true,
    act: async (page) => {
      await page.locator('#account').fill('me');
      await press(page, '/partners/sign-in');
    },
  },
  ...PARTNER_PATHS.map((path) => ({ name: path.slice(1).replaceAll(/[^a-z0-9]+/gi, '-'), path })),
  {
    name: 'partners-new-wrong',
    path: '/partners/new',
    act: async (page) => {
      await page.locator('#name').fill('Shop');
      await page.locator('#feePercent').fill('12');
      await page.locator('#feeAddress').fill(EVM_ADDRESS);
      await press(page, '/partners/new');
    },
  },
  {
    name: 'partners-key-once',
    path: `/partners/${BUSY}/keys`,
    act: async (page) => void (await press(page, '/keys')),
  },
  {
    name: 'partners-webhook-secret-once',
    path: `/partners/${FRESH}/webhooks`,
    act: async (page) => {
      await page.locator('#url').fill('https://shop.example/events');
      await press(page, '/webhooks');
    },
  },
  {
    name: 'partners-link-made',
    path: `/partners/${BUSY}/links`,
    act: async (page) => {
      await page.locator('#to').selectOption(`42161:${USDC.token}`);
      await page.locator('#amount').fill('25');
      await page.locator('#address').fill(EVM_ADDRESS);
      await page.locator('#name').fill('Ana’s bakery');
      await press(page, '/links');
    },
  },
];

/** Signs in or out, goes there and does it. */
export async function visitPartner(
  context: BrowserContext,
  page: Page,
  url: string,
  visit: PartnerVisit,
): Promise<void> {
  await context.clearCookies();
  if (!visit.isSignedOut)
    await context.addCookies([{ name: 'wherry_partner', value: MEMBER_TOKEN, url: `${url}/partners` }]);
  await page.goto(url + visit.path);
  await visit.act?.(page);
}
