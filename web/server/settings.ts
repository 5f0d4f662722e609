import type { Instant } from '../../src/kernel/clock.ts';
import type { Language } from './language.ts';

/** What an operator may set of the pages. */
export interface PagesSettings {
  readonly publicUrl: string | undefined;
  readonly name: string;
  readonly contact: string | undefined;
  readonly banner: { readonly text: string; readonly link?: string; readonly level: 'info' | 'warning' } | undefined;
  /** By chain id, with `{tx}` where the hash goes. */
  readonly explorers: Readonly<Record<string, string>>;
  readonly languages: readonly Language[];
  readonly onionAddress: string | undefined;
  /** What a message to sign in names: host and port that people see, and the origin they are at. */
  readonly place: { readonly domain: string; readonly origin: string };
}

/** The numbers of the rules, for the page that explains them. */
export interface ShownRules {
  readonly enoughPercent: string;
  readonly fundingWindowSeconds: number;
  readonly continueFromUsd: string;
}

/** Something that an operator has stopped: `quotes`, `orders`, `venue`, `chain:<id>`, `provider:<name>`. */
export interface Stopped {
  readonly scope: string;
  readonly since: Instant;
}
