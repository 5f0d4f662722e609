import { order } from './en/order.ts';
import { pages } from './en/pages.ts';
import { partners } from './en/partners.ts';

/** English is the type of every language: what is missing in one of them does not compile. */
export const en = { languageName: 'English', ...pages, ...order, ...partners };

export type Words = typeof en;
