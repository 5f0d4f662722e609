import type { Words } from './en.ts';
import { order } from './zh/order.ts';
import { pages } from './zh/pages.ts';
import { partners } from './zh/partners.ts';

export const zh: Words = { languageName: '中文', ...pages, ...order, ...partners };
