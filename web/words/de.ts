import { order } from './de/order.ts';
import { pages } from './de/pages.ts';
import type { Words } from './en.ts';

export const de: Words = { languageName: 'Deutsch', ...pages, ...order };
