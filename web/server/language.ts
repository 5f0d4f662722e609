import { ar } from '../words/ar.ts';
import { de } from '../words/de.ts';
import { en, type Words } from '../words/en.ts';
import { es } from '../words/es.ts';
import { zh } from '../words/zh.ts';

export const LANGUAGES = ['en', 'de', 'es', 'zh', 'ar'] as const;
export type Language = (typeof LANGUAGES)[number];

/** First strong isolate and its end: what stands between them has a direction of its own (Unicode Standard Annex #9). */
const isolate = (given: unknown): unknown =>
  typeof given === 'string' && given !== '' ? `\u2068${given}\u2069` : given;

/** In sentences from right to left, an amount, a time or an address that is put in reads from the left, as beside them. */
function isolating<T>(words: T): T {
  if (typeof words === 'function') return ((...given: readonly unknown[]) => words(...given.map(isolate))) as T;
  if (Array.isArray(words)) return words.map((one) => isolating<unknown>(one)) as T;
  if (typeof words !== 'object' || words === null) return words;
  return Object.fromEntries(Object.entries(words).map(([name, one]) => [name, isolating(one)])) as T;
}

export const WORDS: Readonly<Record<Language, Words>> = { en, de, es, zh, ar: isolating(ar) };

export const isRightToLeft = (language: Language): boolean => language === 'ar';

export const isLanguage = (text: unknown): text is Language => LANGUAGES.some((language) => language === text);

/** What was chosen here, else the first that the browser asks for and we speak, else the first that is offered. */
export function chooseLanguage(
  offered: readonly Language[],
  chosen: string | undefined,
  accepted: string | undefined,
): Language {
  const wanted = [chosen, ...byWeight(accepted ?? '')];
  const found = wanted.map((one) => one?.toLowerCase().split('-')[0]).find((one) => offered.some((two) => two === one));
  return isLanguage(found) ? found : (offered[0] ?? 'en');
}

/** The tags of Accept-Language, the most wanted first (RFC 9110, 12.5.4). */
function byWeight(header: string): readonly string[] {
  return header
    .slice(0, 200)
    .split(',')
    .map((part) => {
      const [tag = '', ...options] = part.trim().split(';');
      const weight = options.map((option) => /^\s*q=([01](?:\.\d{0,3})?)\s*$/.exec(option)?.[1]).find(Boolean);
      return { tag, weight: weight ?? '1' };
    })
    .filter(({ weight }) => !/^0(?:\.0*)?$/.test(weight))
    .sort((a, b) => (a.weight < b.weight ? 1 : a.weight > b.weight ? -1 : 0))
    .map(({ tag }) => tag);
}
