import { order } from './en/order.ts';
import { pages } from './en/pages.ts';

/** English is the type of every language: what is missing in one of them does not compile. */
export const en = { languageName: 'English', ...pages, ...order };

export type Words = typeof en;
