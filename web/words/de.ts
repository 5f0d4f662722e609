import { order } from './de/order.ts';
import { pages } from './de/pages.ts';
import { partners } from './de/partners.ts';
import type { Words } from './en.ts';

export const de: Words = { languageName: 'Deutsch', ...pages, ...order, ...partners };
