import type { VNode } from 'preact';
import type { Client } from '../../sdk/src/index.ts';
import type { MemberSession, PartnerDesk } from '../partners/partner-desk.ts';
import type { Form } from './forms.ts';
import type { Ownership } from './ownership.ts';
import type { Mood } from './qr.ts';
import type { View } from './view.ts';

/** One request of one visitor. */
export interface Visit {
  readonly view: View;
  readonly desk: Client;
  /** The same for somebody who came by the link of an integration. */
  deskBy(ref: string): Client;
  /** The calls of partners, as whoever is signed in here. */
  readonly partner: PartnerDesk;
  readonly query: URLSearchParams;
  readonly form: Form;
  readonly params: Readonly<Record<string, string>>;
  /** The session that this order's page was given, if it was. */
  readonly session: string | undefined;
  /** The address of the bill that this order pays, if it does; below the base. */
  readonly bill: string | undefined;
  newKey(): string;
}

export type Answer =
  | {
      readonly page: VNode;
      readonly title: string;
      readonly status?: number;
      readonly script?: 'swap' | 'order' | 'orders' | 'recover' | 'partners';
      readonly mood?: Mood;
      /** Held by nobody but this visitor: neither kept nor packed. */
      readonly isPrivate?: boolean;
      /** Seconds after which the browser shall load it again; only where the visitor asked for that. */
      readonly reload?: number;
      readonly feed?: string;
      /** Where a choice of language leads back to, below the base, if the address of this page alone would show less. */
      readonly back?: string;
      /** Search engines have no business here. */
      readonly isUnlisted?: boolean;
    }
  | { readonly part: VNode; readonly status?: number }
  | {
      readonly to: string;
      readonly ownership?: Ownership;
      /** The address of the bill that the order pays; below the base. */
      readonly bill?: string;
      /** How the visitor wants to see the pages. */
      readonly choices?: readonly (readonly [name: 'lang' | 'theme', value: string])[];
      /** A member came in, or went. */
      readonly member?: MemberSession | 'gone';
    }
  | { readonly text: string; readonly type: string; readonly file?: string };

export type Work = (visit: Visit) => Promise<Answer>;

/** Where pages are put; paths are below the base. */
export interface Site {
  get(path: string, work: Work): void;
  post(path: string, work: Work): void;
}
