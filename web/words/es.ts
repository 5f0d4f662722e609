import type { Words } from './en.ts';
import { order } from './es/order.ts';
import { pages } from './es/pages.ts';
import { partners } from './es/partners.ts';

export const es: Words = { languageName: 'Español', ...pages, ...order, ...partners };
