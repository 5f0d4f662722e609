import type { Instant } from '../../src/kernel/clock.ts';
import type { Words } from '../words/en.ts';
import type { Book } from './desk.ts';
import { showAtoms } from './forms.ts';
import type { Language } from './language.ts';
import type { PagesSettings, ShownRules } from './settings.ts';

export type Theme = 'light' | 'dark';

/** All that a page needs to know beside its own subject. */
export interface View {
  readonly words: Words;
  readonly language: Language;
  readonly theme: Theme | undefined;
  /** The path in front of every address of ours; empty at the root. */
  readonly base: string;
  /** The path of this page. */
  readonly path: string;
  /** Where a choice of language or colours leads back to. */
  readonly back: string;
  readonly isOnion: boolean;
  readonly settings: PagesSettings;
  readonly rules: ShownRules;
  readonly now: Instant;
  readonly book: Book;
  /** The address of a packed file. */
  file(name: string): string;
}

/** Where this reader finds the desk: an onion's reader is not led out of it. */
export function originOf({ settings, isOnion }: Pick<View, 'settings' | 'isOnion'>): string {
  return isOnion && settings.onionAddress ? `http://${settings.onionAddress}` : settings.place.origin;
}

/** An onion's reader is not led to a page outside; a way to write to somebody is no page. */
export const isFollowed = ({ isOnion }: Pick<View, 'isOnion'>, link: string): boolean =>
  !isOnion || !/^(?:https?:)?\/\//.test(link) || /^http:\/\/[^/]+\.onion(?:\/|$)/.test(link);

const LOCALES: Readonly<Record<Language, string>> = {
  en: 'en-GB',
  de: 'de',
  es: 'es',
  zh: 'zh-CN',
  ar: 'ar-u-nu-latn',
};

/** One clock for everybody: without script nobody can know where the reader is. */
export function showTime({ language, now }: Pick<View, 'language' | 'now'>, iso: string): string {
  const at = new Date(iso);
  const isToday = at.toISOString().slice(0, 10) === new Date(now).toISOString().slice(0, 10);
  const format = new Intl.DateTimeFormat(LOCALES[language], {
    ...(isToday ? {} : { dateStyle: 'medium' as const }),
    timeStyle: 'short',
    timeZone: 'UTC',
    hourCycle: 'h23',
  } as Intl.DateTimeFormatOptions);
  return `${format.format(at)} UTC`;
}

export const showDay = ({ language }: Pick<View, 'language'>, day: string): string =>
  new Intl.DateTimeFormat(LOCALES[language], { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(new Date(day));

/** A decimal as it was reckoned, with the separators of the language; nothing is rounded. */
export const grouped = ({ language }: Pick<View, 'language'>, text: string): string =>
  new Intl.NumberFormat(LOCALES[language], { minimumFractionDigits: 2, maximumFractionDigits: 20 }).format(
    text as `${number}`,
  );

export const dollars = (view: Pick<View, 'language'>, text: string): string => `$${grouped(view, text)}`;

export function showSeconds({ words }: Pick<View, 'words'>, seconds: number): string {
  if (seconds < 90) return words.time.seconds(Math.max(1, Math.round(seconds)));
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return words.time.minutes(minutes);
  return words.time.hours(Math.floor(minutes / 60), minutes % 60);
}

/** Marks that turn the direction of text, and everything that does not print. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;
const NAME_CHARS = 24;

/** A name that somebody outside chose. */
export function plainName(text: string): string {
  const clean = text.replaceAll(UNPRINTABLE, '').trim();
  return clean.length > NAME_CHARS ? `${clean.slice(0, NAME_CHARS)}…` : clean;
}

export const money = (atoms: string | bigint, decimals: number, symbol: string): string =>
  `${showAtoms(atoms, decimals)} ${plainName(symbol)}`;

/** What was paid out, in its own unit: it may be another than was asked for. */
export function delivered(order: {
  readonly actualOutput?: string;
  readonly deliveredToken?: { readonly decimals: number; readonly symbol: string };
  readonly toDecimals: number;
  readonly toSymbol: string;
}): string | undefined {
  const { decimals, symbol } = order.deliveredToken ?? { decimals: order.toDecimals, symbol: order.toSymbol };
  return order.actualOutput === undefined ? undefined : money(order.actualOutput, decimals, symbol);
}

export const shorten = (address: string): string =>
  address.length <= 18 ? address : `${address.slice(0, 8)}…${address.slice(-6)}`;
