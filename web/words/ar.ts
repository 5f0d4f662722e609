import { order } from './ar/order.ts';
import { pages } from './ar/pages.ts';
import { partners } from './ar/partners.ts';
import type { Words } from './en.ts';

export const ar: Words = { languageName: 'العربية', ...pages, ...order, ...partners };
